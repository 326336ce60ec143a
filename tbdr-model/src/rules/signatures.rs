//! Where transaction elimination loses its signatures: what TL401, TL402, TL403 and TL407 say, worked out once.
//!
//! A GPU that eliminates transactions keeps a signature of every tile that it has written, and writes a tile again only where the
//! signature differs. It holds from one pass that renders to an image to the next, if nothing happens to the image meanwhile that it does not
//! survive: a transition from UNDEFINED, a layout that others may write in, a blit (Khronos Vulkan-Samples,
//! samples/performance/layout_transitions). Between two such passes everything is looked at that happens to the image, in the frames around as
//! well; if anything of it is not known, or could not be otherwise, nothing is said.
//!
//! Input is the evidence; output the stores that write all of their tiles for nothing but such a cause. Cost is linear in the commands of
//! the frames.

mod steps;

use super::compressible::Amounts;
use super::{Candidate, Evidence, Gather, Sighting, Structure, Worth};
use crate::frame::{Aspects, Image, Layout};
use crate::gpu::Profile;
use crate::gpu::compression::TRANSACTION_ELIMINATION;
use crate::graph::liveness::Site;
use crate::graph::{Operation, lives};
use crate::report::{Basis, Direction, Quantity};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use steps::{Step, Steps};

/// Extension that makes GENERAL as good as any layout.
const UNIFIED: &str = "VK_KHR_unified_image_layouts";
/// VK_IMAGE_TYPE_2D.
const FLAT: u32 = 1;

/// What stands first among the causes of a loss: which rule speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Old layout UNDEFINED.
    Undefined,
    /// A layout between two passes.
    Layout,
    /// A blit.
    Blit,
    /// The layout in which it is rendered to.
    General,
}

/// A store that writes tiles which may be there already.
#[derive(Clone, Debug)]
pub struct Lost {
    /// Number of the frame structure.
    structure: u32,
    /// Number of the pass.
    pass: u32,
    /// Its attachment.
    attachment: u32,
    /// Why, since the last pass that rendered to the image.
    causes: Causes,
    /// The bytes of the store, by id of the GPU.
    amounts: Amounts,
}

/// What signatures do not survive and could be otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Causes {
    /// A transition from UNDEFINED.
    undefined: bool,
    /// The layout that the image really has then, if it is always the same.
    real: Option<Layout>,
    /// Layouts that it passes through though nothing that happens to it needs them.
    layouts: BTreeSet<Layout>,
    /// A blit writes it.
    blit: bool,
    /// It is rendered to in GENERAL.
    general: bool,
}

impl Causes {
    fn first(&self) -> Option<Cause> {
        let causes = [
            (self.blit, Cause::Blit),
            (self.general, Cause::General),
            (!self.layouts.is_empty(), Cause::Layout),
            (self.undefined, Cause::Undefined),
        ];
        causes.into_iter().find(|(applies, _)| *applies).map(|(_, cause)| cause)
    }
}

/// All of a run.
pub fn of(evidence: &Evidence<'_>) -> Vec<Lost> {
    let eliminates = |structure: &Structure<'_>| {
        let passes = 0..structure.whole.passes.len() as u32;
        let facts = passes.flat_map(|pass| evidence.profiles.iter().map(move |p| (p, pass)));
        let mut facts = facts.flat_map(|(profile, pass)| structure.compression(&profile.id, pass));
        facts.any(|fact| fact.scheme == TRANSACTION_ELIMINATION && fact.eligible == Some(true))
    };
    if !evidence.structures.values().any(eliminates) {
        return Vec::new();
    }
    let unified = evidence.enabled(UNIFIED);
    let steps = evidence.structures.iter().map(|(number, s)| (*number, steps::of(s.frame))).collect();
    evidence.images().iter().flat_map(|life| Followed { evidence, steps: &steps, life, unified }.lost()).collect()
}

/// A VkImage that is followed through all frames.
struct Followed<'e, 'a> {
    evidence: &'e Evidence<'a>,
    /// What happens to each image of each structure, and on which queue.
    steps: &'e BTreeMap<u32, Vec<Steps>>,
    life: &'e lives::Life,
    unified: bool,
}

impl Followed<'_, '_> {
    fn lost(&self) -> Vec<Lost> {
        if !self.life.complete || self.life.returning.is_empty() || !self.life.parts.iter().all(|p| self.is_simple(p)) {
            return Vec::new();
        }
        if !self.has_one_queue() {
            return Vec::new();
        }
        // What happens once, when the image is new, is no matter of every frame.
        let returning = &self.life.returning;
        // From the last pass that renders to it to the end of a frame, or all of a frame without one.
        let mut after = Causes::default();
        for part in returning {
            let steps = self.of(part);
            let from = steps.iter().rposition(|s| matches!(s, Step::Rendered { .. })).map_or(0, |at| at + 1);
            let layout = layout_after(&steps[..from], None);
            let Some(causes) = self.causes(&steps[from..], layout) else { return Vec::new() };
            after = and(after, causes);
        }
        // In which layout every frame leaves it, the first one, too.
        let mut ends: BTreeSet<_> = self.life.parts.iter().map(|part| layout_after(self.of(part), None)).collect();
        let end = if ends.len() == 1 { ends.pop_first().flatten() } else { None };
        let eliminating: Vec<&Profile> = self.evidence.profiles.iter().filter(|p| self.eliminates(p)).collect();
        let mut found = Vec::new();
        for part in returning {
            let steps = self.of(part);
            let (mut from, mut first) = (0, true);
            for (at, step) in steps.iter().enumerate() {
                let Step::Rendered { pass, attachment, general, loads } = *step else { continue };
                let layout = layout_after(&steps[..from], end);
                let causes = self.causes(&steps[from..at], layout);
                let causes = causes.map(|causes| if first { and(after.clone(), causes) } else { causes });
                (from, first) = (at + 1, false);
                let Some(mut causes) = causes else { continue };
                causes.general = general && !self.unified;
                // To load what is undefined is another matter, and so is a store that nobody needs.
                if causes.first().is_none() || causes.undefined && loads || self.is_dead(part.0, pass, attachment) {
                    continue;
                }
                let amounts = self.stored(&eliminating, (part.0, pass, attachment));
                if !amounts.is_empty() {
                    found.push(Lost { structure: part.0, pass, attachment, causes, amounts });
                }
            }
        }
        found
    }

    /// One level, one layer, memory of its own.
    fn is_simple(&self, part: &lives::Part) -> bool {
        let image = self.evidence.structures.get(&part.0).and_then(|s| s.frame.images.get(part.1 as usize));
        image.is_some_and(|image: &Image| {
            let own = !image.memory.aliased && image.memory.shared.is_empty();
            own && (image.dimension, image.mips, image.layers) == (FLAT, 1, 1)
        })
    }

    fn of(&self, part: &lives::Part) -> &[Step] {
        self.steps.get(&part.0).and_then(|of_frame| of_frame.get(part.1 as usize)).map_or(&[], |(steps, _)| steps)
    }

    /// Whether all frames use it on one queue: between families an old layout of UNDEFINED stands for a transfer of ownership, too.
    fn has_one_queue(&self) -> bool {
        let of = |part: &lives::Part| self.steps.get(&part.0)?.get(part.1 as usize)?.1;
        let mut queues = self.life.parts.iter().filter_map(of);
        queues.next().is_none_or(|first| queues.all(|other| other == first))
    }

    /// The causes in a stretch between two passes that render to the image; `None` if signatures are lost there by something else, too.
    fn causes(&self, steps: &[Step], mut layout: Option<Layout>) -> Option<Causes> {
        let mut causes = Causes::default();
        for step in steps {
            match step {
                Step::Other => return None,
                Step::Blit => causes.blit = true,
                Step::Undefined => {
                    // Of two the layout before the first is as good as none.
                    causes.real = if causes.undefined { None } else { layout };
                    (causes.undefined, layout) = (true, None);
                }
                Step::In(new) => {
                    layout = Some(*new);
                    match *new {
                        steps::GENERAL if self.unified => {}
                        steps::GENERAL | steps::TRANSFER_DST => drop(causes.layouts.insert(*new)),
                        new if steps::SAFE.contains(&new) => {}
                        _ => return None,
                    }
                }
                Step::Rendered { .. } => {}
            }
        }
        Some(causes)
    }

    /// Whether it is proved that nobody reads what a pass stores.
    fn is_dead(&self, structure: u32, pass: u32, attachment: u32) -> bool {
        let (aspect, operation) = (Aspects::COLOR, Operation::Store);
        let site = Site { structure, pass, attachment, aspect, operation };
        let dead = self.evidence.fate(site).is_some_and(|fate| fate.dead.count() > 0);
        dead && !self.evidence.was_needed(site) && !self.evidence.was_transferred(site)
    }

    /// Whether a GPU eliminates transactions wherever the image is rendered to.
    fn eliminates(&self, profile: &Profile) -> bool {
        let structures = &self.evidence.structures;
        self.life.parts.iter().all(|part| {
            self.of(part).iter().all(|step| {
                let Step::Rendered { pass, attachment, .. } = step else { return true };
                let facts = structures.get(&part.0).map_or(&[][..], |s| s.compression(&profile.id, *pass));
                let mut own = facts.iter().filter(|fact| fact.attachment == *attachment);
                let scheme = own.find(|fact| fact.scheme == TRANSACTION_ELIMINATION);
                scheme.is_some_and(|fact| fact.eligible == Some(true))
            })
        })
    }

    /// Bytes that each of these GPUs stores of an attachment.
    fn stored(&self, gpus: &[&Profile], (structure, pass, attachment): (u32, u32, u32)) -> Amounts {
        let run = |gpu: &Profile| self.evidence.structures.get(&structure).and_then(|s| s.run(&gpu.id, pass));
        let bytes = |gpu: &Profile| -> u64 {
            let entries = run(gpu).map_or(&[][..], |run| &run.ledger.entries);
            let stores = entries.iter().filter(|e| e.attachment == attachment && e.direction == Direction::Write);
            stores.filter(|e| e.basis != Basis::Undecided).map(|e| e.bytes.0).sum()
        };
        let amounts = gpus.iter().map(|gpu| (gpu.id.clone(), (Quantity::Dram, bytes(gpu), Basis::Bound)));
        amounts.filter(|(_, (_, bytes, _))| *bytes > 0).collect()
    }
}

/// The layout after these steps.
fn layout_after(steps: &[Step], before: Option<Layout>) -> Option<Layout> {
    steps.iter().fold(before, |layout, step| match step {
        Step::In(new) => Some(*new),
        Step::Undefined | Step::Other => None,
        Step::Blit | Step::Rendered { .. } => layout,
    })
}

/// Causes of two stretches that follow each other.
fn and(mut causes: Causes, more: Causes) -> Causes {
    // In which layout it is before the only one from UNDEFINED.
    causes.real = match (causes.undefined, more.undefined) {
        (true, true) => None,
        (true, false) => causes.real,
        (false, _) => more.real,
    };
    causes.undefined |= more.undefined;
    causes.layouts.extend(more.layouts);
    causes.blit |= more.blit;
    causes.general |= more.general;
    causes
}

/// The findings that one rule speaks for: one for each pass and image.
pub fn candidates(evidence: &Evidence<'_>, cause: Cause) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for lost in evidence.lost().iter().filter(|lost| lost.causes.first() == Some(cause)) {
        let Some(structure) = evidence.structures.get(&lost.structure) else { continue };
        let image = structure.attachment_id(lost.pass, lost.attachment);
        let label = structure.pass_label(lost.pass);
        let seen = Sighting {
            structure: lost.structure,
            pass: lost.pass,
            attachment: Some(lost.attachment),
            ..Sighting::default()
        };
        gather.add(seen, || Candidate {
            gpus: Some(lost.amounts.keys().cloned().collect()),
            worth: Worth::PerGpu(lost.amounts.clone()),
            fix: fix(&lost.causes, image, label),
            why: why(cause).to_string(),
            ..Candidate::default()
        });
    }
    gather.anywhere()
}

fn why(cause: Cause) -> &'static str {
    match cause {
        Cause::Undefined => {
            "an old layout UNDEFINED throws away what the GPU knows of the tiles in memory, so that it writes all of them again"
        }
        Cause::Layout | Cause::General => {
            "in that layout others may write the image, so that the GPU no longer knows which tiles are in memory and writes all of them again"
        }
        Cause::Blit => {
            "a blit writes past what the GPU knows of the tiles in memory, so that it writes all of them again"
        }
    }
}

/// Everything that has to change: while one cause is left, the others cost nothing.
fn fix(causes: &Causes, image: &str, label: &str) -> String {
    let mut steps = Vec::new();
    if causes.blit {
        steps.push(format!("draw in {label} what vkCmdBlitImage writes to {image}"));
    }
    if causes.general {
        steps.push(format!("render to {image} in {label} in layout COLOR_ATTACHMENT_OPTIMAL, not GENERAL"));
    }
    let between: Vec<&str> = causes.layouts.iter().filter(|_| !causes.blit).map(|layout| name(*layout)).collect();
    let uses = "SHADER_READ_ONLY_OPTIMAL is enough to sample it, TRANSFER_SRC_OPTIMAL to copy from it";
    if causes.general {
        steps.push(uses.to_string());
    } else if !between.is_empty() {
        steps.push(format!("keep {image} out of layout {} before {label}: {uses}", between.join(" and ")));
    }
    if causes.undefined {
        let real = causes.real.map_or("the layout that it has".to_string(), |layout| name(layout).to_string());
        steps.push(format!(
            "name {real} as old or initial layout of {image} before {label}, not UNDEFINED, but when the image is new"
        ));
    }
    let text = steps.join("; ");
    // Steps begin with a word of plain letters.
    let (first, rest) = text.split_at(1.min(text.len()));
    format!("{}{rest}", first.to_ascii_uppercase())
}

/// Name of one of the layouts that are told apart.
fn name(layout: Layout) -> &'static str {
    match layout {
        steps::GENERAL => "GENERAL",
        steps::TRANSFER_DST => "TRANSFER_DST_OPTIMAL",
        steps::COLOR_ATTACHMENT => "COLOR_ATTACHMENT_OPTIMAL",
        steps::SHADER_READ_ONLY => "SHADER_READ_ONLY_OPTIMAL",
        steps::TRANSFER_SRC => "TRANSFER_SRC_OPTIMAL",
        steps::PRESENT_SRC => "PRESENT_SRC_KHR",
        _ => "its layout",
    }
}
