//! Compression facts of the attachments of a pass, as the family answers them, in the report's form.

use super::PassView;
use crate::frame::{ImageCompression, Subpass};
use crate::gpu::{self, Grouping, Plan, Profile};
use crate::report::Compression;
use crate::units::Extent2D;
use alloc::vec::Vec;

/// Adds what is known of each attachment that some subpass uses.
pub fn facts(
    view: &PassView<'_>,
    profile: &Profile,
    grouping: &Grouping,
    plans: &[Plan],
    facts: &mut Vec<Compression>,
) {
    // Each attachment with the first tile pass that uses it.
    let mut first: Vec<(u32, usize)> = Vec::new();
    for (at, group) in grouping.groups.iter().enumerate() {
        for attachment in group.iter().filter_map(|s| view.pass.subpasses.get(*s)).flat_map(attachments) {
            first.push((attachment, at));
        }
    }
    first.sort_unstable();
    first.dedup_by_key(|(attachment, _)| *attachment);
    let mut found = Vec::new();
    for (attachment, at) in first {
        let Some(plan) = plans.get(at).filter(|_| view.attachment(attachment).is_some()) else { continue };
        profile.tiler.compression(view, attachment, plan, &mut found);
        let control = view.attachment(attachment).and_then(|a| view.image(a)?.compression_control);
        if control.is_some_and(|c| c.flags & ImageCompression::DISABLED != 0) {
            for fact in &mut found {
                *fact = gpu::Compression::refused(
                    fact.scheme,
                    "the application disabled it (VK_IMAGE_COMPRESSION_DISABLED_EXT)",
                );
            }
        }
        facts.extend(found.drain(..).map(|fact| Compression {
            pass: 0,
            attachment,
            scheme: fact.scheme.into(),
            eligible: fact.eligible,
            reason: fact.reason,
            metadata_bytes: fact.metadata.map(|m| m.bytes),
            metadata_block: fact.metadata.map(|m| Extent2D::from(m.block)),
        }));
    }
}

/// Attachments that a subpass renders to, resolves into or reads.
fn attachments(subpass: &Subpass) -> impl Iterator<Item = u32> + '_ {
    let targets = subpass.color.iter().chain([&subpass.depth, &subpass.stencil]).chain(&subpass.input).flatten();
    let resolves = subpass.resolve.iter().chain([&subpass.depth_resolve, &subpass.stencil_resolve]).flatten();
    targets.map(|used| used.attachment).chain(resolves.map(|resolve| resolve.attachment))
}
