//! Which subpasses v3dv puts into one job, and what each job loads, clears, stores and resolves.
//!
//! Rules as in Mesa 25.0.7, src/broadcom/vulkan/v3dv_cmd_buffer.c and v3dvx_cmd_buffer.c. Only consecutive subpasses with the
//! very same attachments share a job. Contents that a later job needs go to memory and come back; a render area that is not a
//! multiple of the tile is loaded before it is stored, since tiles are stored whole. Input attachments are always read as
//! textures.

use super::tile::internal;
use crate::frame::{Aspects, LoadOp, Pass, StoreOp, Subpass};
use crate::gpu::merge::{Grouping, MergeStatus, Verdict};
use crate::model::{Movement, PassView, Walk};
use crate::report::{Basis, Direction};
use crate::units::Extent2D;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec::Vec;

/// The jobs of a render pass.
pub fn grouping(view: &PassView<'_>) -> Grouping {
    let subpasses = &view.pass.subpasses;
    Grouping::greedy(subpasses.len(), |open, next| {
        let (Some(last), Some(next)) = (open.last().and_then(|s| subpasses.get(*s)), subpasses.get(next)) else {
            return Err(Verdict::new(MergeStatus::Unspecified, "not a subpass"));
        };
        join(last, next, *open.last().unwrap_or(&0))
    })
}

/// Whether `next` goes on with the job of the subpass before it, `last`, which has the index `index`.
fn join(last: &Subpass, next: &Subpass, index: usize) -> Result<(), Verdict> {
    let no = |status, note| Err(Verdict::new(status, note));
    let depth = |s: &Subpass| s.depth.or(s.stencil).map(|u| u.attachment);
    let colors = |s: &Subpass| s.color.iter().map(|slot| slot.map(|u| u.attachment)).collect::<Vec<_>>();
    let named = |a: Option<u32>| a.map_or_else(|| "none".into(), |a| format!("attachment {a}"));
    if !last.barriers.is_empty() {
        return no(MergeStatus::Unspecified, format!("a barrier inside subpass {index} ends its job"));
    }
    if depth(last) != depth(next) {
        let note =
            format!("the depth/stencil attachment changes from {} to {}", named(depth(last)), named(depth(next)));
        return no(MergeStatus::DepthStencilCount, note);
    }
    if last.view_mask != next.view_mask {
        let note = format!("view mask {:#x} after {:#x}", next.view_mask, last.view_mask);
        return no(MergeStatus::ViewsMismatch, note);
    }
    let (old, new) = (colors(last), colors(next));
    if old.len() != new.len() {
        let note = format!("{} colour slots after {}: a job has the same ones all through", new.len(), old.len());
        return no(MergeStatus::Unspecified, note);
    }
    if let Some(slot) = (0..old.len()).find(|slot| old[*slot] != new[*slot]) {
        let note = format!("colour slot {slot} changes from {} to {}", named(old[slot]), named(new[slot]));
        return no(MergeStatus::Unspecified, note);
    }
    let targets = |s: &Subpass| -> BTreeSet<u32> {
        s.resolve.iter().chain([&s.depth_resolve, &s.stencil_resolve]).flatten().map(|r| r.attachment).collect()
    };
    // A list of resolve targets counts, even where all of them are unused.
    let resolves = |s: &Subpass| !s.resolve.is_empty() || !targets(s).is_empty();
    if let Some(input) = next.input.iter().flatten().find(|i| targets(last).contains(&i.attachment)) {
        let note = format!("attachment {} is resolved before and read as input attachment", input.attachment);
        return no(MergeStatus::ResolveAttachmentReuse, note);
    }
    if resolves(last) || resolves(next) {
        let which = if resolves(last) { "the subpass before it" } else { "it" };
        return no(MergeStatus::Unspecified, format!("{which} has resolve attachments, which end a job"));
    }
    Ok(())
}

/// Whether the render area covers whole tiles. At its right and lower edge a VkFramebuffer is padded, dynamic rendering is not.
pub fn is_tile_aligned(pass: &Pass, tile: Extent2D) -> bool {
    let along = |offset: i32, size: u32, limit: u32, step: u32| {
        let step = step.max(1);
        let reaches_edge = !pass.dynamic && i64::from(offset) + i64::from(size) == i64::from(limit);
        i64::from(offset) % i64::from(step) == 0 && (size % step == 0 || reaches_edge)
    };
    let (area, extent) = (pass.render_area, pass.extent);
    along(area.x, area.extent.width, extent.width, tile.width)
        && along(area.y, area.extent.height, extent.height, tile.height)
}

/// What a job does with one aspect of an attachment that it renders to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobOperation {
    /// Index of the job.
    pub job: usize,
    /// Index of the attachment.
    pub attachment: u32,
    /// One aspect.
    pub aspect: Aspects,
    /// Loaded before the first draw.
    pub load: bool,
    /// Cleared in the tile buffer; a clear that is asked for and not made there is a draw.
    pub clears_on_chip: bool,
    /// Stored behind the last draw.
    pub store: bool,
    /// How it is resolved, if it is.
    pub resolve: Option<Resolve>,
}

/// How an attachment is resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolve {
    /// By the store.
    TileBuffer,
    /// By a shader that reads all samples from memory afterwards.
    Shader,
}

/// What the jobs of a pass do with the attachments that they render to, in order of attachment, aspect and job.
pub fn operations(walk: &Walk<'_>) -> Vec<JobOperation> {
    let mut jobs_of: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for used in walk.uses.iter() {
        jobs_of.entry(used.attachment).or_default().extend(used.uses.keys());
    }
    let mut found = Vec::new();
    for used in walk.uses.iter() {
        let Some(attachment) = walk.view.attachment(used.attachment) else { continue };
        let (load, store) = if used.aspect == Aspects::STENCIL {
            (attachment.stencil_load, attachment.stencil_store)
        } else {
            (attachment.load, attachment.store)
        };
        let jobs = jobs_of.get(&used.attachment);
        for (&job, here) in used.uses.iter().filter(|(_, here)| here.target) {
            // Any use counts, as input attachment or resolve target too, and of either aspect.
            let earlier = jobs.and_then(BTreeSet::first).is_some_and(|first| *first < job);
            let later = jobs.and_then(BTreeSet::last).is_some_and(|last| *last > job);
            let tile = walk.plans.get(job).map_or(Extent2D::new(1, 1), |plan| plan.granularity);
            let aligned = is_tile_aligned(walk.view.pass, tile);
            let kept = later || store == StoreOp::Store;
            let resolvable = used.aspect != Aspects::COLOR
                || walk.view.format(used.attachment).and_then(internal).is_some_and(|internal| internal.resolves);
            let resolve =
                here.resolved.then_some(if aligned && resolvable { Resolve::TileBuffer } else { Resolve::Shader });
            found.push(JobOperation {
                job,
                attachment: used.attachment,
                aspect: used.aspect,
                load: earlier || (!aligned && kept) || load == LoadOp::Load,
                clears_on_chip: aligned && !earlier && load == LoadOp::Clear,
                store: kept || resolve == Some(Resolve::Shader),
                resolve,
            });
        }
    }
    found
}

/// What moves for them.
pub fn movements(walk: &Walk<'_>) -> Vec<Movement> {
    let (read, write) = (Direction::Read, Direction::Write);
    let operations = operations(walk);
    let mut found = Vec::new();
    for used in walk.uses.iter() {
        let own = |aspect| {
            let of = move |o: &&JobOperation| o.attachment == used.attachment && o.aspect == aspect;
            operations.iter().filter(of).map(|o| (o.job, (o.load, o.store))).collect::<BTreeMap<_, _>>()
        };
        let packed = walk.view.format(used.attachment).is_some_and(crate::format::Info::packs_depth_stencil);
        let other = match used.aspect {
            Aspects::DEPTH if packed => Some(own(Aspects::STENCIL)),
            Aspects::STENCIL if packed => Some(own(Aspects::DEPTH)),
            _ => None,
        };
        for (job, (load, store)) in own(used.aspect) {
            // Half a word of memory moves with the other half or not.
            let twin = other.as_ref().map(|o| o.get(&job).copied().unwrap_or_default());
            let basis = |own: bool, twin: Option<bool>| match twin {
                Some(twin) if twin != own => Basis::Estimate,
                _ => Basis::Exact,
            };
            if load {
                found.push(Movement::new(job, used, read, "load", basis(load, twin.map(|t| t.0))));
            }
            if store {
                found.push(Movement::new(job, used, write, "store", basis(store, twin.map(|t| t.1))));
            }
        }
        let shader = |o: &&JobOperation| o.attachment == used.attachment && o.resolve == Some(Resolve::Shader);
        for operation in operations.iter().filter(shader).filter(|o| o.aspect == used.aspect) {
            found.push(Movement::new(operation.job, used, read, "resolve_read", Basis::Exact));
        }
        for (&job, here) in &used.uses {
            if here.resolve {
                found.push(Movement::new(job, used, write, "resolve", Basis::Exact));
            }
            if here.reads && here.drawn {
                // Once per pixel: overdraw and caches pull in opposite directions.
                found.push(Movement::new(job, used, read, "input", Basis::Estimate));
            }
        }
    }
    found
}
