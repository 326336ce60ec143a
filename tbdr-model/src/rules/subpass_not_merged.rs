//! TL201.

use super::dependency_not_by_region::can_be_mended;
use super::{Candidate, Evidence, Level, Structure, Worth, rule};
use crate::frame::{Aspects, Pass, StoreOp, Subpass};
use crate::gpu::{MergeBasis, MergeStatus, Mode, Verdict};
use crate::model::Run;
use crate::report::{Basis, Direction, Quantity};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// Subpasses of one render pass that share attachments and that a GPU, whose driver can merge subpasses, is predicted to run
    /// as separate tile passes.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Merged subpasses hand their attachments on in tile memory. Where they are not merged, everything that the earlier one
    /// rendered and the later one uses is written to memory and read back.
    ///
    /// ## Bad
    /// A G-buffer of 288 bits per pixel on a GPU that merges up to 256; a depth/stencil attachment that changes between the subpasses.
    ///
    /// ## Good
    /// Attachments within the GPU's budget, one depth/stencil attachment, one sample count, dependencies by region. `tilelens fit`
    /// shows what merges before anything is written.
    ///
    /// ## How much
    /// The ledger's entries for what goes through memory between the subpasses, as a bound: how much of it a change saves depends
    /// on the change.
    ///
    /// ## When to ignore
    /// If the GPUs named do not matter to you, or if the subpasses have to see their neighbours' pixels.
    ///
    /// ## Known limits
    /// The status of each subpass (VkSubpassMergeStatusEXT) and its reason stand in the report. Where no driver's code or document
    /// decides, the finding is `info`. GPUs whose driver never merges get one `note` for the whole run. What a dependency by region
    /// mends is TL205's, and immediate mode is TL208's.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/subpasses. Vulkan specification, VK_EXT_subpass_merge_feedback.
    SUBPASS_NOT_MERGED {
        code: "TL201",
        name: "subpass-not-merged",
        category: Subpasses,
        level: Warn,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

/// Pass, and why its first split happens.
type Split<'a> = (&'a str, &'a str, String);

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut found: BTreeMap<Split<'_>, Candidate> = BTreeMap::new();
    let mut never = Candidate::default();
    for (number, structure) in &evidence.structures {
        for (pass, recorded) in (0u32..).zip(&structure.whole.passes) {
            if recorded.subpasses.len() < 2 {
                continue;
            }
            for profile in evidence.profiles {
                let Some(run) = structure.run(&profile.id, pass) else { continue };
                let Some(Verdict { status, note }) = first_split(recorded, run) else { continue };
                let status = *status;
                if !profile.tiler.merges() {
                    never.instances.entry(*number).or_default();
                    never.frames.extend(structure.indices);
                    never.gpus.get_or_insert_default().insert(profile.id.clone());
                    continue;
                }
                if status == MergeStatus::Dependencies && can_be_mended(recorded) {
                    continue;
                }
                let bytes = through_memory(recorded, run);
                let key = (structure.pass_id(pass), status.spelled(), note.to_string());
                let candidate = found.entry(key).or_insert_with(|| words(structure, pass, status, note));
                candidate.instances.entry(*number).or_default();
                candidate.frames.extend(structure.indices);
                candidate.gpus.get_or_insert_default().insert(profile.id.clone());
                if run.grouping.basis == MergeBasis::Inferred {
                    candidate.level = Some(Level::Info);
                }
                if let Worth::PerGpu(amounts) = &mut candidate.worth {
                    let amount = amounts.entry(profile.id.clone()).or_insert((Quantity::Dram, bytes, Basis::Bound));
                    amount.1 = amount.1.max(bytes);
                }
            }
        }
    }
    let mut all: Vec<Candidate> = found.into_values().collect();
    if !never.instances.is_empty() {
        never.level = Some(Level::Note);
        never.worth = Worth::Saying;
        never.fix = "Nothing here: keep dependencies by region for drivers that merge".to_string();
        never.why = "the driver never merges subpasses: each is a tile pass of its own".to_string();
        all.push(never);
    }
    all
}

/// Attachments that a subpass renders to or resolves into.
fn made(subpass: &Subpass) -> impl Iterator<Item = u32> + '_ {
    let resolves = subpass.resolve.iter().chain([&subpass.depth_resolve, &subpass.stencil_resolve]).flatten();
    subpass.targets().map(|used| used.attachment).chain(resolves.map(|resolve| resolve.attachment))
}

/// Attachments that a subpass renders to or reads as input.
fn used(subpass: &Subpass) -> impl Iterator<Item = u32> + '_ {
    subpass.targets().chain(subpass.input.iter().flatten()).map(|used| used.attachment)
}

/// Attachments that each tile pass uses and one before it has made.
fn handed_on(pass: &Pass, groups: &[Vec<usize>]) -> Vec<BTreeSet<u32>> {
    let mut before = BTreeSet::new();
    let handed = |group: &Vec<usize>| {
        let members = || group.iter().filter_map(|s| pass.subpasses.get(*s));
        let needed = members().flat_map(used).filter(|attachment| before.contains(attachment)).collect();
        before.extend(members().flat_map(made));
        needed
    };
    groups.iter().map(handed).collect()
}

/// The verdict of the first tile pass that goes on with what one before it has made. Nothing of immediate mode.
fn first_split<'r>(pass: &Pass, run: &'r Run) -> Option<&'r Verdict> {
    let Run { grouping, plans, .. } = run;
    if plans.len() < 2 || plans.iter().any(|plan| plan.mode != Mode::Tiled) {
        return None;
    }
    let at = handed_on(pass, &grouping.groups).iter().position(|handed| !handed.is_empty())?;
    grouping.verdicts.get(*grouping.groups.get(at)?.first()?)
}

/// Bytes that go through memory between tile passes: what is read of attachments handed on, and what is written of them beyond what the
/// pass leaves behind.
fn through_memory(pass: &Pass, run: &Run) -> u64 {
    let handed = handed_on(pass, &run.grouping.groups);
    let mut bytes = 0u64;
    let mut written: BTreeMap<(u32, Aspects), Vec<u64>> = BTreeMap::new();
    for entry in &run.ledger.entries {
        let is_handed = |by: &BTreeSet<u32>| by.contains(&entry.attachment);
        match entry.direction {
            Direction::Read if handed.get(entry.tile_pass).is_some_and(is_handed) => {
                bytes = bytes.saturating_add(entry.bytes.0);
            }
            Direction::Write if handed.iter().any(is_handed) => {
                written.entry((entry.attachment, entry.aspect)).or_default().push(entry.bytes.0);
            }
            Direction::Read | Direction::Write => {}
        }
    }
    for ((attachment, aspect), writes) in written {
        let stores = pass
            .attachments
            .get(attachment as usize)
            .is_some_and(|a| (if aspect == Aspects::STENCIL { a.stencil_store } else { a.store }) == StoreOp::Store);
        // The last one is the pass's own store.
        let extra = writes.len() - usize::from(stores);
        bytes = writes.into_iter().take(extra).fold(bytes, u64::saturating_add);
    }
    bytes
}

fn words(structure: &Structure<'_>, pass: u32, status: MergeStatus, note: &str) -> Candidate {
    let label = structure.pass_label(pass);
    let remedy = match status {
        MergeStatus::Disallowed => "Drop VkRenderPassCreationControlEXT::disallowMerging from",
        MergeStatus::SamplesMismatch => "Use one sample count in all subpasses of",
        MergeStatus::ViewsMismatch => "Use one viewMask in all subpasses of",
        MergeStatus::Dependencies => {
            "Let nothing but attachments at the own pixel cross the dependencies of, and make them by region in,"
        }
        MergeStatus::IncompatibleInputAttachment => {
            "Read as input attachment only colour that the subpass before renders in"
        }
        MergeStatus::TooManyAttachments => "Use fewer attachments in",
        MergeStatus::InsufficientStorage => "Use fewer attachments, narrower formats or fewer samples in",
        MergeStatus::DepthStencilCount => "Keep one depth/stencil attachment in all subpasses of",
        MergeStatus::ResolveAttachmentReuse => {
            "Resolve in the last subpass, and do not read the result as input attachment, in"
        }
        MergeStatus::Merged
        | MergeStatus::SideEffects
        | MergeStatus::Aliasing
        | MergeStatus::SingleSubpass
        | MergeStatus::Unspecified => "Remove what keeps the subpasses apart in",
    };
    Candidate {
        pass: Some(structure.pass_id(pass).to_string()),
        worth: Worth::PerGpu(BTreeMap::new()),
        fix: format!("{remedy} {label}"),
        why: format!("subpasses that share attachments are not merged ({}): {note}", status.spelled()),
        ..Candidate::default()
    }
}
