//! What the application's threads write down: objects, command buffer recordings, submissions, frames.
//!
//! Inputs: model values from [`crate::translate`]. Outputs: closed frames for [`crate::worker`]. Nothing here knows a pointer
//! of the application; handles are plain numbers.

mod binding;
mod command_buffer;
mod descriptors;
mod draw_state;
mod facts;
mod flatten;
mod objects;
mod order;
mod pipeline;
mod recording;
mod registry;
mod rendering_tiles;
mod selection;
mod sharing;
mod sparse_bytes;
mod static_use;
mod timeline;
mod values;

pub use binding::{MemoryBlock, Place, Resource};
pub use command_buffer::CommandBuffer;
pub use descriptors::{
    BindPoint, BoundSet, Descriptor, DescriptorPool, LayoutBinding, PipelineLayout, Set, SetLayout, Template,
    TemplateEntry,
};
pub use draw_state::Which;
pub use flatten::{FlatFrame, Flattener};
pub use objects::{Buffer, Framebuffer, Image, Named, Needs, Objects, Pool, RenderPass, Swapchain, Told, View};
pub use order::Edges;
pub use pipeline::{Parts, Pipeline, items_of, part};
pub use recording::{AttachmentView, PassEvent, PassTemplate, Recording};
pub use registry::HandleMap;
pub use selection::Selection;
pub use static_use::{Binding, Elements, StaticUse};
pub use timeline::{Batch, ClosedFrame, Tail, Timeline};
pub use values::{BINDINGS, Face, SLOTS, Values, Vertex, item};

use crate::worker::Analysis;
use std::sync::Arc;
use std::time::Instant;
use tbdr_model::frame::{Boundary, Memory, OutputReason};

/// A memory type of the device.
#[derive(Clone, Copy, Default)]
pub struct MemoryType {
    /// VkMemoryPropertyFlags.
    pub properties: u32,
    /// VkMemoryHeapFlags of its heap.
    pub heap: u32,
}

/// Everything recorded of one device.
pub struct Recorder {
    /// Live objects.
    pub objects: Objects,
    /// Submissions of the frame in flight.
    pub timeline: Timeline,
    /// Where closed frames go.
    pub analysis: Arc<Analysis>,
    /// Properties by memory type index.
    pub memory_types: Vec<MemoryType>,
}

impl Recorder {
    /// Closes the frame in flight and hands it over.
    pub fn close_frame(&self, boundary: Boundary, outputs: Vec<(Arc<Image>, OutputReason)>) {
        if let Some(frame) = self.timeline.close(boundary, outputs) {
            self.analysis.frame(frame, None);
        }
    }

    /// Batches are submitted. The token takes them back if the call down fails.
    pub fn submit(&self, queue: u64, batches: impl IntoIterator<Item = Batch>, fence: u64) -> u64 {
        // Between one and two times the setting there is a frame that was closed early; beyond, one submission fills memory.
        let most = u64::from(self.analysis.settings().max_frame_ops) * 2;
        self.timeline.submit(queue, batches, fence, most)
    }

    /// Memory types that are lazily allocated, as memoryTypeBits has them; `None` where the types are not known.
    pub fn lazy_types(&self) -> Option<u32> {
        let types = self.memory_types.iter().take(32).enumerate();
        let lazy = types.filter(|(_, t)| t.properties & Memory::LAZILY_ALLOCATED != 0);
        (!self.memory_types.is_empty()).then(|| lazy.fold(0, |bits, (at, _)| bits | 1 << at))
    }

    /// Whether labels choose frames, so that each is to be noted.
    pub fn marks(&self) -> bool {
        self.analysis.settings().frames_label.is_some()
    }

    /// The host itself did something to images.
    pub fn host(&self, recording: Arc<Recording>) {
        let most = u64::from(self.analysis.settings().max_frame_ops) * 2;
        self.timeline.host(recording, most);
    }

    /// After a submit: closes the frame if a setting says so.
    pub fn submitted(&self) {
        let settings = self.analysis.settings();
        if let Some(boundary) = self.timeline.due(settings.frame_submits, settings.max_frame_ops) {
            self.close_frame(boundary, Vec::new());
        }
    }

    /// The device or the process ends. Returns at `deadline` at the latest, whatever other threads hold.
    pub fn finish(&self, deadline: Instant) {
        let Some(ended) = self.timeline.end() else { return };
        if let Some(frame) = ended.frame {
            self.analysis.frame(frame, Some(deadline));
        }
        self.analysis.end(ended.tail, deadline);
    }
}
