//! Which subpasses Arm's own driver merges, by Arm's documented rules
//! (Khronos Vulkan-Samples, samples/performance/subpasses/README.adoc).
//!
//! A subpass joins the open tile pass if it shares data with it, the depth/stencil attachment stays, sample counts and views
//! agree, dependencies are by region and stay in framebuffer space, at most eight attachments are input or colour, and colour
//! fits. Above the documented colour budget the documents say both "smaller tiles" and "no merge"; the one published
//! measurement there (288 bits on a GPU with 256) fits a merge with half a tile, so that is the answer down to 128 pixels, with
//! "not merged" as the alternative, unless a user knows better ([`OverBudget`]).

use super::tile::{Hardware, tile_buffer_bytes};
use crate::frame::{Dependency, SUBPASS_EXTERNAL, Subpass};
use crate::gpu::merge::{Alternative, Grouping, MergeBasis, MergeStatus, Verdict};
use crate::gpu::{OverBudget, stages};
use crate::model::PassView;
use alloc::boxed::Box;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Attachments used as input or colour in one tile pass.
const MOST_ATTACHMENTS: usize = 8;
/// Pixels of the smallest tile with which a merge has been measured.
const SMALLEST_MERGED_TILE: u64 = 128;

/// The tile passes of a render pass. Above the documented colour budget the driver does as `chosen`.
pub fn grouping(hardware: Hardware, chosen: OverBudget, view: &PassView<'_>) -> Arc<Grouping> {
    /// A budget without end.
    #[derive(PartialEq)]
    struct Unlimited;
    let subpasses = view.pass.subpasses.len();
    if subpasses <= 1 {
        return Grouping::apart(view, MergeStatus::SingleSubpass, "");
    }
    // How much colour a GPU takes counts only where there is more.
    let (needed, unlimited) = view.shape().by(Unlimited, |_| {
        let mut most = 0;
        let grouping = Grouping::greedy(subpasses, |open, next| {
            most = join(view, open, next)?.bits.max(most);
            Ok(())
        });
        (most, Arc::new(grouping))
    });
    if needed <= hardware.merge_bits {
        unlimited
    } else {
        view.shape().by((hardware, chosen), |_| limited(hardware, chosen, view))
    }
}

/// The same where the colour budget decides.
fn limited(hardware: Hardware, chosen: OverBudget, view: &PassView<'_>) -> Arc<Grouping> {
    let group = |policy, over_budget: &mut bool| {
        Grouping::greedy(view.pass.subpasses.len(), |open, next| {
            let merged = join(view, open, next)?;
            merged.fits(hardware, policy)?;
            *over_budget |= merged.bits > hardware.merge_bits;
            Ok(())
        })
    };
    let mut over_budget = false;
    let mut primary = group(chosen, &mut over_budget);
    if over_budget {
        let grouping = Arc::new(group(OverBudget::NotMerged, &mut over_budget));
        let note = "other releases of the driver: no merge above the documented colour budget".into();
        primary.basis = MergeBasis::Inferred;
        primary.alternative = Some(Box::new(Alternative { note, grouping, plans: None }));
    }
    Arc::new(primary)
}

/// What a tile pass takes on chip.
struct Merged {
    /// Colour bits per pixel.
    bits: u64,
    /// Samples per pixel.
    samples: u32,
}

/// The tile pass that `next` joins, or why it cannot join, but for the colour budget.
fn join(view: &PassView<'_>, open: &[usize], next: usize) -> Result<Merged, Verdict> {
    let no = |status, note| Err(Verdict::new(status, note));
    let subpasses = &view.pass.subpasses;
    let members: Vec<&Subpass> = open.iter().chain([&next]).filter_map(|s| subpasses.get(*s)).collect();
    let (Some(joining), Some(first)) = (subpasses.get(next), members.first()) else {
        return no(MergeStatus::Unspecified, "not a subpass".into());
    };
    if joining.view_mask != first.view_mask {
        return no(
            MergeStatus::ViewsMismatch,
            format!("view mask {:#x} after {:#x}", joining.view_mask, first.view_mask),
        );
    }
    let mut samples = members.iter().flat_map(|s| targets(s)).map(|a| view.samples_on_chip(a));
    if samples.next().is_some_and(|first| samples.any(|other| other != first)) {
        return no(MergeStatus::SamplesMismatch, "attachments of different sample counts".into());
    }
    let before = &members[..members.len() - 1];
    let depths = |s: &&Subpass| [s.depth, s.stencil].into_iter().flatten().map(|u| u.attachment);
    let (old, new) = (distinct(before.iter().flat_map(depths)), distinct(depths(&joining)));
    if !old.is_empty() && !new.is_empty() && old != new {
        let name = new.iter().find(|a| !old.contains(a)).or(old.first()).copied().unwrap_or_default();
        return no(
            MergeStatus::DepthStencilCount,
            format!("the depth/stencil attachment changes to attachment {name}"),
        );
    }
    if let Some(d) = view.pass.dependencies.iter().find(|d| reaches(d, open, next) && !is_local(d)) {
        let why = if d.flags & Dependency::BY_REGION == 0 {
            "is not by region"
        } else if d.view_offset != 0 {
            "is on another view"
        } else {
            "leaves framebuffer space"
        };
        return no(MergeStatus::Dependencies, format!("the dependency from subpass {} {why}", d.src));
    }
    let resolved = |attachment| before.iter().any(|s| s.resolve.iter().flatten().any(|r| r.attachment == attachment));
    if let Some(input) = joining.input.iter().flatten().find(|i| resolved(i.attachment)) {
        let note = format!("attachment {} is resolved before and read as input attachment", input.attachment);
        return no(MergeStatus::ResolveAttachmentReuse, note);
    }
    let made = |attachment| before.iter().any(|s| targets(s).any(|a| a == attachment));
    if !targets(joining).chain(joining.input.iter().flatten().map(|i| i.attachment)).any(made) {
        return no(MergeStatus::Unspecified, "it uses nothing that the subpasses before it render to".into());
    }
    let counted = distinct(members.iter().flat_map(|s| s.color.iter().chain(&s.input).flatten()).map(|u| u.attachment));
    if counted.len() > MOST_ATTACHMENTS {
        let note = format!("{} attachments are input or colour, {MOST_ATTACHMENTS} may be", counted.len());
        return no(MergeStatus::TooManyAttachments, note);
    }
    let bits = color_bytes(view, &members).map_or(0, |slots| slots.iter().sum::<u64>().saturating_mul(8));
    let samples = members.iter().map(|s| view.samples(s)).max().unwrap_or(1);
    Ok(Merged { bits, samples })
}

impl Merged {
    /// Why the budget does not allow it.
    fn fits(&self, hardware: Hardware, policy: OverBudget) -> Result<(), Verdict> {
        let (bits, budget) = (self.bits, hardware.merge_bits);
        let smallest = hardware.tile(&[Some(bits / 8)], self.samples).pixels;
        let note = match policy {
            OverBudget::NotMerged if bits > budget => format!("{bits} colour bits per pixel, {budget} fit"),
            OverBudget::SmallerTiles if bits > budget && smallest < SMALLEST_MERGED_TILE => {
                format!("{bits} colour bits per pixel leave a tile of {smallest} pixels, {budget} fit a whole one")
            }
            _ => return Ok(()),
        };
        Err(Verdict::new(MergeStatus::InsufficientStorage, note))
    }
}

/// Tile-buffer bytes of each colour attachment of these subpasses, each once; `None` if a format is unknown.
pub fn color_bytes(view: &PassView<'_>, members: &[&Subpass]) -> Option<Vec<u64>> {
    distinct(members.iter().flat_map(|s| s.color.iter().flatten()).map(|u| u.attachment))
        .into_iter()
        .map(|a| {
            let samples = u64::from(view.samples_on_chip(a));
            Some(tile_buffer_bytes(view.format(a)?).saturating_mul(samples))
        })
        .collect()
}

/// Attachments that a subpass renders to.
fn targets(subpass: &Subpass) -> impl Iterator<Item = u32> + '_ {
    subpass.color.iter().chain([&subpass.depth, &subpass.stencil]).flatten().map(|u| u.attachment)
}

/// These attachments, each once and in order.
fn distinct(attachments: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut distinct: Vec<u32> = attachments.collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// Whether the dependency orders `next` after a member of the open group.
pub(super) fn reaches(dependency: &Dependency, open: &[usize], next: usize) -> bool {
    dependency.src != SUBPASS_EXTERNAL && dependency.dst as usize == next && open.contains(&(dependency.src as usize))
}

/// Whether it can be met pixel by pixel.
pub(super) fn is_local(dependency: &Dependency) -> bool {
    dependency.flags & Dependency::BY_REGION != 0
        && dependency.view_offset == 0
        && (dependency.src_stages | dependency.dst_stages) & !stages::FRAMEBUFFER == 0
}
