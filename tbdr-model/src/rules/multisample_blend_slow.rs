//! TL309.

use super::{Candidate, Evidence, Gather, Sighting, Structure, Worth, rule};
use crate::format;
use crate::frame::{Pass, Subpass};
use crate::model::PassView;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// Draws that blend into a multisampled colour attachment of a format that the GPU cannot blend at full rate when it is multisampled; in
    /// render passes of both versions and in dynamic rendering.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Blending reads and writes tile memory, once for each sample that a fragment covers. On Mali the fixed-function blender does so at
    /// full rate for normalised formats, and slower for floating-point formats with several samples.
    ///
    /// ## Bad
    /// `blendEnable` on a 4x `R16G16B16A16_SFLOAT` attachment.
    ///
    /// ## Good
    /// A normalised format such as `A2B10G10R10_UNORM_PACK32` or `R8G8B8A8_UNORM` where the range suffices; else what is blended drawn
    /// after the resolve, with one sample.
    ///
    /// ## How much
    /// Not said: no vendor publishes the rates. No byte moves for it.
    ///
    /// ## When to ignore
    /// Where little is blended, or the GPU is not limited by it.
    ///
    /// ## Known limits
    /// Speaks for the GPUs whose vendor names the formats: Mali. Silent where the state of a draw is not known, where draws run once for
    /// each sample anyway or it is not known whether they do, and where a logical operation may be what reads the attachment.
    ///
    /// ## References
    /// Arm GPU Best Practices Developer Guide (101897), Blending. ARM-software/perfdoc, layer/pipeline.cpp and layer/format.hpp.
    MULTISAMPLE_BLEND_SLOW {
        code: "TL309",
        name: "multisample-blend-slow",
        category: Multisampling,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut found = Gather::new(evidence);
    for (&number, structure) in &evidence.structures {
        for (pass_number, pass) in (0u32..).zip(&structure.whole.passes) {
            let view = PassView::new(pass, &structure.frame.images);
            for subpass in pass.subpasses.iter().filter(|subpass| is_certain(subpass)) {
                if view.samples(subpass) > 1 {
                    subpass_of(evidence, &mut found, (number, structure), (pass_number, pass), subpass);
                }
            }
        }
    }
    found.anywhere()
}

/// Whether it is known that bits of colour that is read mean blending, for pixels and not for samples.
fn is_certain(subpass: &Subpass) -> bool {
    let facts = &subpass.draws;
    subpass.drawn && facts.known && facts.pixel_shading && facts.logic_ops == 0
}

fn subpass_of(
    evidence: &Evidence<'_>,
    found: &mut Gather<'_, '_>,
    (number, structure): (u32, &Structure<'_>),
    (pass_number, pass): (u32, &Pass),
    subpass: &Subpass,
) {
    for (slot, used) in subpass.color.iter().enumerate().take(u32::BITS as usize) {
        let Some(used) = used.filter(|_| subpass.draws.color_reads >> slot & 1 == 1) else { continue };
        let Some(info) = pass.attachments.get(used.attachment as usize).and_then(|a| format::info(a.format)) else {
            continue;
        };
        let slow = evidence.profiles.iter().filter(|p| p.tiler.blends_samples_slowly(info)).map(|p| p.id.clone());
        let gpus: BTreeSet<String> = slow.collect();
        if gpus.is_empty() {
            continue;
        }
        let attachment = Some(used.attachment);
        found.add(Sighting { structure: number, pass: pass_number, attachment, ..Sighting::default() }, || Candidate {
            gpus: Some(gpus),
            worth: Worth::Saying,
            fix: format!(
                "Blend on {} in {} in a UNORM format, or after the resolve",
                structure.attachment_id(pass_number, used.attachment),
                structure.pass_label(pass_number)
            ),
            why: format!("several samples of {} are not blended at full rate", info.name),
            ..Candidate::default()
        });
    }
}
