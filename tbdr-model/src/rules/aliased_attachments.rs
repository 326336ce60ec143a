//! TL105.

use super::{Candidate, Evidence, Gather, Sighting, Structure, Worth, rule};
use crate::frame::{AttachmentUse, Pass};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::ops::Bound;

rule! {
    /// ## What it detects
    /// Two attachments of one render pass that show different images in the same memory: bound to some of the same bytes, or both declared
    /// with `VK_ATTACHMENT_DESCRIPTION_MAY_ALIAS_BIT`.
    ///
    /// ## Why it costs on a tile-based GPU
    /// What one subpass leaves on chip may have to be in memory before the next begins, because both lie in the same place there:
    /// drivers then keep subpasses apart (`VK_SUBPASS_MERGE_STATUS_NOT_MERGED_ALIASING_EXT`), and store compressed attachments plain.
    ///
    /// ## Bad
    /// A depth buffer and a G-buffer target on one stretch of memory, in one render pass.
    ///
    /// ## Good
    /// Memory of their own for attachments of one pass; what stays on chip needs none at all (TL101).
    ///
    /// ## How much
    /// Not said: which drivers keep what apart because of it is not published. No profile models it.
    ///
    /// ## When to ignore
    /// Where memory is scarcer than bandwidth, and the subpasses could not be merged anyway.
    ///
    /// ## Known limits
    /// Attachments that no subpass refers to do not count, and neither do two views of one image. Silent if the pass has attachments apart in
    /// other frames.
    ///
    /// ## References
    /// Vulkan specification, VkAttachmentDescriptionFlagBits and "Memory Aliasing"; VK_EXT_subpass_merge_feedback.
    ALIASED_ATTACHMENTS {
        code: "TL105",
        name: "aliased-attachments",
        category: TransientMemory,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

/// VK_ATTACHMENT_DESCRIPTION_MAY_ALIAS_BIT.
const MAY_ALIAS: u32 = 0x1;

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut found = Gather::new(evidence);
    for (&number, structure) in &evidence.structures {
        for (pass_number, pass) in (0u32..).zip(&structure.whole.passes) {
            let used = used(pass);
            let pairs =
                used.iter().flat_map(|a| used.range((Bound::Excluded(a), Bound::Unbounded)).map(move |b| (*a, *b)));
            for (first, second) in pairs {
                let Some(aliased) = aliased(structure, pass, first, second) else { continue };
                let seen =
                    Sighting { structure: number, pass: pass_number, attachment: Some(first), ..Sighting::default() };
                found.add(seen, || {
                    let id = |attachment| structure.attachment_id(pass_number, attachment);
                    let label = structure.pass_label(pass_number);
                    let without = if aliased.declared {
                        " and create its render pass without VK_ATTACHMENT_DESCRIPTION_MAY_ALIAS_BIT"
                    } else {
                        ""
                    };
                    let why = match aliased.overlaps {
                        true => "two attachments of the pass are bound to some of the same bytes",
                        false => "two attachments of the pass are declared to share memory",
                    };
                    Candidate {
                        worth: Worth::Saying,
                        fix: format!(
                            "Bind {} and {}, both attachments of {label}, to memory of their own{without}",
                            id(first),
                            id(second)
                        ),
                        why: why.to_string(),
                        ..Candidate::default()
                    }
                });
            }
        }
    }
    found.everywhere()
}

/// How two attachments share memory.
struct Aliased {
    /// Their images are bound to some of the same bytes.
    overlaps: bool,
    /// The render pass says that they may be.
    declared: bool,
}

fn aliased(structure: &Structure<'_>, pass: &Pass, first: u32, second: u32) -> Option<Aliased> {
    let attachment = |number: u32| pass.attachments.get(number as usize);
    let (first, second) = (attachment(first)?, attachment(second)?);
    let (one, other) = (structure.image(first)?, structure.image(second)?);
    let overlaps = one.memory.overlaps(&other.memory);
    let declared = first.flags & second.flags & MAY_ALIAS != 0;
    (first.image != second.image && (overlaps || declared)).then_some(Aliased { overlaps, declared })
}

/// Attachments that some subpass refers to.
fn used(pass: &Pass) -> BTreeSet<u32> {
    let of_subpass = pass.subpasses.iter().flat_map(|subpass| {
        let inputs = subpass.input.iter().flatten();
        let resolves = subpass
            .resolve
            .iter()
            .flatten()
            .chain([&subpass.depth_resolve, &subpass.stencil_resolve].into_iter().flatten());
        let targets = subpass.targets().chain(inputs).map(|used: &AttachmentUse| used.attachment);
        targets.chain(resolves.map(|used| used.attachment))
    });
    of_subpass.collect()
}
