//! TL202.

use super::{Candidate, Evidence, Level, Structure, Worth, rule};
use crate::frame::{Pass, Subpass};
use crate::gpu::{Plan, Profile};
use crate::model::PassView;
use crate::report::{Basis, Quantity};
use crate::units::Extent2D;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// Colour attachments whose bits per pixel, with all samples, exceed what the GPU holds in a tile of 16x16 pixels, so that it
    /// renders with smaller tiles.
    ///
    /// ## Why it costs on a tile-based GPU
    /// A tile of half the size means twice as many: work per tile, the listing of triangles that touch several tiles, and the
    /// chance that a subpass no longer merges.
    ///
    /// ## Bad
    /// Five RGBA8 targets at one sample, or one at eight samples, on a GPU with 128 bits per pixel.
    ///
    /// ## Good
    /// Narrower formats, fewer targets or fewer samples, so that a tile of 16x16 holds them. `tilelens fit` shows what still fits.
    ///
    /// ## How much
    /// Tiles beyond those of 16x16 pixels, per layer. Attachment bytes stay the same.
    ///
    /// ## When to ignore
    /// If the pass needs these targets: smaller tiles are cheaper than a second pass.
    ///
    /// ## Known limits
    /// Only for GPUs whose tiles have a size of their own; bins of Adreno grow and shrink with what is in them. GPUs whose full tile is
    /// larger than 16x16 (VideoCore, Apple, newer Mali) are not scolded for tiles between the two. Work per tile is not measured.
    ///
    /// ## References
    /// Arm, "Tile-based rendering": best practices for Mali GPUs. Mesa 25.0.7, src/panfrost/lib/pan_desc.c.
    COLOUR_OVER_BUDGET {
        code: "TL202",
        name: "colour-over-budget",
        category: Subpasses,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        counts: ["tile", "tiles"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut found: BTreeMap<&str, Candidate> = BTreeMap::new();
    let mut budgets: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (number, structure) in &evidence.structures {
        for (pass, recorded) in (0u32..).zip(&structure.whole.passes) {
            for profile in evidence.profiles {
                let Some((bits, budget, extra)) = over(recorded, structure, profile, pass) else { continue };
                let id = structure.pass_id(pass);
                let candidate = found.entry(id).or_insert_with(|| Candidate {
                    pass: Some(id.to_string()),
                    worth: Worth::PerGpu(BTreeMap::new()),
                    level: Some(Level::Info),
                    ..Candidate::default()
                });
                let least = budgets.entry(id).or_insert((bits, budget));
                *least = (least.0.max(bits), least.1.min(budget));
                candidate.fix = format!(
                    "Use at most {} colour bits per pixel in {}, all samples counted ({} now)",
                    least.1,
                    structure.pass_label(pass),
                    least.0
                );
                candidate.why =
                    "colour exceeds what a tile of 16x16 holds: tiles are smaller, and there are more of them"
                        .to_string();
                candidate.instances.entry(*number).or_default();
                candidate.frames.extend(structure.indices);
                candidate.gpus.get_or_insert_default().insert(profile.id.clone());
                if let Worth::PerGpu(amounts) = &mut candidate.worth {
                    let amount = amounts.entry(profile.id.clone()).or_insert((Quantity::Count, extra, Basis::Exact));
                    amount.1 = amount.1.max(extra);
                }
            }
        }
    }
    found.into_values().collect()
}

/// Pixels of the tile below which tiles are called small.
const TILE: Extent2D = Extent2D::new(16, 16);

/// Bits per pixel, those that a tile of 16x16 holds, and tiles beyond those of 16x16 over the whole pass, where colour exceeds it.
fn over(pass: &Pass, structure: &Structure<'_>, profile: &Profile, number: u32) -> Option<(u64, u64, u64)> {
    let plans = &structure.run(&profile.id, number)?.plans;
    let small = |plan: &&Plan| plan.tile.is_some_and(|tile| tile.pixels() < TILE.pixels());
    let worst = plans.iter().filter(small).max_by_key(|plan| plan.bits_per_pixel)?;
    let (bits, budget) = worst.bits_per_pixel.zip(worst.budget_bits_per_pixel)?;
    let empty = Pass {
        attachments: Vec::new(),
        subpasses: alloc::vec![Subpass::default()],
        dependencies: Vec::new(),
        ..pass.clone()
    };
    let full = profile.tiler.plan(&PassView::new(&empty, &[]), &[0]).tile?;
    let fits = budget.saturating_mul(full.pixels()) / TILE.pixels();
    let plain = PassView::new(pass, &structure.frame.images).tiles(TILE);
    let extra = plans.iter().filter(small).filter_map(|plan| plan.tiles?.checked_sub(plain)).sum::<u64>();
    (bits > fits && extra > 0).then_some((bits, fits, extra))
}
