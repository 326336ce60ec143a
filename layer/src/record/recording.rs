//! The recording of one command buffer, frozen at vkEndCommandBuffer and shared by its submissions.
//!
//! Images and buffers are numbered per recording ([`ImageRef`], [`BufferRef`] index `images` and `buffers`); the analysis
//! renumbers them per frame.

use super::objects::{Buffer, Image, Named};
use super::registry::HandleMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use tbdr_model::frame::{
    Attachment, Barrier, BufferRef, ClearAttachment, Dependency, ImageRef, Subpass, SubresourceRange, Transfer,
};
use tbdr_model::record::Counters;
use tbdr_model::units::{Extent2D, Rect2D};

/// What a render pass says before any image is known.
#[derive(Default)]
pub struct PassTemplate {
    /// Attachments without images.
    pub attachments: Vec<Attachment>,
    /// Subpasses without activity.
    pub subpasses: Vec<Subpass>,
    /// Dependencies.
    pub dependencies: Vec<Dependency>,
    /// Chained structs that are not modelled.
    pub unmodelled: Vec<String>,
}

/// What ran in one subpass, or in a secondary command buffer that continues one.
#[derive(Default)]
pub struct Activity {
    /// Draws.
    pub counters: Counters,
    /// vkCmdClearAttachments.
    pub clears: Vec<ClearAttachment>,
    /// Barriers.
    pub barriers: Vec<Barrier>,
}

/// The image behind an attachment.
#[derive(Clone, Copy)]
pub struct AttachmentView {
    /// Number in the recording.
    pub image: ImageRef,
    /// The part that the view shows.
    pub range: SubresourceRange,
}

/// A render pass instance.
pub struct PassEvent {
    /// The render pass, or what vkCmdBeginRendering gave.
    pub template: Arc<PassTemplate>,
    /// Debug name of the render pass, then of the framebuffer.
    pub names: [Option<Arc<Named>>; 2],
    /// Label regions open in the command buffer.
    pub labels: Vec<Arc<str>>,
    /// Whether vkCmdBeginRendering began it.
    pub dynamic: bool,
    /// VK_RENDERING_RESUMING_BIT.
    pub resuming: bool,
    /// VK_RENDERING_SUSPENDING_BIT.
    pub suspending: bool,
    /// Render area.
    pub render_area: Rect2D,
    /// Framebuffer size.
    pub extent: Extent2D,
    /// Framebuffer layers.
    pub layers: u32,
    /// The views, one per attachment of the template.
    pub views: Vec<Option<AttachmentView>>,
    /// Activity per subpass reached.
    pub subpasses: Vec<Activity>,
}

/// One event outside render passes.
pub enum Event {
    /// A render pass instance.
    Pass(Box<PassEvent>),
    /// A transfer command with the label regions around it.
    Transfer(Box<Transfer>, Vec<Arc<str>>),
    /// A barrier.
    Barrier(Box<Barrier>),
    /// One or more dispatches.
    Dispatch,
    /// Secondary command buffers executed outside a pass.
    Execute(Vec<Arc<Recording>>),
    /// A label region that an earlier command buffer opened ends.
    LabelEnd,
}

/// What a command buffer does.
#[derive(Default)]
pub struct Recording {
    /// Images, in order of first use.
    pub images: Vec<Arc<Image>>,
    /// Buffers, in order of first use.
    pub buffers: Vec<Arc<Buffer>>,
    /// Events, in order.
    pub events: Vec<Event>,
    /// Counters outside passes.
    pub outside: Counters,
    /// What a secondary adds to the subpass it continues.
    pub continued: Activity,
    /// Label regions still open at the end.
    pub open_labels: Vec<Arc<str>>,
    /// Commands and structs seen and not modelled.
    pub unmodelled: BTreeSet<String>,
    /// Number of operations, secondaries included.
    pub ops: u64,
    image_numbers: HandleMap<u32>,
    buffer_numbers: HandleMap<u32>,
}

impl Recording {
    /// The number of an image in this recording.
    pub fn image(&mut self, image: &Arc<Image>) -> ImageRef {
        let images = &mut self.images;
        ImageRef(*self.image_numbers.entry(image.serial).or_insert_with(|| {
            images.push(Arc::clone(image));
            images.len() as u32 - 1
        }))
    }

    /// The number of a buffer in this recording.
    pub fn buffer(&mut self, buffer: &Arc<Buffer>) -> BufferRef {
        let buffers = &mut self.buffers;
        BufferRef(*self.buffer_numbers.entry(buffer.serial).or_insert_with(|| {
            buffers.push(Arc::clone(buffer));
            buffers.len() as u32 - 1
        }))
    }

    /// Appends an event.
    pub fn push(&mut self, event: Event) {
        self.ops = self.ops.saturating_add(1);
        self.events.push(event);
    }

    /// Notes something that is seen and not modelled.
    pub fn unmodelled(&mut self, what: &str) {
        if !self.unmodelled.contains(what) {
            self.unmodelled.insert(what.into());
        }
    }

    /// Takes over a barrier of another recording, renumbered.
    pub fn adopt(&mut self, barrier: &Barrier, from: &Recording) -> Barrier {
        let mut own = barrier.clone();
        for item in &mut own.images {
            item.image = item.image.and_then(|i| from.images.get(i.0 as usize)).map(|i| self.image(i));
        }
        for item in &mut own.buffers {
            item.buffer = item.buffer.and_then(|b| from.buffers.get(b.0 as usize)).map(|b| self.buffer(b));
        }
        own
    }
}

/// Adds counters.
pub fn add(to: &mut Counters, from: Counters) {
    to.draws = to.draws.saturating_add(from.draws);
    to.indirect_draws = to.indirect_draws.saturating_add(from.indirect_draws);
    to.vertices = to.vertices.saturating_add(from.vertices);
    to.dispatches = to.dispatches.saturating_add(from.dispatches);
}
