//! Loads, stores and resolves of Mesa's honeykrisp (25.0.7, src/asahi/vulkan/hk_cmd_draw.c).
//!
//! Every subpass is a rendering of its own. What a render area leaves out of the framebuffer must survive, so a part of it loads
//! everything; depth and stencil are always stored; a resolve is a rendering of its own, which reads every sample from memory.

use crate::frame::{Aspects, LoadOp, StoreOp};
use crate::gpu::AttachmentRules;
use crate::model::{Movement, PassView, Walk};
use crate::report::{Basis, Direction};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// What the tile passes move; `incomplete` where the render area is.
pub(super) fn operations(walk: &Walk<'_>, rules: AttachmentRules, incomplete: bool) -> Vec<Movement> {
    let spilled: Arc<[_]> = walk.uses.iter().filter(|used| walk.is_in_memory(used)).cloned().collect();
    let mut found = Walk { uses: &spilled, ..*walk }.as_specified(rules);
    for used in walk.uses.iter().filter(|used| !walk.is_in_memory(used)) {
        let (Some(ops), Some(attachment)) = (walk.ops(used, rules), walk.view.attachment(used.attachment)) else {
            continue;
        };
        let color = used.aspect == Aspects::COLOR;
        // Contents that are neither cleared nor stored have to be there when the tile is written all the same.
        let kept = color && attachment.store == StoreOp::None && attachment.load != LoadOp::Clear;
        for (at, (&tile_pass, u)) in used.uses.iter().enumerate() {
            let (first, last) = (at == 0, at + 1 == used.uses.len());
            let mut add = |direction, cause| {
                found.push(Movement::new(tile_pass, used, direction, cause, Basis::Exact));
            };
            if u.target && (!first || ops.load || incomplete || (last && kept)) {
                add(Direction::Read, "load");
            }
            if first && ops.clear && u.input && !u.target {
                add(Direction::Write, "clear");
            }
            if u.target && (!color || !last || ops.store || u.resolved) {
                add(Direction::Write, "store");
            }
            if u.resolved {
                add(Direction::Read, "resolve_read");
            }
            if u.resolve {
                add(Direction::Write, "resolve");
            }
            if u.input && u.drawn && !(u.target && ops.clear) {
                found.push(Movement::new(tile_pass, used, Direction::Read, "input", Basis::Estimate));
            }
        }
    }
    found
}

/// Whether the render area leaves out some of the framebuffer, which is the attachments' size for dynamic rendering.
pub(super) fn is_incomplete(view: &PassView<'_>) -> bool {
    let [start, (x, y)] = view.area_corners();
    let short = |width: u32, height: u32| x < u64::from(width) || y < u64::from(height);
    let of_images = || {
        view.pass.attachments.iter().any(|a| {
            let extent = view.view_extent(a);
            short(extent.width, extent.height)
        })
    };
    start != (0, 0) || short(view.pass.extent.width, view.pass.extent.height) || (view.pass.dynamic && of_images())
}

#[cfg(test)]
mod tests {
    use crate::format::by_name;
    use crate::frame::{Attachment, AttachmentUse, LoadOp, Pass, ResolveUse, StoreOp, Subpass};
    use crate::gpu::select;
    use crate::report::Direction;
    use crate::units::{Extent2D, Rect2D};
    use alloc::vec;

    /// Bytes per pixel read and written.
    fn moved(gpu: &str, pass: &Pass) -> [u64; 2] {
        let passes = crate::model::tile_passes(pass, &[], &select(&[gpu]).unwrap()[0]);
        let sum = |direction: Direction| {
            let entries = passes.iter().flat_map(|p| &p.entries).filter(|e| e.direction == direction);
            entries.map(|e| e.bytes.0).sum::<u64>() / 4096
        };
        [sum(Direction::Read), sum(Direction::Write)]
    }

    fn pass(depth_store: StoreOp) -> Pass {
        let target = |name: &str, store| Attachment {
            format: by_name(name).unwrap().format,
            samples: 1,
            load: LoadOp::Clear,
            store,
            ..Attachment::default()
        };
        let using = |attachment| Some(AttachmentUse { attachment, ..AttachmentUse::default() });
        let extent = Extent2D::new(64, 64);
        Pass {
            extent,
            render_area: Rect2D { extent, ..Rect2D::default() },
            layers: 1,
            attachments: vec![target("R8G8B8A8_UNORM", StoreOp::Store), target("D32_SFLOAT", depth_store)],
            subpasses: vec![Subpass { color: vec![using(0)], depth: using(1), drawn: true, ..Subpass::default() }],
            ..Pass::default()
        }
    }

    #[test]
    fn honeykrisp_stores_depth_that_nobody_asked_for() {
        assert_eq!(moved("apple-m1", &pass(StoreOp::DontCare)), [0, 4]);
        assert_eq!(moved("apple-m1-hk", &pass(StoreOp::DontCare)), [0, 8]);
    }

    #[test]
    fn a_part_of_the_framebuffer_loads_everything() {
        let mut pass = pass(StoreOp::Store);
        pass.extent = Extent2D::new(64, 96);
        assert_eq!(moved("apple-m1", &pass)[0], 0);
        assert_eq!(moved("apple-m1-hk", &pass)[0], 8);
    }

    #[test]
    fn a_resolve_reads_every_sample_back() {
        let mut pass = pass(StoreOp::Store);
        pass.attachments[0] = Attachment { samples: 4, store: StoreOp::DontCare, ..pass.attachments[0].clone() };
        pass.attachments[1].samples = 4;
        pass.attachments.push(Attachment { samples: 1, load: LoadOp::DontCare, ..pass.attachments[0].clone() });
        pass.subpasses[0].resolve = vec![Some(ResolveUse { attachment: 2, mode: 2, ..ResolveUse::default() })];
        assert_eq!(moved("apple-m1", &pass), [0, 4 + 16]);
        assert_eq!(moved("apple-m1-hk", &pass), [16, 16 + 4 + 16]);
    }
}
