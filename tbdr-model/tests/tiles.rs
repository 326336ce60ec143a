//! What holds for the tile of every pass that Vulkan allows, on the families whose tiles follow from formats and samples.

mod frames;

use frames::*;
use proptest::prelude::*;
use tbdr_model::format;
use tbdr_model::frame::*;
use tbdr_model::model::PassView;

/// Profiles with the smallest tile of their hardware in pixels.
const SMALLEST: [(&str, u64); 5] = [
    ("videocore-vi", 8 * 8),
    ("videocore-vii", 8 * 8),
    ("powervr-gx6250", 16 * 16),
    ("powervr-axe-1-16m", 8 * 8),
    ("powervr-bxs-4-64", 8 * 8),
];

fn any_pass() -> impl Strategy<Value = Pass> {
    let size = || prop_oneof![1u32..16385, Just(1), Just(16384)];
    let formats = proptest::collection::vec(proptest::option::of(0..format::all().len()), 0..9);
    let samples = proptest::sample::select(vec![1u32, 2, 4, 8, 16]);
    (size(), size(), formats, samples, any::<bool>()).prop_map(|(width, height, formats, samples, with_depth)| {
        let mut attachments = vec![attachment("D24_UNORM_S8_UINT", LoadOp::Clear, StoreOp::Store)];
        let mut draw = subpass(&[], with_depth.then_some(0), &[]);
        for slot in formats {
            draw.color.push(slot.and_then(|_| using(attachments.len() as u32)));
            let format = slot.map(|at| format::all()[at].format);
            attachments.extend(format.map(|format| Attachment { format, ..attachments[0].clone() }));
        }
        attachments.iter_mut().for_each(|a| a.samples = samples);
        pass([width, height], attachments, vec![draw])
    })
}

proptest! {
    #[test]
    fn a_tile_is_no_smaller_than_the_hardware_has_them_and_tiles_cover_the_framebuffer(pass in any_pass()) {
        let view = PassView::new(&pass, &[]);
        for (id, smallest) in SMALLEST {
            let plan = gpus(&[id])[0].tiler.plan(&view, &[0]);
            let Some(tile) = plan.tile else {
                prop_assert!(plan.notes.iter().any(|note| note.contains("unknown")), "{id}: {:?}", plan.notes);
                continue;
            };
            prop_assert!(tile.pixels() >= smallest, "{id}: {tile:?}");
            prop_assert!(plan.tiles.unwrap() * tile.pixels() >= pass.extent.pixels(), "{id}: {plan:?}");
            if let (Some(bits), Some(budget)) = (plan.bits_per_pixel, plan.budget_bits_per_pixel) {
                prop_assert!(bits <= budget || !plan.notes.is_empty(), "{id}: {bits} of {budget} without a word");
            }
        }
    }
}
