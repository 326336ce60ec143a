//! Descriptor sets: what they hold of images, where they are bound, and what shaders reach through them.
//!
//! Inputs: layouts, writes, copies and binds, as values. Outputs: the [`tbdr_model::frame::ShaderAccess`] of work that is recorded, and
//! [`Late`] for descriptors that Vulkan reads at submission only.
//!
//! Only images that can be attachments are kept: what a shader reads of others moves no attachment, and a scene's textures come and go
//! without making another frame of it. So a set of a thousand textures holds nothing here.

mod bound;
mod fold;
mod layout;
mod reach;
mod set;

pub use bound::{BindPoint, BoundSet};
pub use fold::{Fold, Late, Reached, resolve};
pub use layout::{LayoutBinding, PipelineLayout, SetLayout};
pub use reach::{Point, Reach};
pub use set::{Contents, Descriptor, DescriptorPool, Set, Taken, Template, TemplateEntry};
