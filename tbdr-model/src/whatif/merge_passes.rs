//! A pass that continues in another: its draws run at the end of the other's last subpass.
//!
//! Attachments that both have are one, with the loads of the first and the stores of the second; what the second clears is cleared by
//! vkCmdClearAttachments where it begins. What only the second has is attached from the start, with its own operations, and no draw of the
//! first touches it. Whether the program may do so is the rule's business; what does not fit changes nothing.

use super::Draft;
use crate::format;
use crate::frame::{
    Aspects, Attachment, AttachmentUse, ClearAttachment, DrawFacts, LoadOp, Pass, ResolveUse, ShaderAccess, StoreOp,
    Subpass,
};
use alloc::vec;
use alloc::vec::Vec;

/// Merges passes, each as the other edits have made it.
pub fn apply(draft: &mut Draft<'_>, first: u32, second: u32) {
    let first = draft.place(first);
    // What has moved moves no more.
    if first >= second || draft.place(second) != second {
        return;
    }
    let (Some(one), Some(other)) = (draft.pass(first), draft.pass(second)) else { return };
    if let (Some(merged), Some(place)) = (merged(&one, &other), draft.pass_mut(first)) {
        *place = merged;
        draft.moved(second, first);
    }
}

/// Whether two attachments are one view of one image.
pub fn is_same_view(one: &Attachment, other: &Attachment) -> bool {
    one.image.is_some()
        && (one.image, one.range, one.format, one.samples) == (other.image, other.range, other.format, other.samples)
}

/// Both passes as one, as GPUs see it; what the shaders of both reach is not told. `None` if the second has no place in the first.
pub fn merged(first: &Pass, second: &Pass) -> Option<Pass> {
    let [added] = second.subpasses.as_slice() else { return None };
    let last = first.subpasses.last()?;
    let rates = last.shading_rate.or(added.shading_rate);
    if !added.input.is_empty() || second.density_map.is_some() || rates.is_some() {
        return None;
    }
    let mut pass = first.clone();
    let mut numbers = Vec::with_capacity(second.attachments.len());
    for own in &second.attachments {
        let known = pass.attachments.iter().position(|a| is_same_view(a, own));
        if known.is_none() {
            pass.attachments.push(own.clone());
        }
        numbers.push(known.unwrap_or(pass.attachments.len() - 1) as u32);
    }
    let known = first.attachments.len() as u32;
    let last = pass.subpasses.last_mut()?;
    let slots = Slots::of(last, added, (&numbers, known))?;
    let samples = |used: &AttachmentUse| pass.attachments.get(used.attachment as usize).map(|a| a.samples);
    let more = last.targets().any(|used| used.attachment >= known);
    if more && last.targets().any(|used| Some(samples(used)) != last.targets().next().map(samples)) {
        return None;
    }
    let cleared =
        clears(second, added, &slots, |used| numbers.get(used.attachment as usize).is_some_and(|n| *n < known));
    join(last, added, &slots, &numbers, cleared)?;
    for ((index, own), number) in (0u32..).zip(&second.attachments).zip(&numbers).filter(|(_, n)| **n < known) {
        let both = pass.attachments.get_mut(*number as usize)?;
        // Of an aspect that the second does not use the operations mean nothing.
        let is_it = |used: &Option<AttachmentUse>| used.is_some_and(|used| used.attachment == index);
        let main = added.color.iter().any(is_it) || is_it(&added.depth);
        let later = |first: StoreOp, second: StoreOp, used: bool| {
            if used && second != StoreOp::None { second } else { first }
        };
        both.store = later(both.store, own.store, main);
        both.stencil_store = later(both.stencil_store, own.stencil_store, is_it(&added.stencil));
        (both.final_layout, both.stencil_final_layout) = (own.final_layout, own.stencil_final_layout);
    }
    pass.render_area = first.render_area.union(second.render_area);
    Some(pass)
}

/// VkPhysicalDeviceLimits::maxColorAttachments of any device: at least this.
const COLORS_EVERYWHERE: usize = 4;

/// For each colour slot of the second pass its slot in the first.
struct Slots(Vec<Option<usize>>);

impl Slots {
    /// The slots, once `last` renders to what only the second does as well: attachments from number `known` on. `None` if the second
    /// renders to something that the first has in another role, or if there is no slot for it.
    fn of(last: &mut Subpass, added: &Subpass, (numbers, known): (&[u32], u32)) -> Option<Self> {
        let number = |used: AttachmentUse| numbers.get(used.attachment as usize).copied();
        let most = COLORS_EVERYWHERE.max(last.color.len()).max(added.color.len());
        let mut slots = Vec::with_capacity(added.color.len());
        for (at, used) in added.color.iter().enumerate() {
            let Some(used) = *used else {
                slots.push(None);
                continue;
            };
            let attachment = number(used)?;
            let own = last.color.iter().position(|slot| slot.is_some_and(|slot| slot.attachment == attachment));
            let slot = match own {
                Some(slot) => slot,
                None if attachment < known => return None,
                None => add_color(last, at, AttachmentUse { attachment, ..used }),
            };
            slots.push(Some(slot));
        }
        let free = last.depth.is_none() && last.stencil.is_none();
        for (used, of_first) in [(added.depth, &mut last.depth), (added.stencil, &mut last.stencil)] {
            let Some(used) = used else { continue };
            let attachment = number(used)?;
            match of_first {
                Some(own) if own.attachment == attachment => {}
                None if free && attachment >= known => {
                    *of_first = Some(AttachmentUse { attachment, ..used });
                    last.draws = without_depth(last.draws);
                }
                _ => return None,
            }
        }
        (last.color.len() <= most).then_some(Self(slots))
    }

    fn of_slot(&self, slot: usize) -> Option<usize> {
        self.0.get(slot).copied().flatten()
    }

    /// Bits of slots, moved to the slots of the first pass.
    fn bits(&self, bits: u32) -> u32 {
        let moved = (0..self.0.len()).filter(|slot| bits.checked_shr(*slot as u32).is_some_and(|bits| bits & 1 == 1));
        moved.filter_map(|slot| 1u32.checked_shl(self.of_slot(slot)? as u32)).fold(0, |all, bit| all | bit)
    }

    fn facts(&self, facts: DrawFacts) -> DrawFacts {
        let mut masks = [0; 8];
        for (slot, mask) in facts.color_masks.iter().enumerate() {
            if let Some(place) = self.of_slot(slot).and_then(|slot| masks.get_mut(slot)) {
                *place |= mask;
            }
        }
        let (color_writes, color_reads) = (self.bits(facts.color_writes), self.bits(facts.color_reads));
        DrawFacts { color_writes, color_reads, color_masks: masks, ..facts }
    }
}

/// Adds a colour attachment, which no draw so far writes, behind all others; at slot `at` if that is free. The slot that it got.
fn add_color(last: &mut Subpass, at: usize, used: AttachmentUse) -> usize {
    let slot = at.max(last.color.len());
    last.color.resize(slot, None);
    last.color.push(Some(used));
    if !last.resolve.is_empty() {
        last.resolve.resize(last.color.len(), None);
    }
    if let Some(bit) = u32::try_from(slot).ok().and_then(|slot| 1u32.checked_shl(slot)) {
        last.draws.color_writes &= !bit;
        last.draws.color_reads &= !bit;
    }
    if let Some(mask) = last.draws.color_masks.get_mut(slot) {
        *mask = 0;
    }
    slot
}

/// What draws do where there is neither depth nor stencil: nothing to either.
fn without_depth(facts: DrawFacts) -> DrawFacts {
    DrawFacts {
        depth_tests: false,
        depth_writes: false,
        depth_compares: 0,
        depth_bounds: false,
        stencil_tests: false,
        stencil_writes: false,
        ..facts
    }
}

/// What the loads of the second clear of attachments that the first has as well, as commands.
fn clears(
    second: &Pass,
    added: &Subpass,
    slots: &Slots,
    is_known: impl Fn(&AttachmentUse) -> bool,
) -> Vec<ClearAttachment> {
    let layers = second.layers.max(1);
    let clear = |aspects, slot| ClearAttachment {
        aspects,
        slot,
        rects: vec![(second.render_area, 0, layers)],
        after_draw: true,
        conditional: false,
    };
    let of = |used: &Option<AttachmentUse>| {
        used.filter(&is_known).and_then(|used| second.attachments.get(used.attachment as usize))
    };
    let mut found = Vec::new();
    for (slot, used) in added.color.iter().enumerate() {
        if let (Some(LoadOp::Clear), Some(slot)) = (of(used).map(|a| a.load), slots.of_slot(slot)) {
            found.push(clear(Aspects::COLOR, slot as u32));
        }
    }
    let has = |a: &Attachment, aspect| format::info(a.format).is_none_or(|info| info.aspects().contains(aspect));
    if of(&added.depth).is_some_and(|a| a.load == LoadOp::Clear && has(a, Aspects::DEPTH)) {
        found.push(clear(Aspects::DEPTH, 0));
    }
    if of(&added.stencil).is_some_and(|a| a.stencil_load == LoadOp::Clear && has(a, Aspects::STENCIL)) {
        found.push(clear(Aspects::STENCIL, 0));
    }
    found
}

/// Adds what ran in the second pass to the last subpass of the first.
fn join(
    last: &mut Subpass,
    added: &Subpass,
    slots: &Slots,
    numbers: &[u32],
    cleared: Vec<ClearAttachment>,
) -> Option<()> {
    let after_draw = last.drawn;
    for clear in cleared {
        add_clear(&mut last.clears, ClearAttachment { after_draw, ..clear });
    }
    for clear in &added.clears {
        let color = clear.aspects.contains(Aspects::COLOR);
        let slot = if color { slots.of_slot(clear.slot as usize)? as u32 } else { clear.slot };
        let after_draw = clear.after_draw || after_draw;
        add_clear(&mut last.clears, ClearAttachment { slot, after_draw, ..clear.clone() });
    }
    if added.drawn {
        let facts = slots.facts(added.draws);
        if after_draw {
            last.draws.merge(facts);
        } else {
            last.draws = facts;
        }
        last.drawn = true;
    }
    // Nobody asks of both as one what their shaders reach, and a long row would gather much.
    last.shader = ShaderAccess::default();
    let renumbered = |used: ResolveUse| {
        let attachment = *numbers.get(used.attachment as usize)?;
        Some(ResolveUse { attachment, ..used })
    };
    let take = |own: &mut Option<ResolveUse>, used: ResolveUse| {
        let used = renumbered(used)?;
        let free = own.is_none_or(|own| own.attachment == used.attachment && own.mode == used.mode);
        free.then(|| *own = Some(used))
    };
    for (slot, used) in added.resolve.iter().enumerate() {
        if let Some(used) = used {
            let slot = slots.of_slot(slot)?;
            if last.resolve.len() < last.color.len() {
                last.resolve.resize(last.color.len(), None);
            }
            take(last.resolve.get_mut(slot)?, *used)?;
        }
    }
    for (own, used) in
        [(&mut last.depth_resolve, added.depth_resolve), (&mut last.stencil_resolve, added.stencil_resolve)]
    {
        if let Some(used) = used {
            take(own, used)?;
        }
    }
    for barrier in &added.barriers {
        if !last.barriers.contains(barrier) {
            last.barriers.push(barrier.clone());
        }
    }
    Some(())
}

/// Adds a clear unless there is one of the same kind: where it clears decides nothing about a pass that is more than one, and a row of
/// passes is to stay as large as one of them.
fn add_clear(clears: &mut Vec<ClearAttachment>, more: ClearAttachment) {
    let kind = |clear: &ClearAttachment| (clear.aspects, clear.slot, clear.after_draw, clear.conditional);
    if !clears.iter().any(|clear| kind(clear) == kind(&more)) {
        clears.push(more);
    }
}
