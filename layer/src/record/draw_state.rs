//! The graphics state of a command buffer: what is bound, and what vkCmdSet* has set.
//!
//! Inputs: binds and sets, in order. Output: the [`DrawFacts`] of a draw made now. Binds and sets only note what is new and mark the state
//! dirty; the next draw asks for the facts once.
//!
//! As the specification has it: a command buffer begins with nothing set; a pipeline that fixes a state invalidates what was set of it;
//! shader objects leave everything to vkCmdSet*; after vkCmdExecuteCommands nothing is known.

use super::facts::{Given, State};
use super::pipeline::Pipeline;
use super::static_use::StaticUse;
use super::values::{Face, SLOTS, Values, Vertex, item};
use std::sync::Arc;
use tbdr_model::frame::DrawFacts;
use tbdr_model::units::Rect2D;

/// Number of the bit VK_SHADER_STAGE_MESH_BIT_EXT.
const MESH: usize = 7;

/// What draws run.
#[derive(Default)]
enum Bound {
    /// Nothing that is known.
    #[default]
    Unknown,
    /// A graphics pipeline.
    Pipeline(Arc<Pipeline>),
    /// Shader objects: those in `shaders`.
    Shaders,
}

/// The graphics state.
pub struct DrawState {
    /// Whether anything has changed since the last draw: also what another part of the command buffer's state draws depend on.
    pub dirty: bool,
    /// Whether other shaders were bound since the command buffer last asked for what they reach.
    pub rebound: bool,
    bound: Bound,
    /// What the shader objects reach, by number of the bit of their stage.
    shaders: [Option<Arc<StaticUse>>; 8],
    set: Values,
    given: Given,
    /// One more than the highest index of a viewport, then of a scissor, that was set.
    rects: [u32; 2],
    /// Colour attachments that VkRenderingAttachmentLocationInfo leaves without a location.
    unused: u32,
}

impl Default for DrawState {
    fn default() -> Self {
        Self {
            dirty: true,
            rebound: true,
            bound: Bound::default(),
            shaders: Default::default(),
            set: Values::UNSET,
            given: Given::default(),
            rects: [0; 2],
            unused: 0,
        }
    }
}

/// How a command sets rectangles: from an index on, or all of them.
#[derive(Clone, Copy)]
pub enum Which {
    /// So many from this index on.
    From(u32, u32),
    /// These are all (…WithCount).
    All,
}

impl DrawState {
    /// vkCmdBindPipeline at the graphics bind point; `None` for a pipeline whose creation was not seen.
    pub fn bind(&mut self, pipeline: Option<Arc<Pipeline>>) {
        (self.dirty, self.rebound) = (true, true);
        let Some(pipeline) = pipeline else {
            // It may fix anything.
            self.forget();
            return;
        };
        self.invalidate(!pipeline.parts.dynamic);
        self.bound = Bound::Pipeline(pipeline);
    }

    /// vkCmdBindShadersEXT of a graphics stage (VkShaderStageFlagBits): what the shader reaches, or `None` to unbind.
    pub fn bind_shader(&mut self, stage: u32, uses: Option<Arc<StaticUse>>) {
        (self.dirty, self.rebound) = (true, true);
        if !matches!(self.bound, Bound::Shaders) {
            self.shaders = Default::default();
            self.bound = Bound::Shaders;
        }
        if let Some(place) = self.shaders.get_mut(stage.trailing_zeros() as usize) {
            *place = uses;
        }
    }

    /// Nothing is known any more.
    pub fn forget(&mut self) {
        *self = Self { unused: self.unused, ..Self::default() };
    }

    /// vkCmdSetRenderingAttachmentLocations: colour attachments that have no location.
    pub fn set_unused(&mut self, unused: u32) {
        self.dirty |= self.unused != unused;
        self.unused = unused;
    }

    /// What a draw can do now.
    pub fn facts(&self) -> DrawFacts {
        let slots = !self.unused;
        match &self.bound {
            Bound::Unknown => DrawFacts::default(),
            Bound::Pipeline(pipeline) => pipeline.facts(&self.set, self.given, slots),
            Bound::Shaders => self.shader_facts(),
        }
    }

    /// Of shader objects.
    fn shader_facts(&self) -> DrawFacts {
        let facts = State {
            fixed: &Values::MESH,
            set: &self.set,
            given: self.given,
            dynamic: match self.shaders[MESH] {
                Some(_) => item::ALL & !item::OF_VERTEX_INPUT,
                None => item::ALL,
            },
            optional: item::OPTIONAL,
            slots: !self.unused,
        }
        .facts();
        let pixel_shading = facts.pixel_shading && self.shaders.iter().flatten().all(|uses| uses.pixel_shading);
        DrawFacts { pixel_shading, ..facts }
    }

    /// What the shaders of a draw made now statically use; `None` if nothing is bound that is known.
    pub fn uses(&self) -> Option<impl Iterator<Item = &Arc<StaticUse>>> {
        let (pipeline, shaders) = match &self.bound {
            Bound::Unknown => return None,
            Bound::Pipeline(pipeline) => (Some(&pipeline.uses), &[][..]),
            Bound::Shaders => (None, &self.shaders[..]),
        };
        Some(pipeline.into_iter().chain(shaders.iter().flatten()))
    }

    fn invalidate(&mut self, items: u32) {
        let gone = self.given.items & items;
        if gone != 0 {
            self.given.items &= !gone;
            self.set.take(gone, &Values::UNSET);
            let given = &mut self.given;
            for (item, slots) in [
                (item::BLEND, &mut given.blend),
                (item::EQUATION, &mut given.equation),
                (item::WRITE_MASK, &mut given.mask),
            ] {
                if gone & item != 0 {
                    *slots = 0;
                }
            }
            for (at, item) in [item::VIEWPORT, item::SCISSOR].into_iter().enumerate() {
                if gone & item != 0 {
                    self.rects[at] = 0;
                }
            }
        }
    }

    fn given(&mut self, item: u32, changed: bool) {
        self.dirty |= changed | (self.given.items & item != item);
        self.given.items |= item;
    }

    /// A switch.
    pub fn switch(&mut self, item: u32, on: bool) {
        let value = if on { self.set.on | item } else { self.set.on & !item };
        let changed = value != self.set.on;
        self.set.on = value;
        self.given(item, changed);
    }

    /// Any other single value.
    pub fn put<T: PartialEq>(&mut self, item: u32, place: impl FnOnce(&mut Values) -> &mut T, value: T) {
        let at = place(&mut self.set);
        let changed = *at != value;
        *at = value;
        self.given(item, changed);
    }

    /// Viewports. `around` is the rectangle around those given.
    pub fn viewports(&mut self, which: Which, around: Option<Rect2D>) {
        self.rects(item::VIEWPORT, 0, which, around);
    }

    /// Scissors. `around` is the rectangle around those given.
    pub fn scissors(&mut self, which: Which, around: Option<Rect2D>) {
        self.rects(item::SCISSOR, 1, which, around);
    }

    fn rects(&mut self, item: u32, at: usize, which: Which, around: Option<Rect2D>) {
        let (first, end) = match which {
            Which::From(first, count) => (first, first.saturating_add(count)),
            Which::All => (0, u32::MAX),
        };
        let kept = self.given.items & item != 0 && (first > 0 || end < self.rects[at]);
        let place = if at == 0 { &mut self.set.viewport } else { &mut self.set.scissor };
        // Of several rectangles only the one around them is kept: one that is set anew leaves the old one in it.
        let value = if kept { place.zip(around).map(|(a, b)| a.union(b)) } else { around };
        let changed = *place != value;
        *place = value;
        self.rects[at] = if matches!(which, Which::All) { 0 } else { self.rects[at].max(end) };
        self.given(item, changed);
    }

    /// VkStencilFaceFlags with stencil operations.
    pub fn stencil_op(&mut self, faces: u32, state: Face) {
        for face in (0..2).filter(|face| faces >> face & 1 == 1) {
            self.put(item::STENCIL_OP[face], |v| &mut v.faces[face], state);
        }
    }

    /// VkStencilFaceFlags with a write mask.
    pub fn stencil_mask(&mut self, faces: u32, mask: u32) {
        for face in (0..2).filter(|face| faces >> face & 1 == 1) {
            // Stencil formats have eight bits.
            self.put(item::STENCIL_MASK[face], |v| &mut v.stencil_masks[face], mask as u8);
        }
    }

    /// Slots from `first` on that blend.
    pub fn blend(&mut self, first: u32, on: impl Iterator<Item = bool>) {
        let (slots, value) = slots(first, on);
        let (before, told) = (self.set.blend, self.given.blend);
        self.set.blend = (before & !slots) | value;
        self.given.blend |= slots;
        self.given(item::BLEND, before != self.set.blend || told != self.given.blend);
    }

    /// Slots from `first` on whose blend equation reads the destination.
    pub fn equation(&mut self, first: u32, reads: impl Iterator<Item = bool>) {
        let (slots, value) = slots(first, reads);
        let (before, told) = (self.set.equation_reads, self.given.equation);
        self.set.equation_reads = (before & !slots) | value;
        self.given.equation |= slots;
        self.given(item::EQUATION, before != self.set.equation_reads || told != self.given.equation);
    }

    /// VkColorComponentFlags of slots from `first` on.
    pub fn masks(&mut self, first: u32, masks: impl Iterator<Item = u8>) {
        let (mut changed, told) = (false, self.given.mask);
        for (slot, mask) in (first as usize..SLOTS).zip(masks) {
            changed |= self.set.masks[slot] != mask;
            self.set.masks[slot] = mask;
            self.given.mask |= 1 << slot;
        }
        self.given(item::WRITE_MASK, changed || told != self.given.mask);
    }

    /// Slots that are enabled, from the first on; what is not given is not there.
    pub fn enabled(&mut self, on: impl Iterator<Item = bool>) {
        let (slots, value) = slots(0, on);
        self.put(item::WRITE_ENABLE, |v| &mut v.enabled, value | !slots);
    }

    /// vkCmdSetVertexInputEXT: strides are part of it.
    pub fn vertex_input(&mut self, vertex: Vertex, strides: impl Iterator<Item = (u32, u32)>) {
        self.put(item::VERTEX_INPUT, |v| &mut v.vertex, vertex);
        self.strides(strides);
    }

    /// Strides by binding.
    pub fn strides(&mut self, strides: impl Iterator<Item = (u32, u32)>) {
        let mut changed = false;
        for (binding, stride) in strides {
            if let Some(place) = self.set.strides.get_mut(binding as usize) {
                changed |= *place != stride;
                *place = stride;
            }
        }
        self.given(item::STRIDES, changed);
    }
}

/// Bits of the slots from `first` on, and of those among them that are on.
fn slots(first: u32, on: impl Iterator<Item = bool>) -> (u32, u32) {
    (first..SLOTS as u32)
        .zip(on)
        .fold((0, 0), |(slots, value), (slot, on)| (slots | 1 << slot, value | u32::from(on) << slot))
}
