//! Which tile pass uses which aspect of which attachment, and how.

use super::{PassView, texels};
use crate::format;
use crate::frame::{Aspects, ClearAttachment, Layout};
use crate::gpu::{AttachmentRules, PackedDepthStencil};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// What a tile pass does with one aspect of an attachment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Renders to it.
    pub target: bool,
    /// May change it.
    pub writes: bool,
    /// Reads it as input attachment from memory: nothing in the tile pass has rendered to it by then.
    pub input: bool,
    /// Reads it as input attachment, wherever its contents are.
    pub reads: bool,
    /// Resolves into it.
    pub resolve: bool,
    /// Resolves from it.
    pub resolved: bool,
    /// Some draw ran in the subpass.
    pub drawn: bool,
}

impl Use {
    /// Takes in what a subpass of the same tile pass does.
    fn merge(&mut self, other: Self) {
        // What is on chip is read on chip.
        let on_chip = self.target || other.target;
        self.input |= other.input && !on_chip;
        self.target |= other.target;
        self.reads |= other.reads;
        self.writes |= other.writes;
        self.resolve |= other.resolve;
        self.resolved |= other.resolved;
        self.drawn |= other.drawn;
    }
}

/// The uses of one aspect of an attachment, by tile pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AspectUses {
    /// Index of the attachment.
    pub attachment: u32,
    /// One aspect.
    pub aspect: Aspects,
    /// By tile pass, in order of execution.
    pub uses: BTreeMap<usize, Use>,
}

/// Which tile pass uses which aspect of which attachment how. `groups` are the subpasses of each tile pass.
pub fn uses(
    view: &PassView<'_>,
    groups: &[Vec<usize>],
    rules: AttachmentRules,
    left_out: &mut BTreeSet<String>,
) -> Arc<[AspectUses]> {
    let mut uses: BTreeMap<(u32, Aspects), BTreeMap<usize, Use>> = BTreeMap::new();
    let mut add = |tile_pass: usize, attachment: u32, aspect: Aspects, what: Use| {
        let Some(described) = view.attachment(attachment) else {
            left_out.insert("a subpass refers to an attachment that its pass does not have".to_string());
            return;
        };
        if described.image.is_some() && view.image(described).is_none() {
            left_out.insert("a pass refers to an image that its frame does not have".to_string());
        }
        let info = format::info(described.format);
        if info.is_none() {
            left_out.insert(format!("attachments of format {}", format::name(described.format)));
        }
        let own = info.map_or(aspect, format::Info::aspects);
        let packed = rules.packed_depth_stencil == PackedDepthStencil::Together
            && info.is_some_and(format::Info::packs_depth_stencil);
        // A depth format has no stencil to use, whatever the recording says; where both share a word and move together, using
        // one is using both.
        let touched = if aspect != Aspects::COLOR && packed && what.target { own } else { aspect };
        let present = |a: Aspects| a == Aspects::COLOR || own.contains(a);
        for aspect in texels::each(touched).filter(|a| present(*a)) {
            uses.entry((attachment, aspect)).or_default().entry(tile_pass).or_default().merge(what);
        }
    };
    let members = groups.iter().enumerate().flat_map(|(index, group)| group.iter().map(move |s| (index, *s)));
    for (index, subpass) in members.filter_map(|(index, s)| Some((index, view.pass.subpasses.get(s)?))) {
        let drawn = subpass.drawn;
        for (slot, target) in (0u32..).zip(&subpass.color) {
            if let Some(target) = target {
                let cleared = |c: &ClearAttachment| c.aspects.contains(Aspects::COLOR) && c.slot == slot;
                let writes = drawn || subpass.clears.iter().any(cleared);
                add(index, target.attachment, Aspects::COLOR, Use { target: true, writes, drawn, ..Use::default() });
            }
        }
        for (target, aspect) in [(&subpass.depth, Aspects::DEPTH), (&subpass.stencil, Aspects::STENCIL)] {
            if let Some(target) = target {
                let cleared = subpass.clears.iter().any(|c| c.aspects.contains(aspect));
                let writes = (drawn || cleared) && !is_read_only(target.layout, aspect);
                add(index, target.attachment, aspect, Use { target: true, writes, drawn, ..Use::default() });
            }
        }
        let resolve = Use { resolve: true, drawn, ..Use::default() };
        // The source is a target of the subpass already.
        let resolved = Use { resolved: true, ..Use::default() };
        for (source, target) in subpass.color.iter().zip(&subpass.resolve) {
            if let Some(target) = target {
                add(index, target.attachment, Aspects::COLOR, resolve);
            }
            // Without a source the colour exists on chip only (VK_ANDROID_external_format_resolve).
            if let (Some(source), Some(_)) = (source, target) {
                add(index, source.attachment, Aspects::COLOR, resolved);
            }
        }
        let depth = (&subpass.depth, &subpass.depth_resolve, Aspects::DEPTH);
        let stencil = (&subpass.stencil, &subpass.stencil_resolve, Aspects::STENCIL);
        for (source, target, aspect) in [depth, stencil] {
            if let (Some(source), Some(target)) = (source, target) {
                if target.mode != 0 {
                    add(index, target.attachment, aspect, resolve);
                    add(index, source.attachment, aspect, resolved);
                }
            }
        }
        for input in subpass.input.iter().flatten() {
            let own = view.attachment(input.attachment).and_then(|a| format::info(a.format)).map(format::Info::aspects);
            // What a recording names beside the format's own aspects, or instead of them, means all of them.
            let named = Aspects(input.aspects.0 & own.unwrap_or(input.aspects).0);
            let aspects = if named.0 == 0 { own.unwrap_or(Aspects::COLOR) } else { named };
            for aspect in texels::each(aspects) {
                add(index, input.attachment, aspect, Use { input: true, reads: true, drawn, ..Use::default() });
            }
        }
    }
    uses.into_iter().map(|((attachment, aspect), uses)| AspectUses { attachment, aspect, uses }).collect()
}

/// What the uses of a pass rest on.
struct Basis {
    groups: Vec<Vec<usize>>,
    packed: PackedDepthStencil,
}

/// The same, recalled where some GPU groups the subpasses alike.
pub fn known_uses(
    view: &PassView<'_>,
    groups: &[Vec<usize>],
    rules: AttachmentRules,
    left_out: &mut BTreeSet<String>,
) -> Arc<[AspectUses]> {
    let packed = rules.packed_depth_stencil;
    view.shape().known(|known: &Basis| known.packed == packed && known.groups == groups).unwrap_or_else(|| {
        let found = uses(view, groups, rules, left_out);
        view.shape().keep(|| Basis { groups: groups.to_vec(), packed }, found)
    })
}

/// Whether a layout forbids writing the aspect.
pub fn is_read_only(layout: Layout, aspect: Aspects) -> bool {
    match layout.0 {
        // DEPTH_STENCIL_READ_ONLY_OPTIMAL, SHADER_READ_ONLY_OPTIMAL, READ_ONLY_OPTIMAL
        4 | 5 | 1_000_314_000 => true,
        // DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL, DEPTH_READ_ONLY_OPTIMAL
        1_000_117_000 | 1_000_241_001 => aspect == Aspects::DEPTH,
        // DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL, STENCIL_READ_ONLY_OPTIMAL
        1_000_117_001 | 1_000_241_003 => aspect == Aspects::STENCIL,
        _ => false,
    }
}
