//! A pass that draws every pixel of one image from what it samples of others.

use crate::Error;
use crate::descriptors::Bound;
use crate::gpu::Gpu;
use crate::image::Image;
use crate::pass::{Attachment, DRAWN, LOADED, Pass, READ, Subpass, WRITING, WRITTEN};
use crate::readback::COPIED;
use crate::screen::{Screen, ScreenInfo};
use crate::size::Size;
use ash::vk;
use vk::AttachmentLoadOp as Load;
use vk::AttachmentStoreOp as Store;
use vk::ImageLayout as Layout;
use vk::PipelineStageFlags as Stage;

/// How the pass begins, whose target needs no contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// The contents are loaded, although a barrier has just discarded them.
    LoadsUndefined,
    /// loadOp DONT_CARE. The image is in the layout in which the pass leaves it.
    DontCare,
}

/// What is drawn.
pub struct Target<'a> {
    image: &'a Image<'a>,
    level: u32,
    view: vk::ImageView,
    size: Size,
    after: Layout,
}

impl<'a> Target<'a> {
    /// The output, which is copied to the host afterwards.
    pub fn output(image: &'a Image<'_>, size: Size) -> Self {
        Self { image, level: 0, view: image.view(), size, after: COPIED }
    }

    /// An image that shaders read afterwards.
    pub fn read(image: &'a Image<'_>, size: Size) -> Self {
        Self { after: READ, ..Self::output(image, size) }
    }

    /// The same of one level, through its view.
    pub fn level(image: &'a Image<'_>, level: u32, view: vk::ImageView, size: Size) -> Self {
        Self { level, view, ..Self::read(image, size) }
    }

    fn attachment(&self, begin: Begin) -> Attachment {
        let with = |load| Attachment::new(self.image, load, Store::STORE, self.after).through(self.view);
        match begin {
            Begin::LoadsUndefined => with(Load::LOAD).from(DRAWN),
            Begin::DontCare => with(Load::DONT_CARE).from(self.after),
        }
    }
}

/// The pass and its only draw.
pub struct ScreenPass<'g> {
    gpu: &'g Gpu,
    screen: Screen<'g>,
    pass: Pass<'g>,
    /// What discards the contents that are loaded then.
    discard: Option<vk::ImageMemoryBarrier<'static>>,
}

impl<'g> ScreenPass<'g> {
    /// The pass `name`, in which `fragment` reads `read` and gets `pushed` bytes of push constants.
    pub fn new(
        gpu: &'g Gpu,
        name: &str,
        target: &Target<'_>,
        begin: Begin,
        fragment: &[u8],
        read: &[Bound],
        pushed: u32,
    ) -> Result<Self, Error> {
        let size = target.size;
        let subpass = Subpass { colours: &[0], ..Subpass::default() };
        let pass = Pass::new(gpu, name, size, &[target.attachment(begin)], &[subpass])?;
        let screen = ScreenInfo { fragment, within: pass.within(0), size, colours: 1, read, pushed };
        let screen = Screen::new(gpu, &screen)?;
        let discard = (begin == Begin::LoadsUndefined).then(|| {
            let range = vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                base_mip_level: target.level,
                level_count: 1,
                layer_count: 1,
                ..Default::default()
            };
            vk::ImageMemoryBarrier::default()
                .image(target.image.image())
                .subresource_range(range)
                .old_layout(Layout::UNDEFINED)
                .new_layout(DRAWN)
                .src_access_mask(vk::AccessFlags::empty())
                .dst_access_mask(WRITTEN | LOADED)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        });
        Ok(Self { gpu, screen, pass, discard })
    }

    /// Records the pass, with `pushed` for the shader.
    pub fn record(&self, commands: vk::CommandBuffer, pushed: &[u8]) {
        if let Some(discard) = &self.discard {
            // Whoever read the image before has done so; see the dependencies of a pass.
            let before = WRITING | Stage::FRAGMENT_SHADER | Stage::TRANSFER;
            let (none, barriers) = (vk::DependencyFlags::empty(), std::slice::from_ref(discard));
            // SAFETY: the command buffer is being recorded outside a render pass, and the image is live.
            unsafe { self.gpu.device.cmd_pipeline_barrier(commands, before, WRITING, none, &[], &[], barriers) };
        }
        self.pass.record(commands, || self.screen.draw(commands, pushed));
    }
}
