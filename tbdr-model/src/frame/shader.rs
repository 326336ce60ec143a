//! What shaders reach of images through descriptors: in a subpass, in dispatches, in other work that runs shaders.
//!
//! Only images that can be attachments are listed (a usage of COLOR_ATTACHMENT, DEPTH_STENCIL_ATTACHMENT, TRANSIENT_ATTACHMENT or
//! INPUT_ATTACHMENT): what a shader reads of other images moves no attachment.
//!
//! The list is a bound from above: a descriptor that a shader statically uses may be left alone at run time. A list that is not
//! [`known`](ShaderAccess::known) says nothing of images that are not in it.

use super::{ImageRef, SubresourceRange};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Images that shaders may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShaderAccess {
    /// Whether shaders reach no other image that can be an attachment. `false` where bound descriptors or static use are not known, also for work recorded by
    /// versions that did not look.
    #[serde(default)]
    pub known: bool,
    /// Whether the shaders are known to write no memory but images: neither storage buffers nor what pointers reach. `false` where that is not
    /// known, also for work recorded by versions that did not look.
    #[serde(default, skip_serializing_if = "is_false")]
    pub keeps_memory: bool,
    /// Each image, part and kind of access once, in order of first use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImageAccess>,
}

/// One image that shaders may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImageAccess {
    /// The image, where known.
    pub image: Option<ImageRef>,
    /// The part of it that the view shows.
    pub range: SubresourceRange,
    /// What the shader does with it.
    pub kind: AccessKind,
    /// VkShaderStageFlags of the shaders.
    #[serde(default)]
    pub stages: u32,
    /// Whether the shader names exactly this descriptor. `false` for one of an array that is indexed at run time.
    #[serde(default)]
    pub certain: bool,
}

/// What a shader may do with an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AccessKind {
    /// Samples or fetches: VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE and COMBINED_IMAGE_SAMPLER.
    #[default]
    Sampled,
    /// Reads a storage image.
    StorageRead,
    /// Writes a storage image.
    StorageWrite,
    /// Reads and writes a storage image.
    StorageReadWrite,
    /// Reads other than by shaders: source and reference pictures of video coding.
    Read,
    /// Writes other than by shaders, perhaps not all of it: pictures that are decoded or reconstructed, copies whose regions are in memory.
    Write,
}

impl AccessKind {
    /// Whether contents may be read.
    pub const fn reads(self) -> bool {
        !matches!(self, Self::StorageWrite | Self::Write)
    }

    /// Whether contents may be written.
    pub const fn writes(self) -> bool {
        matches!(self, Self::StorageWrite | Self::StorageReadWrite | Self::Write)
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

impl ShaderAccess {
    /// Nothing at all: the work runs no shader, or none that reaches an image.
    pub const NOTHING: Self = Self { known: true, keeps_memory: true, images: Vec::new() };

    /// These images and no others; other memory may be written.
    pub fn exactly(images: Vec<ImageAccess>) -> Self {
        Self { known: true, keeps_memory: false, images }
    }

    /// Takes in what other work reaches.
    pub fn merge(&mut self, other: Self) {
        self.known &= other.known;
        self.keeps_memory &= other.keeps_memory;
        if self.images.is_empty() {
            self.images = other.images;
            return;
        }
        let mut seen: BTreeSet<ImageAccess> = self.images.iter().copied().collect();
        self.images.extend(other.images.into_iter().filter(|access| seen.insert(*access)));
    }
}

/// One or more consecutive dispatches; how many is in the frame's [counters](crate::record::Counters).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dispatch {
    /// What their shaders reach.
    #[serde(default)]
    pub shader: ShaderAccess,
}

/// Work whose bytes are not modelled, with what is known of the images it touches: video coding, ray tracing, generated commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Opaque {
    /// Name of the command.
    pub command: alloc::string::String,
    /// What it reaches.
    #[serde(default)]
    pub shader: ShaderAccess,
}
