//! TL308.

use super::{Candidate, Evidence, Gather, Sighting, Worth, rule, tiles};
use crate::model::PassView;
use crate::whatif::{Edit, limit_samples};
use alloc::format;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A pass that renders with more than four samples per pixel.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Tile memory holds every sample. Most tilers keep their full tile up to a certain number of bytes per pixel and halve it beyond: more
    /// tiles, each with its own start, its own share of the geometry and shorter bursts to memory. GPUs that rasterize four samples at once
    /// need several turns for eight.
    ///
    /// ## Bad
    /// `VK_SAMPLE_COUNT_8_BIT` on a phone's screen.
    ///
    /// ## Good
    /// `VK_SAMPLE_COUNT_4_BIT`, which on most of these GPUs is close to free as long as the samples stay on chip.
    ///
    /// ## How much
    /// Tiles that a GPU runs less of per frame with four samples, as the tile sizes of its family follow from the attachments; bytes between
    /// chip and DRAM first, where the samples are stored, loaded or resolved in memory. Nothing is said of GPUs on which neither
    /// changes.
    ///
    /// ## When to ignore
    /// The edges of the picture get coarser: if that shows, and the frame has time to spare, keep what you have.
    ///
    /// ## Known limits
    /// Whether a GPU supports so many samples at all is not asked. What the samples cost in rasterization is not modelled. Silent if the
    /// same pass renders with four samples or fewer in other frames.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/msaa. ARM-software/perfdoc, layer/image.cpp (its limit is four too). Mesa,
    /// src/panfrost/lib/pan_desc.c and src/broadcom/common/v3d_util.c, for tile sizes by samples.
    TOO_MANY_SAMPLES {
        code: "TL308",
        name: "too-many-samples",
        category: Multisampling,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        counts: ["tile", "tiles"],
        check: check,
    }
}

/// Samples per pixel that most tilers hold without smaller tiles.
const ENOUGH: u32 = 4;

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut found = Gather::new(evidence);
    for (&structure, of) in &evidence.structures {
        for (number, pass) in (0u32..).zip(&of.whole.passes) {
            let view = PassView::new(pass, &of.frame.images);
            let most = pass.subpasses.iter().map(|s| view.samples(s)).max().unwrap_or(1);
            if most <= ENOUGH {
                continue;
            }
            let edits = alloc::vec![Edit::LimitSamples { pass: number, samples: ENOUGH }];
            found.add(Sighting { structure, pass: number, edits, ..Sighting::default() }, || {
                let mut fewer = (*pass).clone();
                limit_samples(&mut fewer, ENOUGH);
                Candidate {
                    worth: Worth::PerGpu(tiles::saved(evidence, of, number, &fewer)),
                    fix: format!("Render {} with {ENOUGH} samples per pixel", of.pass_label(number)),
                    why: format!("{most} samples per pixel take more tile memory than tiles of full size have"),
                    ..Candidate::default()
                }
            });
        }
    }
    found.everywhere()
}
