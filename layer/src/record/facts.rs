//! From graphics state to what a draw with it can do to attachments.
//!
//! Inputs: the values that a pipeline fixes, those that vkCmdSet* has set, and which of the two counts for what. Output: [`DrawFacts`].
//! State that should have been set and was not makes them unknown; per slot it makes them the larger of what is possible.

use super::values::{SLOTS, Values, item};
use tbdr_model::frame::DrawFacts;

/// VK_COMPARE_OP_NEVER.
const NEVER: u8 = 0;
/// VK_COMPARE_OP_ALWAYS.
const ALWAYS: u8 = 7;
/// VK_STENCIL_OP_KEEP, _ZERO and _REPLACE: the result does not depend on what is there.
const KEEP: u8 = 0;
const REPLACE: u8 = 2;
/// VK_LOGIC_OP_CLEAR, _COPY, _COPY_INVERTED and _SET: the result does not depend on what is there.
const BLIND_LOGIC: u32 = 1 | 1 << 3 | 1 << 12 | 1 << 15;

/// Which slots vkCmdSet* has been told of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given {
    /// Items that were set and not invalidated since.
    pub items: u32,
    /// Slots of COLOR_BLEND_ENABLE.
    pub blend: u32,
    /// Slots of COLOR_BLEND_EQUATION.
    pub equation: u32,
    /// Slots of COLOR_WRITE_MASK.
    pub mask: u32,
}

/// Everything that decides.
pub struct State<'a> {
    /// What the pipeline fixes.
    pub fixed: &'a Values,
    /// What vkCmdSet* has set.
    pub set: &'a Values,
    /// What of it was set.
    pub given: Given,
    /// Items that are dynamic.
    pub dynamic: u32,
    /// Dynamic items that need not be set.
    pub optional: u32,
    /// Colour slots that may be written at all.
    pub slots: u32,
}

impl State<'_> {
    fn of(&self, item: u32) -> &Values {
        if self.dynamic & item != 0 { self.set } else { self.fixed }
    }

    fn on(&self, item: u32) -> bool {
        self.of(item).on & item != 0
    }

    /// Slots of an item that were never set, where it is dynamic.
    fn not_given(&self, item: u32, given: u32) -> u32 {
        match (self.dynamic & item != 0, self.given.items & item != 0) {
            (false, _) => 0,
            (true, true) => !given,
            (true, false) => u32::MAX,
        }
    }

    /// What a draw with this state can do.
    pub fn facts(&self) -> DrawFacts {
        let missing = self.dynamic & !self.given.items & !self.optional;
        let mut facts = DrawFacts { known: missing & (item::DISCARD | item::TOPOLOGY) == 0, ..DrawFacts::default() };
        facts.known &= missing & item::VERTEX_INPUT == 0;
        facts.topologies = bit(self.of(item::TOPOLOGY).topology);
        self.vertex(&mut facts);
        if self.on(item::DISCARD) {
            return facts;
        }
        let mut need = |items: u32| facts.known &= missing & items == 0;
        need(item::SAMPLES | item::DEPTH_TEST | item::STENCIL_TEST | item::DEPTH_BOUNDS | item::ALPHA_TO_COVERAGE);
        need(item::DEPTH_CLAMP | item::FEEDBACK | item::WRITE_ENABLE | item::LOGIC);
        if self.on(item::DEPTH_TEST) {
            need(item::DEPTH_COMPARE | item::DEPTH_WRITE);
        }
        if self.on(item::STENCIL_TEST) {
            need(item::STENCIL_OP[0] | item::STENCIL_OP[1] | item::STENCIL_MASK[0] | item::STENCIL_MASK[1]);
        }
        if self.on(item::LOGIC) {
            need(item::LOGIC_OP);
        }
        facts.viewport = self.of(item::VIEWPORT).viewport;
        facts.scissor = self.of(item::SCISSOR).scissor;
        facts.samples = self.of(item::SAMPLES).samples;
        facts.pixel_shading = facts.samples > 1 && !self.on(item::SAMPLE_SHADING);
        facts.alpha_to_coverage = self.on(item::ALPHA_TO_COVERAGE);
        facts.depth_clamp = self.on(item::DEPTH_CLAMP);
        facts.feedback = self.of(item::FEEDBACK).feedback;
        self.depth(&mut facts);
        self.stencil(&mut facts);
        self.color(&mut facts);
        facts
    }

    fn vertex(&self, facts: &mut DrawFacts) {
        let vertex = self.of(item::VERTEX_INPUT).vertex;
        let strides = &self.of(item::STRIDES).strides;
        facts.vertex_bindings = vertex.used;
        let mut left = vertex.used;
        while left != 0 {
            let binding = left.trailing_zeros();
            left &= left - 1;
            let sum = match vertex.instanced >> binding & 1 {
                0 => &mut facts.vertex_stride,
                _ => &mut facts.instance_stride,
            };
            *sum = sum.saturating_add(strides[binding as usize]);
        }
    }

    fn depth(&self, facts: &mut DrawFacts) {
        facts.depth_bounds = self.on(item::DEPTH_BOUNDS);
        facts.depth_tests = facts.depth_bounds;
        if self.on(item::DEPTH_TEST) {
            let compare = self.of(item::DEPTH_COMPARE).depth_compare;
            facts.depth_compares = bit(compare);
            facts.depth_tests |= compare != NEVER && compare != ALWAYS;
            facts.depth_writes = self.on(item::DEPTH_WRITE) && compare != NEVER;
        }
    }

    fn stencil(&self, facts: &mut DrawFacts) {
        if !self.on(item::STENCIL_TEST) {
            return;
        }
        // Without a depth attachment the depth test passes: this is more than can happen.
        let depth_fails = facts.depth_compares & !(1 << ALWAYS) != 0;
        for face in 0..2 {
            let state = self.of(item::STENCIL_OP[face]).faces[face];
            let mask = self.of(item::STENCIL_MASK[face]).stencil_masks[face];
            facts.stencil_tests |= state.compare != NEVER && state.compare != ALWAYS;
            let may = [
                (state.fail, state.compare != ALWAYS),
                (state.depth_fail, state.compare != NEVER && depth_fails),
                (state.pass, state.compare != NEVER),
            ];
            for (operation, may) in may {
                if !may || operation == KEEP || mask == 0 {
                    continue;
                }
                facts.stencil_writes = true;
                // Bits that are masked out are kept.
                facts.stencil_tests |= operation > REPLACE || mask != u8::MAX;
            }
        }
    }

    fn color(&self, facts: &mut DrawFacts) {
        let masks = &self.of(item::WRITE_MASK).masks;
        let unmasked = self.not_given(item::WRITE_MASK, self.given.mask);
        let mut writes = unmasked;
        for (slot, mask) in masks.iter().enumerate().take(SLOTS) {
            writes |= u32::from(*mask != 0) << slot;
        }
        writes &= self.slots & self.of(item::WRITE_ENABLE).enabled;
        for (slot, (fact, mask)) in facts.color_masks.iter_mut().zip(masks).enumerate() {
            let mask = if unmasked >> slot & 1 == 1 { 0xf } else { *mask };
            *fact = if writes >> slot & 1 == 1 { mask } else { 0 };
        }
        let mut reads = (self.of(item::BLEND).blend | self.not_given(item::BLEND, self.given.blend))
            & (self.of(item::EQUATION).equation_reads | self.not_given(item::EQUATION, self.given.equation));
        if self.on(item::LOGIC) {
            let operation = bit(self.of(item::LOGIC_OP).logic_op);
            facts.logic_ops = operation;
            // Formats that logic operations leave alone are written as they are, and not blended.
            reads = if operation & BLIND_LOGIC == 0 { u32::MAX } else { 0 };
        }
        facts.color_writes = writes;
        facts.color_reads = reads & writes;
    }
}

/// The bit of a value; none for a value beyond.
fn bit(value: u8) -> u32 {
    1u32.checked_shl(u32::from(value)).unwrap_or(0)
}
