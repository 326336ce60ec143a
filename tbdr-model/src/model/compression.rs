//! Compression facts of the attachments of a pass, as the family answers them, in the report's form.

use super::PassView;
use super::outcome::Run;
use crate::frame::{ImageCompression, Subpass};
use crate::gpu::{self, Plan, Profile};
use crate::report::Compression;
use crate::units::Extent2D;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// What is known of each attachment that some subpass uses.
pub fn facts(view: &PassView<'_>, profile: &Profile, run: &Run) -> Arc<[Compression]> {
    profile.tiler.compression(&Attachments { view, groups: &run.grouping.groups, plans: &run.plans })
}

/// The attachments of a pass that runs as these tile passes.
#[derive(Clone, Copy, Debug)]
pub struct Attachments<'a> {
    /// The pass.
    pub view: &'a PassView<'a>,
    /// Subpasses of each tile pass, in order of execution.
    pub groups: &'a [Vec<usize>],
    /// How each tile pass runs.
    pub plans: &'a [Plan],
}

impl Attachments<'_> {
    /// What `fact` adds for each attachment, given its index and the plan of the first tile pass that uses it. Recalled if another GPU has
    /// asked with the same `own`, which holds all that the answers rest on beside the shape of the pass, whatever its tile passes.
    pub fn by<K: PartialEq + 'static>(
        &self,
        own: K,
        fact: impl FnMut(u32, &Plan, &mut Vec<gpu::Compression>),
    ) -> Arc<[Compression]> {
        self.view.shape().by(own, |_| self.each(fact))
    }

    /// The same where answers rest on more.
    pub fn each(&self, mut fact: impl FnMut(u32, &Plan, &mut Vec<gpu::Compression>)) -> Arc<[Compression]> {
        let view = self.view;
        // Each attachment with the first tile pass that uses it.
        let mut first: Vec<(u32, usize)> = Vec::new();
        for (at, group) in self.groups.iter().enumerate() {
            for attachment in group.iter().filter_map(|s| view.pass.subpasses.get(*s)).flat_map(attachments) {
                first.push((attachment, at));
            }
        }
        first.sort_unstable();
        first.dedup_by_key(|(attachment, _)| *attachment);
        let (mut found, mut facts) = (Vec::new(), Vec::new());
        for (attachment, at) in first {
            let Some(plan) = self.plans.get(at).filter(|_| view.attachment(attachment).is_some()) else { continue };
            fact(attachment, plan, &mut found);
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
        facts.into()
    }
}

/// Attachments that a subpass renders to, resolves into or reads.
fn attachments(subpass: &Subpass) -> impl Iterator<Item = u32> + '_ {
    let targets = subpass.color.iter().chain([&subpass.depth, &subpass.stencil]).chain(&subpass.input).flatten();
    let resolves = subpass.resolve.iter().chain([&subpass.depth_resolve, &subpass.stencil_resolve]).flatten();
    targets.map(|used| used.attachment).chain(resolves.map(|resolve| resolve.attachment))
}
