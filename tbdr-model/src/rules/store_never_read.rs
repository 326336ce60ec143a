//! TL006.

use super::{Candidate, Evidence, Idle, rule};
use crate::frame::StoreOp;
use crate::graph::Operation;
use crate::rules::candidate::Instance;
use crate::whatif::Edit;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// `VK_ATTACHMENT_STORE_OP_STORE` of an attachment aspect whose contents are overwritten, cleared or thrown away before
    /// anybody reads them. Colour, depth and stencil, mip levels and layers are followed apart.
    ///
    /// ## Why it costs on a tile-based GPU
    /// A store writes the attachment from every tile to DRAM. Depth that the next frame clears is the usual case.
    ///
    /// ## Bad
    /// A depth attachment with `loadOp = CLEAR` and `storeOp = STORE` that only its own pass uses.
    ///
    /// ## Good
    /// `VK_ATTACHMENT_STORE_OP_DONT_CARE`.
    ///
    /// ## How much
    /// One write of the attachment per frame: area x layers x samples x bytes of the aspect.
    ///
    /// ## When to ignore
    /// If contents are read in situations that the recorded run did not reach, such as a screenshot key.
    ///
    /// ## Known limits
    /// Speaks only where everything between the store and the loss of the contents was seen. Silent for images that shaders may
    /// read (usage SAMPLED or STORAGE), for external memory, for host-visible images with linear tiling, for images used on
    /// several queues, for what is still pending at the end of the run, and for a pass and attachment that was read once.
    ///
    /// ## References
    /// Vulkan specification, "Render Pass Store Operations". Khronos Vulkan-Samples, performance/render_passes.
    STORE_NEVER_READ {
        code: "TL006",
        name: "store-never-read",
        category: LoadStoreClear,
        level: Warn,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let why = "the contents are overwritten or thrown away before anybody reads them";
    evidence.idle(Operation::Store).into_iter().map(|idle| drop_store(idle, why.to_string())).collect()
}

/// The candidate that stores nothing at all of these sites.
pub(super) fn drop_store(idle: Idle<'_>, why: String) -> Candidate {
    let mut instances: BTreeMap<u32, Instance> = BTreeMap::new();
    for site in &idle.sites {
        let (pass, attachment, aspect) = (site.pass, site.attachment, site.aspect);
        let edit = Edit::SetStore { pass, attachment, aspect, op: StoreOp::DontCare };
        instances.entry(site.structure).or_default().edits.push(edit);
    }
    Candidate {
        pass: idle.pass.to_string(),
        attachment: idle.image.to_string(),
        instances,
        frames: idle.frames,
        level: None,
        without_saving: false,
        fix: format!("Set storeOp DONT_CARE on {} in {}", idle.image, idle.pass),
        why,
    }
}
