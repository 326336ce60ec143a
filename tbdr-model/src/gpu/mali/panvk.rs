//! Which subpasses Mesa's panvk merges from generation 10 on (Mesa main of 2025 and 2026; rules read, not run).
//!
//! From each subpass on, the range is extended while the next subpass can join it: dependencies stay in framebuffer space,
//! depth and stencil attachments stay, every colour attachment finds a slot. The range is then judged: it is given up if
//! nothing that its first subpass wrote is used again in it, and shortened while its colour exceeds the tile buffer.

use super::merge::{is_local, reaches};
use super::tile::tile_buffer_bytes;
use crate::frame::{ResolveUse, Subpass};
use crate::gpu::merge::{Grouping, MergeStatus, Verdict};
use crate::model::PassView;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

/// Pixels of the tile that a merged range has to fit.
const TILE_PIXELS: u64 = 256;

/// Limits of a merged range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of colour that a tile may take.
    pub budget: u64,
    /// Colour attachments of a tile pass.
    pub color_attachments: usize,
}

/// The tile passes of a render pass.
pub fn grouping(limits: Limits, view: &PassView<'_>) -> Grouping {
    let subpasses = &view.pass.subpasses;
    if subpasses.len() <= 1 {
        return Grouping::separate(subpasses.len(), MergeStatus::SingleSubpass, "");
    }
    let mut grouping = Grouping::default();
    let mut opens = Verdict::first();
    let mut first = 0;
    while first < subpasses.len() {
        let mut group = alloc::vec![first];
        let mut ends = Verdict::first();
        for next in first + 1..subpasses.len() {
            match join(limits, view, &group, next) {
                Ok(()) => group.push(next),
                Err(why) => {
                    ends = why;
                    break;
                }
            }
        }
        while group.len() > 1 {
            if !is_used_again(subpasses, &group) {
                ends = Verdict::new(
                    MergeStatus::Unspecified,
                    format!("nothing that subpass {first} writes is used again in the subpasses it could merge with"),
                );
                group.truncate(1);
            } else if let Some(bytes) = over_budget(limits, view, &group) {
                let fits = limits.budget;
                ends = Verdict::new(
                    MergeStatus::InsufficientStorage,
                    format!("{bytes} bytes of colour per tile of {TILE_PIXELS} pixels, {fits} fit"),
                );
                group.pop();
            } else {
                break;
            }
        }
        first += group.len();
        grouping.verdicts.push(core::mem::replace(&mut opens, ends));
        grouping.verdicts.extend(group.iter().skip(1).map(|_| Verdict::merged()));
        grouping.groups.push(group);
    }
    grouping
}

/// Why `next` cannot join the range.
fn join(limits: Limits, view: &PassView<'_>, range: &[usize], next: usize) -> Result<(), Verdict> {
    let subpasses = &view.pass.subpasses;
    let Some(joining) = subpasses.get(next) else { return Ok(()) };
    let members = || range.iter().filter_map(|s| subpasses.get(*s));
    let no = |status, note| Err(Verdict::new(status, note));
    // A tile pass renders to one set of views.
    if let Some(other) = members().find(|s| s.view_mask != joining.view_mask) {
        let note = format!("view mask {:#x} after {:#x}", joining.view_mask, other.view_mask);
        return no(MergeStatus::ViewsMismatch, note);
    }
    if members().chain([joining]).any(|s| s.shading_rate.is_some()) {
        return no(MergeStatus::Unspecified, "a fragment shading rate attachment".into());
    }
    let dithers = |s: &Subpass| s.flags & Subpass::LEGACY_DITHERING;
    if members().any(|s| dithers(s) != dithers(joining)) {
        return no(MergeStatus::Unspecified, "another kind of dithering".into());
    }
    if let Some(other) = members().find(|s| s.samples != joining.samples) {
        let note = format!("{} samples on chip only after {}", joining.samples, other.samples);
        return no(MergeStatus::SamplesMismatch, note);
    }
    for (of, what) in [(depth_mode as fn(&Subpass) -> Option<u32>, "depth"), (stencil_mode, "stencil")] {
        let own = of(joining);
        if own.is_some() && members().filter_map(of).any(|mode| Some(mode) != own) {
            return no(MergeStatus::Unspecified, format!("another {what} resolve mode"));
        }
    }
    if let Some(d) = view.pass.dependencies.iter().find(|d| reaches(d, range, next) && !is_local(d)) {
        let note = format!("the dependency from subpass {} is not by region or leaves framebuffer space", d.src);
        return no(MergeStatus::Dependencies, note);
    }
    let depth = |s: &Subpass| [s.depth, s.stencil].map(|used| used.map(|u| u.attachment));
    for own in depth(joining).into_iter().flatten() {
        if let Some(other) = members().flat_map(depth).flatten().find(|other| *other != own) {
            let note = format!("the depth/stencil attachment changes from attachment {other} to {own}");
            return no(MergeStatus::DepthStencilCount, note);
        }
    }
    let colors: BTreeSet<u32> = members().chain([joining]).flat_map(colors).collect();
    if colors.len() > limits.color_attachments {
        let note = format!("{} colour attachments, {} may be", colors.len(), limits.color_attachments);
        return no(MergeStatus::TooManyAttachments, note);
    }
    Ok(())
}

fn depth_mode(subpass: &Subpass) -> Option<u32> {
    mode(subpass.depth_resolve)
}

fn stencil_mode(subpass: &Subpass) -> Option<u32> {
    mode(subpass.stencil_resolve)
}

fn mode(resolve: Option<ResolveUse>) -> Option<u32> {
    resolve.map(|r| r.mode).filter(|mode| *mode != 0)
}

/// Colour attachments of the slots before the first unused one: the driver looks no further.
fn colors(subpass: &Subpass) -> impl Iterator<Item = u32> + '_ {
    subpass.color.iter().map_while(|slot| slot.map(|used| used.attachment))
}

/// Whether something that the first subpass of the range writes is used in the rest of it.
fn is_used_again(subpasses: &[Subpass], range: &[usize]) -> bool {
    let mut members = range.iter().filter_map(|s| subpasses.get(*s));
    let targets = |s: &Subpass| {
        let all = s.color.iter().chain([&s.depth, &s.stencil]).flatten();
        all.map(|used| used.attachment).collect::<Vec<_>>()
    };
    let written = members.next().map(targets).unwrap_or_default();
    members.any(|s| {
        let inputs = s.input.iter().flatten().map(|used| used.attachment);
        targets(s).into_iter().chain(inputs).any(|used| written.contains(&used))
    })
}

/// Bytes of colour per tile of the range, if they are more than fit.
fn over_budget(limits: Limits, view: &PassView<'_>, range: &[usize]) -> Option<u64> {
    let members = range.iter().filter_map(|s| view.pass.subpasses.get(*s));
    let unique: BTreeSet<u32> = members.flat_map(colors).collect();
    let mut bytes = 0u64;
    for attachment in unique {
        let samples = u64::from(view.samples_on_chip(attachment));
        bytes = bytes.saturating_add(tile_buffer_bytes(view.format(attachment)?).saturating_mul(samples));
    }
    let bytes = bytes.saturating_mul(TILE_PIXELS);
    (bytes > limits.budget).then_some(bytes)
}
