//! Which descriptors the shaders of a pipeline statically use: what a scan of their SPIR-V tells, without running them.

use tbdr_model::frame::AccessKind;

/// The descriptors of images that the shaders of a pipeline or of shader objects statically use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StaticUse {
    /// Whether the list is complete. `false` if a shader was not seen, or reaches images by other ways than bound descriptors.
    pub known: bool,
    /// Whether it is known that none of them runs once for each sample because it says so itself.
    pub pixel_shading: bool,
    /// Whether it is known that none of them writes memory but that of attachments.
    pub keeps_memory: bool,
    /// Each set, binding and kind once, ordered.
    pub bindings: Vec<Binding>,
}

/// One statically used image descriptor binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Binding {
    /// Descriptor set number.
    pub set: u32,
    /// Binding number.
    pub binding: u32,
    /// What the shaders do with it.
    pub kind: AccessKind,
    /// Which of its elements.
    pub elements: Elements,
    /// VkShaderStageFlags.
    pub stages: u32,
}

/// Elements of an arrayed binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Elements {
    /// This one.
    One(u32),
    /// Any of them: the index is known at run time only.
    Any,
}
