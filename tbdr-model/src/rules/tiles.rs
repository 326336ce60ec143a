//! How many tiles less a GPU runs if a pass is changed.

use super::{Evidence, Structure};
use crate::frame::Pass;
use crate::gpu::per_profile;
use crate::model::{PassView, tile_passes};
use crate::report::{Basis, Quantity};
use alloc::collections::BTreeMap;
use alloc::string::String;

/// Tiles of all layers that each GPU saves per frame with `changed` in place of pass `number`; GPUs that save none are left out.
pub fn saved(
    evidence: &Evidence<'_>,
    structure: &Structure<'_>,
    number: u32,
    changed: &Pass,
) -> BTreeMap<String, (Quantity, u64, Basis)> {
    let images = &structure.frame.images;
    let layers = PassView::new(changed, images).layers(0);
    let fewer = per_profile(evidence.profiles, |profile| {
        let was = total(structure.run(&profile.id, number)?.plans.iter().map(|plan| plan.tiles))?;
        let is = total(tile_passes(changed, images, profile).iter().map(|pass| pass.tiles))?;
        was.checked_sub(is).filter(|fewer| *fewer > 0)
    });
    let amount = |tiles: u64| (Quantity::Count, tiles.saturating_mul(layers), Basis::Exact);
    fewer.into_iter().filter_map(|(id, tiles)| Some((id, amount(tiles?)))).collect()
}

/// Tiles of all tile passes; `None` where one of them has none, in immediate mode.
fn total(tiles: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    tiles.sum()
}
