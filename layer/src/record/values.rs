//! The graphics state that bears on what a draw does to attachments: as a pipeline fixes it, or as vkCmdSet* has set it.
//!
//! Every piece of state has an [`item`], named after its VkDynamicState. State without influence on attachments has none: line width and
//! rasterization, depth bias, blend constants, depth bounds themselves, stencil reference and compare mask, cull mode and front face,
//! polygon mode, primitive restart, tessellation, sample mask and locations, conservative rasterization, provoking vertex, depth clip and
//! clamp range, discard rectangles and exclusive scissors, shading rate, coverage modulation and reduction. Where such state keeps
//! fragments away (a sample mask of zero, culling of both faces), the facts stay what they are: bounds from above.

use tbdr_model::units::Rect2D;

/// Pieces of state, one bit each.
pub mod item {
    /// VIEWPORT, VIEWPORT_WITH_COUNT.
    pub const VIEWPORT: u32 = 1;
    /// SCISSOR, SCISSOR_WITH_COUNT.
    pub const SCISSOR: u32 = 1 << 1;
    /// PRIMITIVE_TOPOLOGY.
    pub const TOPOLOGY: u32 = 1 << 2;
    /// VERTEX_INPUT: bindings and attributes.
    pub const VERTEX_INPUT: u32 = 1 << 3;
    /// VERTEX_INPUT_BINDING_STRIDE.
    pub const STRIDES: u32 = 1 << 4;
    /// RASTERIZER_DISCARD_ENABLE.
    pub const DISCARD: u32 = 1 << 5;
    /// RASTERIZATION_SAMPLES.
    pub const SAMPLES: u32 = 1 << 6;
    /// ALPHA_TO_COVERAGE_ENABLE.
    pub const ALPHA_TO_COVERAGE: u32 = 1 << 7;
    /// DEPTH_CLAMP_ENABLE.
    pub const DEPTH_CLAMP: u32 = 1 << 8;
    /// DEPTH_TEST_ENABLE.
    pub const DEPTH_TEST: u32 = 1 << 9;
    /// DEPTH_WRITE_ENABLE.
    pub const DEPTH_WRITE: u32 = 1 << 10;
    /// DEPTH_COMPARE_OP.
    pub const DEPTH_COMPARE: u32 = 1 << 11;
    /// DEPTH_BOUNDS_TEST_ENABLE.
    pub const DEPTH_BOUNDS: u32 = 1 << 12;
    /// STENCIL_TEST_ENABLE.
    pub const STENCIL_TEST: u32 = 1 << 13;
    /// STENCIL_OP of front faces, then of back faces.
    pub const STENCIL_OP: [u32; 2] = [1 << 14, 1 << 15];
    /// STENCIL_WRITE_MASK of front faces, then of back faces.
    pub const STENCIL_MASK: [u32; 2] = [1 << 16, 1 << 17];
    /// LOGIC_OP_ENABLE.
    pub const LOGIC: u32 = 1 << 18;
    /// LOGIC_OP.
    pub const LOGIC_OP: u32 = 1 << 19;
    /// COLOR_BLEND_ENABLE.
    pub const BLEND: u32 = 1 << 20;
    /// COLOR_BLEND_EQUATION, COLOR_BLEND_ADVANCED.
    pub const EQUATION: u32 = 1 << 21;
    /// COLOR_WRITE_MASK.
    pub const WRITE_MASK: u32 = 1 << 22;
    /// COLOR_WRITE_ENABLE.
    pub const WRITE_ENABLE: u32 = 1 << 23;
    /// ATTACHMENT_FEEDBACK_LOOP_ENABLE.
    pub const FEEDBACK: u32 = 1 << 24;
    /// VkPipelineMultisampleStateCreateInfo::sampleShadingEnable, which is never dynamic.
    pub const SAMPLE_SHADING: u32 = 1 << 25;

    /// State of the vertex input interface.
    pub const OF_VERTEX_INPUT: u32 = TOPOLOGY | VERTEX_INPUT | STRIDES;
    /// Pre-rasterization shader state.
    pub const OF_PRE_RASTERIZATION: u32 = VIEWPORT | SCISSOR | DISCARD | DEPTH_CLAMP;
    /// Fragment shader state.
    pub const OF_FRAGMENT: u32 = DEPTH_TEST
        | DEPTH_WRITE
        | DEPTH_COMPARE
        | DEPTH_BOUNDS
        | STENCIL_TEST
        | STENCIL_OP[0]
        | STENCIL_OP[1]
        | STENCIL_MASK[0]
        | STENCIL_MASK[1]
        | FEEDBACK;
    /// State of the fragment output interface.
    pub const OF_OUTPUT: u32 =
        SAMPLES | SAMPLE_SHADING | ALPHA_TO_COVERAGE | LOGIC | LOGIC_OP | BLEND | EQUATION | WRITE_MASK | WRITE_ENABLE;
    /// All of it.
    pub const ALL: u32 = (1 << 26) - 1;
    /// What belongs to a feature that may be off, and then need not be set: off is what it is.
    pub const OPTIONAL: u32 =
        SAMPLE_SHADING | VIEWPORT | SCISSOR | DEPTH_CLAMP | DEPTH_BOUNDS | LOGIC | WRITE_ENABLE | FEEDBACK;
}

/// Colour slots that are followed.
pub const SLOTS: usize = 32;
/// Vertex buffer bindings that are followed.
pub const BINDINGS: usize = 32;

/// Stencil state of one face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Face {
    /// VkStencilOp where the stencil test fails.
    pub fail: u8,
    /// VkStencilOp where both tests pass.
    pub pass: u8,
    /// VkStencilOp where the depth test fails.
    pub depth_fail: u8,
    /// VkCompareOp.
    pub compare: u8,
}

/// Vertex input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vertex {
    /// Bindings that an attribute fetches from.
    pub used: u32,
    /// Bindings with VK_VERTEX_INPUT_RATE_INSTANCE.
    pub instanced: u32,
}

/// Values of all items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values {
    /// Items that are switches, and are on.
    pub on: u32,
    /// Rectangle around the viewports.
    pub viewport: Option<Rect2D>,
    /// Rectangle around the scissors.
    pub scissor: Option<Rect2D>,
    /// VkPrimitiveTopology.
    pub topology: u8,
    /// VkCompareOp of the depth test.
    pub depth_compare: u8,
    /// VkLogicOp.
    pub logic_op: u8,
    /// VkSampleCountFlagBits.
    pub samples: u32,
    /// Stencil state of front faces, then of back faces.
    pub faces: [Face; 2],
    /// Stencil bits that may be written, of front faces, then of back faces.
    pub stencil_masks: [u8; 2],
    /// Slots that blend.
    pub blend: u32,
    /// Slots whose blend equation reads the destination.
    pub equation_reads: u32,
    /// VkColorComponentFlags that may be written, by slot.
    pub masks: [u8; SLOTS],
    /// Slots that COLOR_WRITE_ENABLE leaves on.
    pub enabled: u32,
    /// VkImageAspectFlags with feedback loops.
    pub feedback: u32,
    /// Vertex input.
    pub vertex: Vertex,
    /// Strides of the vertex bindings.
    pub strides: [u32; BINDINGS],
}

impl Values {
    /// What holds as long as nobody has said anything: everything off, every slot enabled.
    pub const UNSET: Self = Self {
        on: 0,
        viewport: None,
        scissor: None,
        topology: 0,
        depth_compare: 0,
        logic_op: 0,
        samples: 0,
        faces: [Face { fail: 0, pass: 0, depth_fail: 0, compare: 0 }; 2],
        stencil_masks: [0; 2],
        blend: 0,
        equation_reads: 0,
        masks: [0; SLOTS],
        enabled: u32::MAX,
        feedback: 0,
        vertex: Vertex { used: 0, instanced: 0 },
        strides: [0; BINDINGS],
    };
    /// The vertex input of mesh shaders: none, and no topology.
    pub const MESH: Self = Self { topology: u8::MAX, ..Self::UNSET };

    /// Takes over the values of some items.
    pub fn take(&mut self, items: u32, from: &Self) {
        let has = |item| items & item != 0;
        self.on = (self.on & !items) | (from.on & items);
        let mut each = |item: u32, copy: &mut dyn FnMut(&mut Self)| {
            if items & item != 0 {
                copy(self);
            }
        };
        each(item::VIEWPORT, &mut |s| s.viewport = from.viewport);
        each(item::SCISSOR, &mut |s| s.scissor = from.scissor);
        each(item::TOPOLOGY, &mut |s| s.topology = from.topology);
        each(item::DEPTH_COMPARE, &mut |s| s.depth_compare = from.depth_compare);
        each(item::LOGIC_OP, &mut |s| s.logic_op = from.logic_op);
        each(item::SAMPLES, &mut |s| s.samples = from.samples);
        each(item::BLEND, &mut |s| s.blend = from.blend);
        each(item::EQUATION, &mut |s| s.equation_reads = from.equation_reads);
        each(item::WRITE_MASK, &mut |s| s.masks = from.masks);
        each(item::WRITE_ENABLE, &mut |s| s.enabled = from.enabled);
        each(item::FEEDBACK, &mut |s| s.feedback = from.feedback);
        each(item::VERTEX_INPUT, &mut |s| s.vertex = from.vertex);
        each(item::STRIDES, &mut |s| s.strides = from.strides);
        for face in 0..2 {
            if has(item::STENCIL_OP[face]) {
                self.faces[face] = from.faces[face];
            }
            if has(item::STENCIL_MASK[face]) {
                self.stencil_masks[face] = from.stencil_masks[face];
            }
        }
    }
}
