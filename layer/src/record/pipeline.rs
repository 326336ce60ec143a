//! Pipelines: the state that they fix, what is dynamic, and what their shaders reach; linked from parts where the application does so
//! (VK_EXT_graphics_pipeline_library).

use super::facts::{Given, State};
use super::static_use::StaticUse;
use super::values::{Values, item};
use std::sync::Arc;
use tbdr_model::frame::DrawFacts;

/// Subsets of the state of a graphics pipeline: VkGraphicsPipelineLibraryFlagBitsEXT.
pub mod part {
    /// Vertex input interface.
    pub const VERTEX_INPUT: u32 = 1;
    /// Pre-rasterization shaders.
    pub const PRE_RASTERIZATION: u32 = 2;
    /// Fragment shader.
    pub const FRAGMENT: u32 = 4;
    /// Fragment output interface.
    pub const OUTPUT: u32 = 8;
    /// All of them.
    pub const ALL: u32 = 15;
}

/// State items of some parts.
pub fn items_of(parts: u32) -> u32 {
    [
        (part::VERTEX_INPUT, item::OF_VERTEX_INPUT),
        (part::PRE_RASTERIZATION, item::OF_PRE_RASTERIZATION),
        (part::FRAGMENT, item::OF_FRAGMENT),
        (part::OUTPUT, item::OF_OUTPUT),
    ]
    .into_iter()
    .filter(|(part, _)| parts & part != 0)
    .fold(0, |items, (_, of)| items | of)
}

/// What a create info, and the libraries it links, say.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Parts that are there.
    pub present: u32,
    /// Whether all that was linked is known.
    pub known: bool,
    /// Values of what is not dynamic.
    pub values: Values,
    /// Items that are dynamic.
    pub dynamic: u32,
    /// Whether mesh shaders take the place of vertex input.
    pub mesh: bool,
    /// Colour slots that may be written, as far as the pipeline tells.
    pub slots: u32,
    /// What the shaders reach; [`Pipeline`] takes it out.
    pub uses: StaticUse,
}

impl Default for Parts {
    fn default() -> Self {
        let uses = StaticUse { known: true, pixel_shading: true, keeps_memory: true, ..StaticUse::default() };
        Self { present: 0, known: true, values: Values::UNSET, dynamic: 0, mesh: false, slots: u32::MAX, uses }
    }
}

impl Parts {
    /// Links the parts of a library.
    pub fn link(&mut self, library: &Pipeline) {
        let (library, uses) = (&library.parts, &library.uses);
        let new = library.present & !self.present;
        let items = items_of(new);
        self.present |= library.present;
        self.known &= library.known;
        self.values.take(items, &library.values);
        // What belongs to more than one part is what any of them says.
        self.values.feedback |= library.values.feedback;
        self.dynamic = (self.dynamic & !items) | (library.dynamic & items);
        self.mesh |= library.mesh;
        if new & part::OUTPUT != 0 {
            self.slots = library.slots;
        }
        self.uses.known &= uses.known;
        self.uses.keeps_memory &= uses.keeps_memory;
        self.uses.pixel_shading &= uses.pixel_shading;
        self.uses.bindings.extend_from_slice(&uses.bindings);
        self.uses.bindings.sort_unstable();
        self.uses.bindings.dedup();
    }
}

/// A VkPipeline.
pub struct Pipeline {
    /// As created; of a compute pipeline the shaders only.
    pub parts: Parts,
    /// What its shaders reach.
    pub uses: Arc<StaticUse>,
    /// Whether it has all the parts that a draw needs. A library has not.
    complete: bool,
    /// What its draws can do, but for viewport and scissor, if nothing else is dynamic.
    base: Option<DrawFacts>,
}

impl Pipeline {
    /// A graphics pipeline, or a library of one.
    pub fn graphics(mut parts: Parts) -> Self {
        if parts.mesh {
            parts.dynamic &= !item::OF_VERTEX_INPUT;
            parts.values.take(item::OF_VERTEX_INPUT, &Values::MESH);
        }
        let discards = parts.dynamic & item::DISCARD == 0 && parts.values.on & item::DISCARD != 0;
        let needed = if discards { part::PRE_RASTERIZATION } else { part::ALL & !part::VERTEX_INPUT };
        let needed = needed | if parts.mesh { 0 } else { part::VERTEX_INPUT };
        let complete = parts.present & needed == needed;
        if discards {
            // Without rasterization nothing behind it counts.
            parts.dynamic &= !(item::OF_FRAGMENT | item::OF_OUTPUT);
        }
        let mut pipeline = Self { uses: Arc::new(std::mem::take(&mut parts.uses)), parts, complete, base: None };
        if pipeline.parts.dynamic & !(item::VIEWPORT | item::SCISSOR) == 0 {
            pipeline.base = Some(pipeline.computed(&Values::UNSET, Given::default(), u32::MAX));
        }
        pipeline
    }

    /// A compute pipeline.
    pub fn compute(uses: StaticUse) -> Self {
        Self { parts: Parts::default(), uses: Arc::new(uses), complete: false, base: None }
    }

    /// What a draw can do with what was set; colour slots outside `slots` are not written.
    pub fn facts(&self, set: &Values, given: Given, slots: u32) -> DrawFacts {
        let Some(base) = self.base.filter(|_| slots == u32::MAX) else { return self.computed(set, given, slots) };
        let dynamic = |item: u32| self.parts.dynamic & item != 0;
        DrawFacts {
            viewport: if dynamic(item::VIEWPORT) { set.viewport } else { base.viewport },
            scissor: if dynamic(item::SCISSOR) { set.scissor } else { base.scissor },
            ..base
        }
    }

    fn computed(&self, set: &Values, given: Given, slots: u32) -> DrawFacts {
        let parts = &self.parts;
        if !(parts.known && self.complete) {
            return DrawFacts::default();
        }
        let facts = State {
            fixed: &parts.values,
            set,
            given,
            dynamic: parts.dynamic,
            optional: item::VIEWPORT | item::SCISSOR,
            slots: slots & parts.slots,
        }
        .facts();
        DrawFacts { pixel_shading: facts.pixel_shading && self.uses.pixel_shading, ..facts }
    }
}
