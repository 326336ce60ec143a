//! TL208.

use super::dependency_not_by_region::can_be_mended;
use super::{Candidate, Evidence, Worth, rule};
use crate::model::PassView;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A render pass that a binning GPU is predicted to run in immediate mode, straight to memory, because of how it is set up.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Every blended pixel and every depth test goes to memory and back, and overdraw is paid for each time, as on a desktop GPU
    /// but with the bandwidth of a phone.
    ///
    /// ## Bad
    /// Layered rendering with a geometry shader's `gl_Layer`; a barrier inside the pass that waits for a vertex shader.
    ///
    /// ## Good
    /// Multiview for layers; barriers and dependencies within framebuffer space; attachments that fit in a bin.
    ///
    /// ## How much
    /// It depends on overdraw and blending, which are not recorded: no figure is given.
    ///
    /// ## When to ignore
    /// For passes of a few draws immediate mode is as good, and the driver may choose it on its own.
    ///
    /// ## Known limits
    /// Of the GPUs that are modelled only Adreno has such a mode; the reasons are those of Mesa's turnip driver. What the driver chooses by
    /// draw count or by what earlier runs have shown stands in the report as the alternative of each pass.
    ///
    /// ## References
    /// Mesa 25.0.7, src/freedreno/vulkan/tu_cmd_buffer.cc (use_sysmem_rendering).
    BYPASSES_TILE_MEMORY {
        code: "TL208",
        name: "bypasses-tile-memory",
        category: Subpasses,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut found: BTreeMap<(&str, &str), Candidate> = BTreeMap::new();
    for (number, structure) in &evidence.structures {
        for (pass, recorded) in (0u32..).zip(&structure.whole.passes) {
            let view = PassView::new(recorded, &structure.frame.images);
            // Nothing is rendered, or somebody has said already what to do.
            if view.is_empty() || recorded.subpasses.iter().all(|s| !s.drawn) || can_be_mended(recorded) {
                continue;
            }
            for profile in evidence.profiles {
                let Some(bypass) = profile.tiler.bypass(&view) else { continue };
                let id = structure.pass_id(pass);
                let candidate = found.entry((id, bypass.why)).or_insert_with(|| Candidate {
                    pass: Some(id.to_string()),
                    worth: Worth::Saying,
                    fix: format!("{} in {}", bypass.remedy, structure.pass_label(pass)),
                    why: format!("the GPU renders straight to memory: {}", bypass.why),
                    ..Candidate::default()
                });
                candidate.instances.entry(*number).or_default();
                candidate.frames.extend(structure.indices);
                candidate.gpus.get_or_insert_default().insert(profile.id.clone());
            }
        }
    }
    found.into_values().collect()
}
