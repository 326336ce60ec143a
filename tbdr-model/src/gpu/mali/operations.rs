//! Loads, stores and resolves of a Mali's drivers.
//!
//! Arm's driver does what the specification asks for, resolves on write-back, and fills tile memory with input attachments that
//! are loaded. Mesa's panvk (25.0.7, src/panfrost/vulkan/panvk_vX_cmd_draw.c, panvk_vX_cmd_fb_preload.c) loads by drawing, and
//! only into tiles that geometry touches; it resolves in a rendering of its own, which the whole multisampled image travels for.

use crate::format;
use crate::frame::{Aspects, Attachment, AttachmentUse, LoadOp};
use crate::gpu::AttachmentRules;
use crate::model::{AspectUses, Movement, Walk};
use crate::report::{Basis, Direction};
use alloc::vec::Vec;

/// Arm's: as specified, but an input attachment that no subpass of its tile pass renders to and whose loadOp is LOAD is loaded
/// once per pixel, drawn or not.
#[derive(PartialEq)]
pub(super) struct Arm {
    pub rules: AttachmentRules,
}

impl Arm {
    pub fn movements(&self, walk: &Walk<'_>) -> Vec<Movement> {
        let mut found = walk.as_specified(self.rules);
        for used in walk.uses.iter() {
            let loaded = |a: &Attachment| match used.aspect {
                Aspects::STENCIL => a.stencil_load == LoadOp::Load,
                _ => a.load == LoadOp::Load,
            };
            if !walk.view.attachment(used.attachment).is_some_and(loaded) {
                continue;
            }
            for (&tile_pass, _) in used.uses.iter().filter(|(_, u)| u.input && !u.target) {
                let of =
                    |m: &Movement| (m.tile_pass, m.attachment, m.aspect) == (tile_pass, used.attachment, used.aspect);
                found.retain(|m| !(of(m) && m.cause == "input"));
                found.push(Movement::new(tile_pass, used, Direction::Read, "load", Basis::Exact));
            }
        }
        found
    }
}

/// panvk's.
#[derive(PartialEq)]
pub(super) struct Panvk {
    pub rules: AttachmentRules,
    /// storeOp is ignored.
    pub stores_everything: bool,
    /// Every target is loaded, and a CLEAR is a draw.
    pub preloads: bool,
}

impl Panvk {
    pub fn movements(&self, walk: &Walk<'_>) -> Vec<Movement> {
        let mut found = Vec::new();
        for used in walk.uses.iter() {
            let Some(ops) = walk.ops(used, self.rules) else { continue };
            let color = used.aspect == Aspects::COLOR;
            for (at, (&tile_pass, u)) in used.uses.iter().enumerate() {
                let (first, last) = (at == 0, at + 1 == used.uses.len());
                let mut add =
                    |direction, cause, basis| found.push(Movement::new(tile_pass, used, direction, cause, basis));
                let cleared = first && ops.clear;
                if u.target {
                    let loads = if first { ops.load } else { true };
                    if loads || self.preloads || is_half_bound(walk, used, tile_pass) {
                        // A colour load is drawn where geometry is, a depth load everywhere.
                        add(Direction::Read, "load", if color { Basis::Bound } else { ops.load_basis });
                    }
                } else if u.input && cleared {
                    add(Direction::Write, "clear", Basis::Exact);
                }
                if u.input && u.drawn && !(u.target && ops.clear) {
                    add(Direction::Read, "input", Basis::Estimate);
                }
                if u.target && (self.stores_everything || u.resolved || !last || ops.store) {
                    // Tiles without geometry are written only where something is cleared.
                    add(Direction::Write, "store", if cleared { Basis::Exact } else { Basis::Bound });
                }
                if u.resolved {
                    add(Direction::Read, "resolve_read", Basis::Exact);
                }
                if u.resolve {
                    add(Direction::Write, "resolve", Basis::Exact);
                }
            }
        }
        found
    }
}

/// Whether depth and stencil share a word of which the tile pass binds only one aspect: the other is loaded, or it would be lost.
fn is_half_bound(walk: &Walk<'_>, used: &AspectUses, tile_pass: usize) -> bool {
    let packs =
        |a| walk.view.attachment(a).and_then(|a| format::info(a.format)).is_some_and(|f| f.packs_depth_stencil());
    if !packs(used.attachment) {
        return false;
    }
    let members = || {
        let group = walk.groups.get(tile_pass).map_or(&[][..], Vec::as_slice);
        group.iter().filter_map(|s| walk.view.pass.subpasses.get(*s))
    };
    let is_own = |u: Option<AttachmentUse>| u.is_some_and(|u| u.attachment == used.attachment);
    members().any(|s| is_own(s.depth)) != members().any(|s| is_own(s.stencil))
}

#[cfg(test)]
mod tests {
    use crate::format::by_name;
    use crate::frame::{Attachment, AttachmentUse, LoadOp, Pass, ResolveUse, StoreOp, Subpass};
    use crate::gpu::select;
    use crate::report::Direction::{Read, Write};
    use crate::report::{Basis, Direction};
    use crate::units::{Extent2D, Rect2D};

    fn attachment(name: &str, samples: u32, load: LoadOp, store: StoreOp) -> Attachment {
        Attachment { format: by_name(name).unwrap().format, samples, load, store, ..Attachment::default() }
    }

    fn pass(attachments: Vec<Attachment>, subpasses: Vec<Subpass>) -> Pass {
        let extent = Extent2D::new(64, 64);
        let render_area = Rect2D { extent, ..Rect2D::default() };
        Pass { extent, render_area, layers: 1, attachments, subpasses, ..Pass::default() }
    }

    fn using(attachment: u32) -> Option<AttachmentUse> {
        Some(AttachmentUse { attachment, ..AttachmentUse::default() })
    }

    /// Attachment, cause, direction, bytes per pixel, basis.
    fn moved(gpu: &str, pass: &Pass) -> Vec<(u32, String, Direction, u64, Basis)> {
        let profile = &select(&[gpu]).unwrap()[0];
        let passes = crate::model::tile_passes(pass, &[], profile);
        let entries = passes.iter().flat_map(|p| &p.entries);
        entries.map(|e| (e.attachment, e.cause.to_string(), e.direction, e.bytes.0 / 4096, e.basis)).collect()
    }

    use alloc::string::{String, ToString};
    use alloc::vec;
    use alloc::vec::Vec;

    #[test]
    fn an_input_attachment_that_is_loaded_fills_tile_memory_once_per_pixel() {
        let input = Subpass { color: vec![using(0)], input: vec![using(1)], drawn: true, ..Subpass::default() };
        let mut pass = pass(
            vec![
                attachment("R8G8B8A8_UNORM", 1, LoadOp::DontCare, StoreOp::Store),
                attachment("R8G8B8A8_UNORM", 1, LoadOp::Load, StoreOp::DontCare),
            ],
            vec![input],
        );
        let load = (1, "load".to_string(), Read, 4, Basis::Exact);
        assert!(moved("mali-g76", &pass).contains(&load));
        assert_eq!(moved("mali-g610-panvk", &pass)[1], (1, "input".to_string(), Read, 4, Basis::Estimate));
        pass.subpasses[0].drawn = false;
        assert!(moved("mali-g76", &pass).contains(&load));
    }

    #[test]
    fn panvk_25_0_stores_what_nobody_asked_to_store() {
        let target = Subpass { color: vec![using(0)], depth: using(1), drawn: true, ..Subpass::default() };
        let pass = pass(
            vec![
                attachment("R8G8B8A8_UNORM", 1, LoadOp::Clear, StoreOp::DontCare),
                attachment("D32_SFLOAT", 1, LoadOp::Load, StoreOp::DontCare),
            ],
            vec![target],
        );
        let store = |a, basis| (a, "store".to_string(), Write, 4, basis);
        let load = (1, "load".to_string(), Read, 4, Basis::Exact);
        assert_eq!(
            moved("mali-g610-panvk-25.0", &pass),
            [store(0, Basis::Exact), load.clone(), store(1, Basis::Bound)]
        );
        assert_eq!(moved("mali-g610-panvk", &pass), [load]);
    }

    #[test]
    fn panvk_resolves_in_a_rendering_of_its_own() {
        let resolve = Some(ResolveUse { attachment: 1, mode: 2, ..ResolveUse::default() });
        let target = Subpass { color: vec![using(0)], resolve: vec![resolve], drawn: true, ..Subpass::default() };
        let pass = pass(
            vec![
                attachment("R8G8B8A8_UNORM", 4, LoadOp::Clear, StoreOp::DontCare),
                attachment("R8G8B8A8_UNORM", 1, LoadOp::DontCare, StoreOp::Store),
            ],
            vec![target],
        );
        let sums = |gpu: &str| {
            let sum = |d| moved(gpu, &pass).iter().filter(|m| m.2 == d).map(|m| m.3).sum::<u64>();
            [sum(Read), sum(Write)]
        };
        assert_eq!(sums("mali-g610"), [0, 4]);
        assert_eq!(sums("mali-g610-panvk-25.0"), [16, 20]);
    }

    #[test]
    fn binding_only_depth_of_a_packed_format_loads_the_word() {
        let mut pass = pass(
            vec![attachment("D24_UNORM_S8_UINT", 1, LoadOp::Clear, StoreOp::DontCare)],
            vec![Subpass { depth: using(0), stencil: using(0), drawn: true, ..Subpass::default() }],
        );
        let read =
            |pass: &Pass| moved("mali-g610-panvk", pass).iter().filter(|m| m.2 == Read).map(|m| m.3).sum::<u64>();
        assert_eq!(read(&pass), 0);
        pass.subpasses[0].stencil = None;
        assert_eq!(read(&pass), 4);
    }
}
