//! TL509.

use super::dependency_not_by_region::{is_of_attachments, of_access, words};
use super::{Candidate, Evidence, Gather, Sighting, Worth, rule};
use crate::frame::{Barrier, Pass, SUBPASS_EXTERNAL, Scope};
use crate::report::{Basis, Quantity};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A barrier inside a render pass that orders nothing but accesses to attachments, and yet has no `VK_DEPENDENCY_BY_REGION_BIT`.
    ///
    /// ## Why it costs on a tile-based GPU
    /// By region, draws behind the barrier wait for draws before it in the same tile, which is the order they have anyway. Without the bit they
    /// wait for all tiles: a GPU that shades tile by tile has to store the attachments, finish the pass, and load them again.
    ///
    /// ## Bad
    /// `vkCmdPipelineBarrier(COLOR_ATTACHMENT_OUTPUT, FRAGMENT_SHADER, 0, ...)` in a subpass that reads what it renders as an input attachment.
    ///
    /// ## Good
    /// The same with `VK_DEPENDENCY_BY_REGION_BIT`, in the barrier and in the self-dependency of the subpass.
    ///
    /// ## How much
    /// The number of barriers. What one costs is up to the driver: nothing, or a store and a load of all attachments of the pass.
    ///
    /// ## When to ignore
    /// Never, where the access masks name attachments only: an input attachment is read at the fragment's own place.
    ///
    /// ## Known limits
    /// Barriers whose access masks name more than attachments, or that name buffers, are left alone: what they order may lie in other tiles.
    ///
    /// ## References
    /// Vulkan specification, "Subpass Self-Dependency" and "Framebuffer Region Dependencies".
    BARRIER_BREAKS_PASS {
        code: "TL509",
        name: "barrier-breaks-pass",
        category: Scheduling,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        counts: ["barrier", "barriers"],
        check: check,
    }
}

/// VK_DEPENDENCY_BY_REGION_BIT.
const BY_REGION: u32 = 0x1;

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for (number, structure) in &evidence.structures {
        for (pass, recorded) in (0u32..).zip(&structure.whole.passes) {
            let found = far(recorded);
            if found.is_empty() {
                continue;
            }
            let sighting = Sighting { structure: *number, pass, ..Sighting::default() };
            gather.add(sighting, || Candidate {
                worth: Worth::Amount { quantity: Quantity::Count, value: found.len() as u64, basis: Basis::Exact },
                fix: fix(&found, recorded, structure.pass_label(pass)),
                why: "a barrier inside a pass that is not by region waits for tiles that are yet to be shaded"
                    .to_string(),
                ..Candidate::default()
            });
        }
    }
    gather.everywhere()
}

/// Barriers inside a pass that could be by region: subpass, and stages of source and destination.
fn far(pass: &Pass) -> Vec<(usize, (u64, u64))> {
    let barriers = pass.subpasses.iter().enumerate().flat_map(|(at, s)| s.barriers.iter().map(move |b| (at, b)));
    let found = |(subpass, barrier): (usize, &Barrier)| {
        if barrier.flags & BY_REGION != 0 || barrier.event || !barrier.buffers.is_empty() {
            return None;
        }
        let scopes: Vec<Scope> =
            barrier.memory.iter().copied().chain(barrier.images.iter().map(|image| image.scope)).collect();
        let of_attachments = |s: &Scope| is_of_attachments(s.src_access) && is_of_attachments(s.dst_access);
        let moves = barrier.images.iter().any(|image| image.families.is_some());
        if scopes.is_empty() || moves || !scopes.iter().all(of_attachments) {
            return None;
        }
        let stages = scopes.iter().fold((0, 0), |(source, destination), scope| {
            (source | of_access(scope.src_access), destination | of_access(scope.dst_access))
        });
        Some((subpass, stages))
    };
    barriers.filter_map(found).collect()
}

fn fix(found: &[(usize, (u64, u64))], pass: &Pass, label: &str) -> String {
    let mut all: Vec<String> = Vec::new();
    for (subpass, (source, destination)) in found {
        let own =
            |d: &crate::frame::Dependency| d.src == *subpass as u32 && d.dst == d.src && d.src != SUBPASS_EXTERNAL;
        let beside = if pass.dependencies.iter().any(own) { ", and in its self-dependency" } else { "" };
        let (source, destination) = (words(*source), words(*destination));
        all.push(format!("from {source} to {destination} in subpass {subpass}{beside}"));
    }
    all.dedup();
    format!("Set VK_DEPENDENCY_BY_REGION_BIT in the barriers inside {label}: {}", all.join("; "))
}
