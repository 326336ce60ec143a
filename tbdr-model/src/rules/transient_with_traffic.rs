//! TL103.

use super::{Candidate, Claim, Evidence, Level, Worth, rule};
use crate::frame::{StoreOp, usage};
use crate::graph::Operation;
use crate::graph::liveness::Site;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// An image with `VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT` that a pass loads from or stores to memory. It says which side to
    /// change: if nobody needs the contents, the operation; if somebody does, the usage.
    ///
    /// ## Why it costs on a tile-based GPU
    /// A transient image is meant never to exist in memory. A load or store forces the driver to back it with memory and
    /// moves it.
    ///
    /// ## Bad
    /// A transient depth attachment with `storeOp = STORE`.
    ///
    /// ## Good
    /// `loadOp` CLEAR or DONT_CARE with `storeOp` DONT_CARE and lazily allocated memory; or, for contents that are needed, the
    /// image without the transient bit.
    ///
    /// ## How much
    /// One read or write of the attachment per frame where nobody needs the contents. Where somebody does, the usage bit itself
    /// moves no bytes: then the finding has level `info` and no saving.
    ///
    /// ## When to ignore
    /// Where the bit is set for other GPUs' sake and the operation is needed on this one.
    ///
    /// ## Known limits
    /// Silent while it is undecided whether anybody needs the contents.
    ///
    /// ## References
    /// Vulkan specification, VkImageUsageFlagBits. Khronos Vulkan-Samples, performance/subpasses.
    TRANSIENT_WITH_TRAFFIC {
        code: "TL103",
        name: "transient-with-traffic",
        category: TransientMemory,
        level: Warn,
        since: "0.1.0",
        speaks_before: &["TL006", "TL001"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let transient = |site: &Site| {
        let structure = evidence.structures.get(&site.structure);
        let image = structure.and_then(|s| s.image(s.attachment(site.pass, site.attachment)?));
        image.is_some_and(|image| image.usage & usage::TRANSIENT_ATTACHMENT != 0)
    };
    let mut found = Vec::new();
    for mut idle in evidence.idle(Operation::Store) {
        idle.sites.retain(transient);
        if !idle.sites.is_empty() {
            found.push(Candidate::drop_store(idle, "a transient image is stored and nobody reads it"));
        }
    }
    for mut idle in evidence.idle(Operation::Load) {
        idle.sites.retain(transient);
        if !idle.sites.is_empty() {
            let why = "a transient image is loaded although its contents are undefined";
            found.push(Candidate::drop_load(idle, why));
        }
    }
    found.extend(needed(evidence, &transient));
    found
}

/// Transient images whose stored contents somebody needs: the usage is what is wrong.
fn needed(evidence: &Evidence<'_>, transient: &dyn Fn(&Site) -> bool) -> Vec<Candidate> {
    let mut found: BTreeMap<(&str, &str), Candidate> = BTreeMap::new();
    for (number, structure) in &evidence.structures {
        for (pass, attachments) in (0u32..).zip(structure.whole.passes.iter().map(|p| &p.attachments)) {
            for (attachment, described) in (0u32..).zip(attachments) {
                for aspect in crate::graph::access::each(described.range.aspects) {
                    let site = Site { structure: *number, pass, attachment, aspect, operation: Operation::Store };
                    let stores = described.store == StoreOp::Store || described.stencil_store == StoreOp::Store;
                    let needed = evidence.was_needed(site) || evidence.was_transferred(site);
                    if !stores || !needed || evidence.fate(site).is_none() || !transient(&site) {
                        continue;
                    }
                    let (pass_id, image) = (structure.pass_id(pass), structure.attachment_id(pass, attachment));
                    let candidate = found.entry((pass_id, image)).or_insert_with(|| Candidate {
                        pass: Some(pass_id.to_string()),
                        attachment: Some(image.to_string()),
                        instances: BTreeMap::new(),
                        frames: Default::default(),
                        level: Some(Level::Info),
                        worth: Worth::Saying,
                        fix: format!("Create {image} without VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT"),
                        why: "a transient image is stored and its contents are read later".to_string(),
                        ..Candidate::default()
                    });
                    candidate.instances.entry(*number).or_default().speaks_for.push(Claim::Site(site));
                    candidate.frames.extend(structure.indices);
                }
            }
        }
    }
    found.into_values().collect()
}
