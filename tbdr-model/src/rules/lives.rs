//! What is done to an image over its whole life: in every pass, transfer and shader of every frame that was recorded.
//!
//! Inputs: the frames, and which of their images are the same ([`crate::graph::Lives`]). Output: a [`Life`] for each identity that an
//! image has in the report. Images that play the same role one after the other, in frames in flight or after a resize, have one identity:
//! what is said of it holds for each of them.

use super::{Candidate, Evidence, Instance, Structure};
use crate::format;
use crate::frame::{AccessKind, Aspects, Image, ImageRef, LoadOp, Op, Pass, ShaderAccess, Side, StoreOp, usage};
use crate::graph::access::{aspects_of, each};
use crate::graph::lives::Part;
use crate::graph::{Liveness, touched};
use crate::ranges::Ranges;
use crate::report::{Basis, Quantity};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A life as rules see it.
#[derive(Clone, Debug)]
pub struct Life<'a> {
    /// Identity of the image.
    pub id: &'a str,
    /// The image, as the frame has it that occurs most.
    pub image: &'a Image,
    /// What people call the pass that uses it first in that frame.
    pub label: &'a str,
    /// Identity of this pass.
    pub pass: &'a str,
    /// Bytes of its texels: of the largest, where sizes differ.
    pub bytes: Option<u64>,
    /// Where it is an attachment.
    pub places: Vec<Place>,
    /// Frames in which it occurs.
    pub frames: Ranges,
    /// What is done to it.
    pub uses: Uses,
    /// Whether what is done to it is all that is done to it.
    pub complete: bool,
    /// How often the frame that names it occurs.
    occurrences: u64,
}

/// Where an image is an attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Number of the frame structure.
    pub structure: u32,
    /// Number of the pass.
    pub pass: u32,
    /// Its attachment.
    pub attachment: u32,
}

/// What is done to an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// A subpass renders to it as colour or depth.
    pub rendered: bool,
    /// A subpass has it as depth attachment.
    pub depth: bool,
    /// Depth or stencil of it is resolved, or it is resolved into.
    pub resolves: bool,
    /// Some pass loads an aspect of it, may read what was there before the pass, or stores one.
    pub moved: bool,
    /// A transfer command reads or writes it.
    pub transferred: bool,
    /// Anything but passes to which it is colour, depth, stencil or input attachment uses it: transfers, shaders, whoever it is
    /// shown to, another queue family that gets it.
    pub elsewhere: bool,
    /// Some shader may reach it as a storage image.
    pub storage: bool,
    /// Its stencil is tested, written, cleared by a command, read by shaders or resolved.
    pub stencil: bool,
    /// The same of its depth.
    pub depth_touched: bool,
    /// The queue families whose work uses it.
    pub families: Families,
}

/// Queue families whose work uses an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Families {
    /// None.
    #[default]
    None,
    /// This one alone.
    One(u32),
    /// Several, or some that is not known.
    Several,
}

impl Families {
    /// Those of both.
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (one, Self::None) | (Self::None, one) => one,
            (one, other) if one == other => one,
            _ => Self::Several,
        }
    }
}

impl Uses {
    fn merge(&mut self, other: Self) {
        self.rendered |= other.rendered;
        self.depth |= other.depth;
        self.resolves |= other.resolves;
        self.moved |= other.moved;
        self.transferred |= other.transferred;
        self.elsewhere |= other.elsewhere;
        self.storage |= other.storage;
        self.stencil |= other.stencil;
        self.depth_touched |= other.depth_touched;
        self.families = self.families.with(other.families);
    }
}

impl Life<'_> {
    /// A candidate about the image as a whole, which holds in all of its frames: what it is worth and what to do come to it.
    pub fn candidate(&self) -> Candidate {
        Candidate {
            pass: Some(self.pass.to_string()),
            attachment: Some(self.id.to_string()),
            instances: self.places.iter().map(|place| (place.structure, Instance::default())).collect(),
            frames: self.frames.clone(),
            ..Candidate::default()
        }
    }

    /// Whether no byte of it need ever lie in memory: it is an attachment that no pass loads or stores, and nothing else uses it.
    pub fn stays_on_chip(&self) -> bool {
        let Uses { rendered, moved, elsewhere, .. } = self.uses;
        self.complete && rendered && !moved && !elsewhere && self.image.swapchain.is_none()
    }

    /// Whether its usage says so.
    pub fn is_transient(&self) -> bool {
        self.image.all_usage() & usage::TRANSIENT_ATTACHMENT != 0
    }

    /// The bytes that its memory takes, on each GPU that moves no byte of it: a bound, since only lazily allocated memory takes less.
    pub fn footprint(&self, evidence: &Evidence<'_>) -> BTreeMap<String, (Quantity, u64, Basis)> {
        let moves = |gpu: &str| {
            self.places.iter().any(|place| {
                let structure = evidence.structures.get(&place.structure);
                let run = structure.and_then(|s| s.run(gpu, place.pass));
                run.is_none_or(|run| run.ledger.entries.iter().any(|entry| entry.attachment == place.attachment))
            })
        };
        let Some(bytes) = self.bytes.filter(|bytes| *bytes > 0) else { return BTreeMap::new() };
        let still = evidence.profiles.iter().filter(|profile| !moves(&profile.id));
        still.map(|profile| (profile.id.clone(), (Quantity::Footprint, bytes, Basis::Bound))).collect()
    }
}

/// The lives of all images that are attachments, by identity.
pub fn of<'a>(structures: &BTreeMap<u32, Structure<'a>>, liveness: &Liveness) -> Vec<Life<'a>> {
    let seen: BTreeMap<u32, Vec<Seen>> = structures.iter().map(|(number, s)| (*number, look(s))).collect();
    let at = |part: &Part| seen.get(&part.0).and_then(|of_frame| of_frame.get(part.1 as usize));
    // Images that take turns are one: what is done to one of them in its turn is done to all.
    let mut shared: BTreeMap<Part, (Uses, bool)> = BTreeMap::new();
    for life in liveness.lives().all() {
        let described = |part: &Part| structures.get(&part.0).and_then(|s| s.frame.images.get(part.1 as usize));
        let recorded = |part: &Part| described(part).is_some_and(|image| !liveness.may_be_reached_unseen(image));
        let complete = life.complete && life.parts.iter().all(recorded);
        let mut uses = Uses::default();
        life.parts.iter().filter_map(at).for_each(|seen| uses.merge(seen.uses));
        shared.extend(life.parts.into_iter().map(|part| (part, (uses, complete))));
    }
    let mut lives: BTreeMap<&'a str, Life<'a>> = BTreeMap::new();
    for (&number, structure) in structures {
        for (image, described) in (0u32..).zip(&structure.frame.images) {
            let Some(seen) = at(&(number, image)) else { continue };
            let Some((pass, _)) = seen.places.first().copied() else { continue };
            let id = structure.image_id(ImageRef(image));
            let occurrences = structure.indices.count();
            let life = lives.entry(id).or_insert_with(|| Life {
                id,
                image: described,
                label: structure.pass_label(pass),
                pass: structure.pass_id(pass),
                bytes: None,
                places: Vec::new(),
                frames: Ranges::default(),
                uses: Uses::default(),
                complete: true,
                occurrences,
            });
            if occurrences > life.occurrences {
                (life.image, life.occurrences) = (described, occurrences);
                (life.label, life.pass) = (structure.pass_label(pass), structure.pass_id(pass));
            }
            life.bytes = life.bytes.max(format::image_bytes(described).map(|bytes| bytes.0));
            let place =
                |(pass, attachment): &(u32, u32)| Place { structure: number, pass: *pass, attachment: *attachment };
            life.places.extend(seen.places.iter().map(place));
            life.frames.extend(structure.indices);
            let (uses, complete) = shared.get(&(number, image)).copied().unwrap_or((seen.uses, false));
            life.uses.merge(uses);
            life.complete &= complete;
        }
    }
    lives.into_values().collect()
}

/// What a frame does to an image.
#[derive(Clone, Default)]
struct Seen {
    uses: Uses,
    /// Pass and attachment.
    places: Vec<(u32, u32)>,
}

/// What a frame does to each of its images.
fn look(structure: &Structure<'_>) -> Vec<Seen> {
    let mut look = Look { structure, seen: alloc::vec![Seen::default(); structure.frame.images.len()] };
    for (number, pass) in (0u32..).zip(&structure.whole.passes) {
        look.pass(pass, number);
    }
    for op in structure.frame.ops() {
        match op {
            Op::Pass(_) | Op::Event(_) => {}
            Op::Transfer(transfer) => {
                let sides = transfer.regions.iter().flat_map(|region| [&region.src, &region.dst]).flatten();
                for side in sides {
                    if let Side::Image(side) = side {
                        look.add(side.image, |uses| (uses.transferred, uses.elsewhere) = (true, true));
                    }
                }
            }
            Op::Barrier(barrier) => {
                let moves = barrier.images.iter().filter(|image| image.families.is_some());
                moves.for_each(|image| look.add(image.image, |uses| uses.elsewhere = true));
            }
            Op::Dispatch(dispatch) => look.shaders(&dispatch.shader),
            Op::Opaque(opaque) => look.shaders(&opaque.shader),
        }
    }
    for output in structure.frame.early_outputs.iter().chain(&structure.frame.outputs) {
        look.add(Some(output.image), |uses| uses.elsewhere = true);
    }
    for access in &structure.accesses.list {
        // Whoever an output is for belongs to no submission.
        let Some(submission) = structure.frame.submissions.get(access.submission as usize) else { continue };
        let families = submission.family.map_or(Families::Several, Families::One);
        look.add(Some(access.image), |uses| uses.families = uses.families.with(families));
    }
    look.seen
}

struct Look<'s, 'a> {
    structure: &'s Structure<'a>,
    seen: Vec<Seen>,
}

impl Look<'_, '_> {
    fn add(&mut self, image: Option<ImageRef>, what: impl FnOnce(&mut Uses)) {
        if let Some(seen) = image.and_then(|image| self.seen.get_mut(image.0 as usize)) {
            what(&mut seen.uses);
        }
    }

    fn shaders(&mut self, shader: &ShaderAccess) {
        for access in &shader.images {
            self.add(access.image, |uses| {
                uses.elsewhere = true;
                uses.storage |= !matches!(access.kind, AccessKind::Sampled);
                uses.stencil |= access.range.aspects.contains(Aspects::STENCIL);
                uses.depth_touched |= access.range.aspects.contains(Aspects::DEPTH);
            });
        }
    }

    fn pass(&mut self, pass: &Pass, number: u32) {
        let images = &self.structure.frame.images;
        let image = |attachment: u32| pass.attachments.get(attachment as usize).and_then(|a| a.image);
        for (attachment, described) in (0u32..).zip(&pass.attachments) {
            let Some(own) = described.image.and_then(|image| images.get(image.0 as usize)) else { continue };
            let mut uses = Uses::default();
            for aspect in each(aspects_of(own)) {
                let (load, store) = match aspect {
                    Aspects::STENCIL => (described.stencil_load, described.stencil_store),
                    _ => (described.load, described.store),
                };
                // What is there is there to be read where a load operation says nothing.
                uses.moved |= matches!(load, LoadOp::Load | LoadOp::None) || store == StoreOp::Store;
            }
            let touches = |aspect| touched::in_pass(pass, attachment, aspect).is_some_and(|t| t.reads || t.writes);
            (uses.stencil, uses.depth_touched) = (touches(Aspects::STENCIL), touches(Aspects::DEPTH));
            self.add(described.image, |all| all.merge(uses));
            if let Some(seen) = described.image.and_then(|image| self.seen.get_mut(image.0 as usize)) {
                seen.places.push((number, attachment));
            }
        }
        let maps = pass.subpasses.iter().filter_map(|s| s.shading_rate).map(|rate| rate.attachment);
        for map in maps.chain(pass.density_map.map(|map| map.attachment)) {
            self.add(image(map), |uses| uses.elsewhere = true);
        }
        for subpass in &pass.subpasses {
            for used in subpass.targets() {
                self.add(image(used.attachment), |uses| {
                    uses.rendered = true;
                    uses.elsewhere |= used.feedback;
                });
            }
            if let Some(used) = subpass.depth {
                self.add(image(used.attachment), |uses| uses.depth = true);
            }
            for used in subpass.input.iter().flatten() {
                let reads = |aspect| used.aspects.0 == 0 || used.aspects.contains(aspect);
                self.add(image(used.attachment), |uses| {
                    uses.stencil |= reads(Aspects::STENCIL);
                    uses.depth_touched |= reads(Aspects::DEPTH);
                });
            }
            for used in subpass.resolve.iter().flatten() {
                self.add(image(used.attachment), |uses| (uses.resolves, uses.elsewhere) = (true, true));
            }
            let depth_stencil = [(subpass.depth, subpass.depth_resolve), (subpass.stencil, subpass.stencil_resolve)];
            for (source, target) in depth_stencil {
                let Some(target) = target.filter(|target| target.mode != 0) else { continue };
                self.add(image(target.attachment), |uses| (uses.resolves, uses.elsewhere) = (true, true));
                if let Some(source) = source {
                    self.add(image(source.attachment), |uses| uses.resolves = true);
                }
            }
            if subpass.drawn {
                self.shaders(&subpass.shader);
            }
        }
    }
}
