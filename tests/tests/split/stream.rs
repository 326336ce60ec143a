//! Random valid command streams: what a frame does, whoever records it.

use ash::vk;
use proptest::prelude::*;

/// One item outside render passes.
#[derive(Clone, Debug)]
pub enum Item {
    /// A render pass instance.
    Pass(Pass),
    /// vkCmdClearColorImage of a colour image.
    Clear(usize),
    /// vkCmdCopyImage between the two colour images, from the first or the second.
    Copy(usize),
    /// vkCmdFillBuffer.
    Fill,
    /// vkCmdPipelineBarrier with an image barrier; from VK_IMAGE_LAYOUT_UNDEFINED if so.
    Barrier(usize, bool),
    /// vkCmdDispatch of a compute pipeline, by its number.
    Dispatch(usize),
    /// A label region around the next item.
    Label,
}

/// A render pass instance.
#[derive(Clone, Debug)]
pub struct Pass {
    /// vkCmdBeginRendering, else vkCmdBeginRenderPass.
    pub dynamic: bool,
    /// The colour image.
    pub image: usize,
    /// Its ops.
    pub color: (vk::AttachmentLoadOp, vk::AttachmentStoreOp),
    /// Ops of the depth image, if it has one.
    pub depth: Option<(vk::AttachmentLoadOp, vk::AttachmentStoreOp)>,
    /// Half of the image only.
    pub half: bool,
    /// What runs in it.
    pub commands: Vec<Inside>,
}

/// One command inside a render pass instance.
#[derive(Clone, Copy, Debug)]
pub enum Inside {
    /// So many draws.
    Draws(u8),
    /// An indirect draw.
    Indirect,
    /// vkCmdClearAttachments of the colour, of all the area or of a corner.
    Clear(bool),
    /// State of the draws to come.
    Change(Change),
}

/// A change of graphics state. It lasts to the end of the stream.
#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// vkCmdBindPipeline, by its number.
    Pipeline(usize),
    /// vkCmdBindDescriptorSets: the set holds the first colour image, else the texture.
    Set(bool),
    /// vkCmdSetScissor, by its number.
    Scissor(usize),
    /// vkCmdSetViewport, by its number.
    Viewport(usize),
    /// vkCmdSetDepthTestEnable.
    DepthTest(bool),
}

/// Graphics pipelines there are.
pub const PIPELINES: usize = 7;
/// Compute pipelines there are.
pub const COMPUTE: usize = 3;
/// Scissors and viewports there are.
pub const RECTS: usize = 4;

fn ops() -> impl Strategy<Value = (vk::AttachmentLoadOp, vk::AttachmentStoreOp)> {
    use vk::{AttachmentLoadOp as L, AttachmentStoreOp as S};
    let load = prop_oneof![Just(L::CLEAR), Just(L::LOAD), Just(L::DONT_CARE), Just(L::NONE_EXT)];
    let store = prop_oneof![Just(S::STORE), Just(S::DONT_CARE), Just(S::NONE)];
    (load, store)
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (0..PIPELINES).prop_map(Change::Pipeline),
        1 => any::<bool>().prop_map(Change::Set),
        1 => (0..RECTS).prop_map(Change::Scissor),
        1 => (0..RECTS).prop_map(Change::Viewport),
        1 => any::<bool>().prop_map(Change::DepthTest),
    ]
}

fn inside() -> impl Strategy<Value = Inside> {
    prop_oneof![
        3 => (1..4u8).prop_map(Inside::Draws),
        1 => Just(Inside::Indirect),
        1 => any::<bool>().prop_map(Inside::Clear),
        3 => change().prop_map(Inside::Change),
    ]
}

fn pass() -> impl Strategy<Value = Pass> {
    let depth = proptest::option::of(ops());
    (any::<bool>(), 0..2usize, ops(), depth, any::<bool>(), proptest::collection::vec(inside(), 0..9)).prop_map(
        |(dynamic, image, color, depth, half, commands)| Pass { dynamic, image, color, depth, half, commands },
    )
}

/// Some items in order.
pub fn stream() -> impl Strategy<Value = Vec<Item>> {
    let item = prop_oneof![
        4 => pass().prop_map(Item::Pass),
        1 => (0..2usize).prop_map(Item::Clear),
        1 => (0..2usize).prop_map(Item::Copy),
        1 => Just(Item::Fill),
        1 => (0..2usize, any::<bool>()).prop_map(|(image, undefined)| Item::Barrier(image, undefined)),
        1 => (0..COMPUTE).prop_map(Item::Dispatch),
        1 => Just(Item::Label),
    ];
    proptest::collection::vec(item, 1..10)
}

/// Where the stream is cut: each place that may be cut takes the next number; zero leaves it whole.
pub fn cuts() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 1..40)
}
