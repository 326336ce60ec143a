//! The accesses of a frame by image and by transfer, for rules that ask what happens next to what something wrote.
//!
//! Input is the list of a frame's accesses in execution order; building it is linear in them. It knows of one frame alone: whether
//! anybody else may come between is [`Evidence::is_alone`](super::Evidence::is_alone)'s to say.

use super::Structure;
use crate::frame::{Aspects, Attachment, AttachmentUse, HOST_QUEUE, ImageRef, LoadOp, StoreOp, Subpass};
use crate::graph::liveness::may_be_reached_by_shaders;
use crate::graph::{Access, Event, Maker};
use crate::model::is_read_only;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Further accesses to one image than this are not looked through for the next use of a part of it.
const MOST_LOOKED_THROUGH: usize = 256;
/// VK_IMAGE_TYPE_3D.
const VOLUME: u32 = 2;

/// Where the accesses of a frame to each image stand.
pub struct Timeline<'s, 'a> {
    structure: &'s Structure<'a>,
    by_image: BTreeMap<u32, Vec<usize>>,
    by_transfer: BTreeMap<u32, Vec<usize>>,
}

/// A transfer of which everything that it writes is loaded by one pass before anything else happens to it.
#[derive(Clone, Debug)]
pub struct LoadedNext {
    /// The pass.
    pub pass: u32,
    /// Attachments and aspects that load it.
    pub loads: Vec<(u32, Aspects)>,
    /// What the transfer writes.
    pub image: ImageRef,
    /// What it reads, if that is an image.
    pub source: Option<ImageRef>,
    /// The queue.
    pub queue: u32,
    /// Position of its first access.
    from: usize,
    /// Number of the operation that loads.
    until: u32,
}

impl<'s, 'a> Timeline<'s, 'a> {
    /// Of a frame.
    pub fn new(structure: &'s Structure<'a>) -> Self {
        let (mut by_image, mut by_transfer): (BTreeMap<u32, Vec<usize>>, BTreeMap<u32, Vec<usize>>) =
            Default::default();
        for (at, access) in structure.accesses.list.iter().enumerate() {
            by_image.entry(access.image.0).or_default().push(at);
            if let Maker::Transfer(transfer) = access.by {
                by_transfer.entry(transfer).or_default().push(at);
            }
        }
        Self { structure, by_image, by_transfer }
    }

    fn at(&self, position: usize) -> Option<&'a Access> {
        self.structure.accesses.list.get(position)
    }

    /// The accesses of an image behind a position, with their positions.
    fn later(&self, image: ImageRef, behind: usize) -> impl Iterator<Item = (usize, &'a Access)> + '_ {
        let all = self.by_image.get(&image.0).map_or(&[][..], Vec::as_slice);
        let next = all.partition_point(|at| *at <= behind);
        all[next..].iter().filter_map(|at| Some((*at, self.at(*at)?)))
    }

    /// A queue that uses an image in the frame, other than the host.
    pub fn queue_of(&self, image: ImageRef) -> Option<u32> {
        let all = self.by_image.get(&image.0).into_iter().flatten();
        all.filter_map(|at| self.at(*at)).map(|a| a.queue).find(|queue| *queue != HOST_QUEUE)
    }

    /// Whether shaders of which nothing is known ran between two positions.
    fn unseen_between(&self, from: usize, to: usize) -> bool {
        let unseen = &self.structure.accesses.unseen;
        let first = unseen.partition_point(|u| u.before <= from);
        unseen.get(first).is_some_and(|u| u.before <= to)
    }

    /// What a transfer reads and writes.
    pub fn transfer(&self, transfer: u32) -> impl Iterator<Item = &'a Access> + '_ {
        self.by_transfer.get(&transfer).into_iter().flatten().filter_map(|at| self.at(*at))
    }

    /// The first thing that a pass's load or clear does to what a transfer wrote, if that is what comes next: number of the pass, and
    /// whether it clears.
    pub fn overwritten_by(&self, transfer: u32) -> Option<(u32, bool)> {
        let last = *self.by_transfer.get(&transfer)?.last()?;
        let image = self.at(last)?.image;
        let (_, next) = self.later(image, last).find(|(_, a)| a.event != Event::Transition)?;
        match (next.by, next.event) {
            (Maker::LoadOp { pass, .. }, Event::Overwrite) => Some((pass, true)),
            (Maker::LoadOp { pass, .. }, Event::DontCare) => Some((pass, false)),
            _ => None,
        }
    }

    /// Whether a pass loads exactly what a transfer wrote, as the next that happens to it.
    pub fn loaded_next(&self, transfer: u32) -> Option<LoadedNext> {
        let positions = self.by_transfer.get(&transfer)?;
        let (from, last) = (*positions.first()?, *positions.last()?);
        let of_transfer = || positions.iter().filter_map(|at| self.at(*at));
        let is_write = |a: &&Access| !matches!(a.event, Event::Read(_));
        let first = of_transfer().find(is_write)?;
        let (image, queue) = (first.image, first.queue);
        let described = self.structure.frame.images.get(image.0 as usize)?;
        if queue == HOST_QUEUE || described.dimension == VOLUME {
            return None;
        }
        let mut found: Option<(u32, u32)> = None;
        let mut loads = Vec::new();
        for write in of_transfer().filter(is_write) {
            let overlaps = |(_, a): &(usize, &Access)| a.aspect == write.aspect && meet(a, write);
            let (at, next) = self.later(image, last).take(MOST_LOOKED_THROUGH).find(overlaps)?;
            let Event::Load { pass, attachment } = next.event else { return None };
            let level = described.extent.mip(write.range.base_mip);
            let clipped = |a: &Access| {
                let size = [level.width, level.height].map(u64::from);
                [0, 1].map(|axis| (a.rect.from[axis].min(size[axis]), a.rect.to[axis].min(size[axis])))
            };
            let same = (write.range.base_mip, write.range.mips, write.range.base_layer, write.range.layers)
                == (next.range.base_mip, next.range.mips, next.range.base_layer, next.range.layers)
                && clipped(write) == clipped(next);
            let by_shaders = may_be_reached_by_shaders(described) && self.unseen_between(from, at);
            let one_pass = found.is_none_or(|known| known == (pass, next.op));
            if !same || !one_pass || by_shaders || next.queue != queue {
                return None;
            }
            found = Some((pass, next.op));
            loads.push((attachment, write.aspect));
        }
        let (pass, until) = found?;
        // What the shaders of the pass read of it beside.
        let read = self.later(image, last).take_while(|(_, a)| a.op <= until || a.queue != queue);
        if read.filter(|(_, a)| a.op == until).any(|(_, a)| matches!(a.event, Event::Read(_))) {
            return None;
        }
        let kept = |(attachment, aspect): &(u32, Aspects)| self.takes_over(pass, *attachment, *aspect);
        if !loads.iter().all(kept) {
            return None;
        }
        loads.dedup();
        let source = of_transfer().find(|a| matches!(a.event, Event::Read(_))).map(|a| a.image);
        Some(LoadedNext { pass, loads, image, source, queue, from, until })
    }

    /// Whether memory holds what the pass makes of an attachment afterwards, in the image's own format, and nothing samples it meanwhile.
    fn takes_over(&self, pass: u32, attachment: u32, aspect: Aspects) -> bool {
        let Some(described) = self.structure.attachment(pass, attachment) else { return false };
        let feedback = self.structure.pass(pass).is_some_and(|pass| {
            let uses = pass.subpasses.iter().flat_map(crate::frame::Subpass::targets);
            uses.filter(|used| used.attachment == attachment).any(|used| used.feedback)
        });
        let same_format = self.structure.image(described).is_some_and(|image| image.format == described.format);
        let loads = load_of(described, aspect) == LoadOp::Load;
        loads
            && self.is_rendered_first(pass, attachment, aspect)
            && same_format
            && !feedback
            && store_of(described, aspect) != StoreOp::None
    }

    /// Whether the first subpass that uses an attachment may write this aspect of it: only then can it be cleared or drawn first.
    fn is_rendered_first(&self, pass: u32, attachment: u32, aspect: Aspects) -> bool {
        let is_it = |used: &&AttachmentUse| used.attachment == attachment;
        let uses = |s: &&Subpass| s.targets().chain(s.input.iter().flatten()).any(|used| is_it(&used));
        let first = self.structure.pass(pass).and_then(|pass| pass.subpasses.iter().find(uses));
        first.is_some_and(|s| {
            let input = s.input.iter().flatten().any(|used| is_it(&used));
            let mut writable = s.targets().filter(is_it).filter(|used| !is_read_only(used.layout, aspect));
            !input && writable.next().is_some()
        })
    }

    /// Whether the source of a transfer holds the same until the pass that loads what it wrote is over.
    pub fn source_is_kept(&self, found: &LoadedNext) -> bool {
        let Some(source) = found.source.filter(|source| *source != found.image) else { return false };
        let Some(described) = self.structure.frame.images.get(source.0 as usize) else { return false };
        let last = self.structure.accesses.list.len();
        let until =
            self.later(source, found.from).take_while(|(_, a)| a.op <= found.until).take(MOST_LOOKED_THROUGH + 1);
        let used: Vec<_> = until.collect();
        // The pass reads it to its end.
        let list = &self.structure.accesses.list;
        let end = list.iter().rposition(|a| a.op == found.until && a.queue == found.queue).map_or(last, |at| at + 1);
        let reads = |a: &Access| matches!(a.event, Event::Read(_)) && !matches!(a.by, Maker::LoadOp { .. });
        used.len() <= MOST_LOOKED_THROUGH
            && used.iter().all(|(_, a)| a.queue == found.queue && reads(a))
            && !(may_be_reached_by_shaders(described) && self.unseen_between(found.from, end))
    }
}

/// Whether two accesses share a subresource and a texel.
fn meet(a: &Access, b: &Access) -> bool {
    let share = |from: u32, count: u32, other: u32, others: u32| {
        from < other.saturating_add(others) && other < from.saturating_add(count)
    };
    share(a.range.base_mip, a.range.mips, b.range.base_mip, b.range.mips)
        && share(a.range.base_layer, a.range.layers, b.range.base_layer, b.range.layers)
        && a.rect.meets(&b.rect)
}

/// loadOp of an aspect.
pub fn load_of(attachment: &Attachment, aspect: Aspects) -> LoadOp {
    if aspect == Aspects::STENCIL { attachment.stencil_load } else { attachment.load }
}

/// storeOp of an aspect.
pub fn store_of(attachment: &Attachment, aspect: Aspects) -> StoreOp {
    if aspect == Aspects::STENCIL { attachment.stencil_store } else { attachment.store }
}
