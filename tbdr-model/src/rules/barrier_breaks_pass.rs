//! TL509.

use super::dependency_not_by_region::{
    ATTACHMENT_STAGES, INPUT, is_of_attachments, may_read_other_samples, of_access, words,
};
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
    /// Never, where the source stages access attachments only: an input attachment is read at the fragment's own place. If shaders are
    /// among them the barrier might order what they read elsewhere before later writes, which no access mask has to name.
    ///
    /// ## Known limits
    /// Barriers whose access masks name more than attachments, or that name buffers, are left alone: what they order may lie in other tiles.
    /// So are those of multisampled input attachments, unless the subpass has `VK_SUBPASS_DESCRIPTION_FRAGMENT_REGION_BIT`: by region a
    /// fragment may read the samples that it covers alone.
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

/// A barrier inside a pass that could be by region.
struct Far {
    subpass: usize,
    /// Stages of source and destination.
    stages: (u64, u64),
    /// No stage of the source accesses anything but attachments.
    sure: bool,
}

fn far(pass: &Pass) -> Vec<Far> {
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
        let input = scopes.iter().any(|scope| (scope.src_access | scope.dst_access) & INPUT != 0);
        if input && may_read_other_samples(pass, subpass as u32) {
            return None;
        }
        let stages = scopes.iter().fold((0, 0), |(source, destination), scope| {
            (source | of_access(scope.src_access), destination | of_access(scope.dst_access))
        });
        let waits = scopes.iter().fold(barrier.stages.src_stages, |all, scope| all | scope.src_stages);
        Some(Far { subpass, stages, sure: waits & !ATTACHMENT_STAGES == 0 })
    };
    barriers.filter_map(found).collect()
}

fn fix(found: &[Far], pass: &Pass, label: &str) -> String {
    let mut all: Vec<String> = Vec::new();
    for Far { subpass, stages: (source, destination), .. } in found {
        let own =
            |d: &crate::frame::Dependency| d.src == *subpass as u32 && d.dst == d.src && d.src != SUBPASS_EXTERNAL;
        let beside = if pass.dependencies.iter().any(own) { ", and in its self-dependency" } else { "" };
        let (source, destination) = (words(*source), words(*destination));
        all.push(format!("from {source} to {destination} in subpass {subpass}{beside}"));
    }
    all.dedup();
    let sure = found.iter().all(|far| far.sure);
    let unless =
        if sure { "" } else { ", unless draws behind them write buffers or images that shaders before them access" };
    format!("Set VK_DEPENDENCY_BY_REGION_BIT in the barriers inside {label}: {}{unless}", all.join("; "))
}
