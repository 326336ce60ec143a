//! What turnip makes of load, store and resolve: which attachments lie in GMEM and what moves them
//! (Mesa 25.0.7, src/freedreno/vulkan/tu_pass.cc).

use super::{Cpp, Hardware};
use crate::format::Info;
use crate::frame::{Aspects, Attachment, LoadOp, Pass, ResolveUse, StoreOp, Subpass};
use crate::gpu::AttachmentRules;
use crate::model::{Movement, PassView, Walk};
use crate::report::{Basis, Direction};
use alloc::vec::Vec;

/// Bytes per pixel of an attachment in GMEM. Depth and stencil share a word or have a plane each.
pub fn cpp(format: &Info, samples: u32) -> Cpp {
    let samples = u64::from(samples.max(1));
    let plane = |aspect| format.aspect_bytes(aspect).map_or(0, |b| b.0).saturating_mul(samples);
    let two_planes =
        format.aspects() == Aspects(Aspects::DEPTH.0 | Aspects::STENCIL.0) && !format.packs_depth_stencil();
    if two_planes {
        return Cpp { main: plane(Aspects::DEPTH), stencil: Some(plane(Aspects::STENCIL)) };
    }
    Cpp { main: u64::from(format.block_bytes).saturating_mul(samples), stencil: None }
}

/// Whether some subpass renders to the attachment, which is what puts it into GMEM. Pure input attachments and resolve targets
/// stay in memory.
pub fn is_in_gmem(pass: &Pass, attachment: u32) -> bool {
    let targets = |s: &Subpass| {
        s.color.iter().chain([&s.depth, &s.stencil]).flatten().any(|target| target.attachment == attachment)
    };
    pass.subpasses.iter().any(targets)
}

/// Whether a subpass resolves the attachment, or resolves into it if `target`.
fn is_resolved(pass: &Pass, attachment: u32, target: bool) -> bool {
    pass.subpasses
        .iter()
        .any(|s| resolves(s).any(|(source, resolve)| attachment == if target { resolve.attachment } else { source }))
}

/// Source attachment and target of each resolve of a subpass.
pub(super) fn resolves(subpass: &Subpass) -> impl Iterator<Item = (u32, ResolveUse)> + '_ {
    let color = subpass.color.iter().zip(&subpass.resolve);
    let depth = [(&subpass.depth, &subpass.depth_resolve), (&subpass.stencil, &subpass.stencil_resolve)];
    color.chain(depth).filter_map(|(source, target)| Some((source.as_ref()?.attachment, (*target)?)))
}

/// What turnip makes of an attachment's operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Colour or depth is loaded, with stencil where they share a word.
    pub load: bool,
    /// A stencil plane of its own is loaded.
    pub load_stencil: bool,
    /// Colour or depth is stored, with stencil where they share a word.
    pub store: bool,
    /// A stencil plane of its own is stored.
    pub store_stencil: bool,
    /// Something is cleared.
    pub clear: bool,
}

/// Operations of an attachment, for the planes it has.
pub fn operations(format: &Info, attachment: &Attachment, in_gmem: bool) -> Operations {
    let depth = (attachment.load, attachment.store);
    let stencil = (attachment.stencil_load, attachment.stencil_store);
    let (load, store, clear) = (LoadOp::Load, StoreOp::Store, LoadOp::Clear);
    let mut operations = if format.packs_depth_stencil() {
        let stores = depth.1 == store || stencil.1 == store;
        // A store writes the whole word, so an aspect that must stay as it is has to be there first.
        let keeps = stores && (depth.1 == StoreOp::None || stencil.1 == StoreOp::None);
        Operations {
            load: depth.0 == load || stencil.0 == load || keeps,
            store: stores,
            clear: depth.0 == clear || stencil.0 == clear,
            ..Operations::default()
        }
    } else if format.aspects() == Aspects::STENCIL {
        Operations {
            load: stencil.0 == load,
            store: stencil.1 == store,
            clear: stencil.0 == clear,
            ..Operations::default()
        }
    } else {
        let both = format.aspects().contains(Aspects::STENCIL);
        Operations {
            load: depth.0 == load,
            store: depth.1 == store,
            load_stencil: both && stencil.0 == load,
            store_stencil: both && stencil.1 == store,
            clear: depth.0 == clear || (both && stencil.0 == clear),
        }
    };
    // What lies in memory is neither loaded nor cleared, but a store of it is still asked for.
    operations.load &= in_gmem;
    operations.load_stencil &= in_gmem;
    operations.clear &= in_gmem;
    operations
}

/// Whether bins without geometry may skip the load and the store of an attachment.
pub fn conditional(hardware: &Hardware, pass: &Pass, attachment: u32, operations: Operations) -> (bool, bool) {
    let may = !hardware.generic_clear && !operations.clear;
    let load = operations.load || operations.load_stencil;
    let store = operations.store || operations.store_stencil;
    (may && load && !is_resolved(pass, attachment, false), may && store)
}

/// Bytes per pixel that turnip's own estimate moves in GMEM mode and in system memory mode.
pub fn bandwidth(view: &PassView<'_>) -> Option<(u64, u64)> {
    let (mut gmem, mut system) = (0u64, 0u64);
    for (index, attachment) in (0u32..).zip(&view.pass.attachments) {
        let format = view.format(index)?;
        let main = cpp(format, attachment.samples).main;
        let operations = operations(format, attachment, is_in_gmem(view.pass, index));
        for moved in [operations.load, operations.store] {
            gmem = gmem.saturating_add(if moved { main } else { 0 });
        }
        system = system.saturating_add(if operations.clear { main } else { 0 });
        if is_resolved(view.pass, index, false) {
            system = system.saturating_add(main).saturating_add(main / u64::from(attachment.samples.max(1)));
        }
    }
    Some((gmem, system))
}

/// Movements of a pass that bypasses GMEM: clears are writes of the whole area, loads and stores are nothing, resolves read what
/// was drawn; what draws move in between depends on the draws.
pub(super) fn immediate(walk: &Walk<'_>, rules: AttachmentRules) -> Vec<Movement> {
    let mut found = Vec::new();
    for used in walk.uses.iter() {
        let Some(ops) = walk.ops(used, rules) else { continue };
        for (at, (&tile_pass, u)) in used.uses.iter().enumerate() {
            let mut add = |direction, cause, basis| found.push(Movement::new(tile_pass, used, direction, cause, basis));
            if at == 0 && ops.clear && (u.target || u.input) {
                add(Direction::Write, "clear", Basis::Exact);
            }
            if u.target && (u.drawn || u.writes) {
                add(Direction::Read, "in_memory", Basis::Undecided);
                add(Direction::Write, "in_memory", Basis::Undecided);
            }
            if u.input && !u.target && u.drawn {
                add(Direction::Read, "input", Basis::Undecided);
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

/// For each input slot of a subpass whether it is read from GMEM: an earlier subpass has rendered to the attachment or resolved into
/// it, or this one renders to it.
pub fn reads_gmem(pass: &Pass, subpass: usize) -> Vec<bool> {
    let targets =
        |s: &Subpass, a: u32| s.color.iter().chain([&s.depth, &s.stencil]).flatten().any(|used| used.attachment == a);
    let earlier = || pass.subpasses.iter().take(subpass);
    let written = |a: u32| earlier().any(|s| targets(s, a) || resolves(s).any(|(_, target)| target.attachment == a));
    let Some(own) = pass.subpasses.get(subpass) else { return Vec::new() };
    own.input
        .iter()
        .map(|slot| slot.is_some_and(|used| written(used.attachment) || targets(own, used.attachment)))
        .collect()
}

/// Whether a subpass reads what it renders to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Feedback {
    /// A colour attachment is its own input.
    pub color: bool,
    /// The depth/stencil attachment is its own input.
    pub depth_stencil: bool,
}

/// Feedback loops of a subpass: pipelines there flush after every primitive.
pub fn feedback(subpass: &Subpass) -> Feedback {
    let input = |a: u32| subpass.input.iter().flatten().any(|used| used.attachment == a);
    Feedback {
        color: subpass.color.iter().flatten().any(|used| input(used.attachment)),
        depth_stencil: [subpass.depth, subpass.stencil].into_iter().flatten().any(|used| input(used.attachment)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::by_name;

    fn attachment(name: &str, load: LoadOp, store: StoreOp, stencil: (LoadOp, StoreOp)) -> Attachment {
        let format = by_name(name).unwrap().format;
        let (stencil_load, stencil_store) = stencil;
        Attachment { format, samples: 1, load, store, stencil_load, stencil_store, ..Attachment::default() }
    }

    #[test]
    fn depth_and_stencil_of_one_word_move_together() {
        let (load, store) = (LoadOp::Load, StoreOp::Store);
        let one = attachment("D24_UNORM_S8_UINT", LoadOp::Clear, StoreOp::DontCare, (load, store));
        let moved = operations(by_name("D24_UNORM_S8_UINT").unwrap(), &one, true);
        assert!(moved.load && moved.store && moved.clear);
        let kept = attachment("D24_UNORM_S8_UINT", LoadOp::Clear, store, (LoadOp::None, StoreOp::None));
        assert!(operations(by_name("D24_UNORM_S8_UINT").unwrap(), &kept, true).load);
    }
}
