//! A scene for single claims: one device, queue, pool and command buffer, and makers of what a claim needs.
//!
//! Makers do not look at results: some claims are about creates that fail.

use super::{NO, ignore};
use crate::fake::{App, Chain, Options};
use ash::vk;
use std::ptr;

/// A device with what it takes to record and submit.
pub struct Scene {
    /// The application.
    pub app: App,
    /// Its queue.
    pub queue: vk::Queue,
    /// Its command pool.
    pub pool: vk::CommandPool,
    /// A primary command buffer of the pool.
    pub buffer: vk::CommandBuffer,
}

/// An image with memory and a view of all of it.
#[derive(Clone, Copy)]
pub struct Image {
    /// The image.
    pub image: vk::Image,
    /// Its memory.
    pub memory: vk::DeviceMemory,
    /// A view of all of it.
    pub view: vk::ImageView,
    /// Format of both.
    pub format: vk::Format,
    /// Size in texels.
    pub extent: vk::Extent2D,
    /// Samples per texel.
    pub samples: vk::SampleCountFlags,
}

/// An attachment description for `image` with the same ops for depth and stencil.
pub fn attachment(
    image: &Image,
    load: vk::AttachmentLoadOp,
    store: vk::AttachmentStoreOp,
) -> vk::AttachmentDescription {
    vk::AttachmentDescription::default()
        .format(image.format)
        .samples(image.samples)
        .load_op(load)
        .store_op(store)
        .stencil_load_op(load)
        .stencil_store_op(store)
        .initial_layout(vk::ImageLayout::GENERAL)
        .final_layout(vk::ImageLayout::GENERAL)
}

/// The aspects of a format, for the few formats that scripts use.
fn aspects(format: vk::Format) -> vk::ImageAspectFlags {
    match format {
        vk::Format::D32_SFLOAT | vk::Format::D16_UNORM => vk::ImageAspectFlags::DEPTH,
        vk::Format::D24_UNORM_S8_UINT | vk::Format::D32_SFLOAT_S8_UINT => {
            vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL
        }
        _ => vk::ImageAspectFlags::COLOR,
    }
}

impl Scene {
    /// A scene on a fake driver of its own.
    pub fn start(options: Options) -> Self {
        Self::new(Chain::new(options).start())
    }

    /// Destroys device and instance; the driver has seen what the application sent.
    pub fn stop(self) {
        let driver = self.app.driver();
        self.app.stop();
        driver.assert_neutral();
    }

    /// A scene of an application.
    pub fn new(app: App) -> Self {
        let queue = app.queue(0, 0);
        let info = vk::CommandPoolCreateInfo::default().flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        let mut pool = vk::CommandPool::null();
        // SAFETY: valid arguments.
        unsafe { ignore(app.vkCreateCommandPool(app.device, &info, NO, &mut pool)) };
        let buffer = app.command_buffers(pool, vk::CommandBufferLevel::PRIMARY, 1)[0];
        Self { app, queue, pool, buffer }
    }

    /// An image with one mip level and layer.
    pub fn image(&self, format: vk::Format, width: u32, height: u32, samples: u32) -> Image {
        self.layered_image(format, width, height, samples, 1)
    }

    /// An image with one mip level.
    pub fn layered_image(&self, format: vk::Format, width: u32, height: u32, samples: u32, layers: u32) -> Image {
        self.image_with(format, width, height, samples, layers, vk::ImageUsageFlags::empty())
    }

    /// An image with one mip level and more usages than as an attachment and in transfers.
    pub fn image_with(
        &self,
        format: vk::Format,
        width: u32,
        height: u32,
        samples: u32,
        layers: u32,
        more: vk::ImageUsageFlags,
    ) -> Image {
        let samples = vk::SampleCountFlags::from_raw(samples);
        let extent = vk::Extent2D { width, height };
        let usage = match aspects(format) {
            vk::ImageAspectFlags::COLOR => vk::ImageUsageFlags::COLOR_ATTACHMENT,
            _ => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
        };
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(extent.into())
            .mip_levels(1)
            .array_layers(layers)
            .samples(samples)
            .usage(usage | more | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
        let (mut image, mut memory) = (vk::Image::null(), vk::DeviceMemory::null());
        let app = &self.app;
        // SAFETY: valid arguments.
        unsafe {
            ignore(app.vkCreateImage(app.device, &info, NO, &mut image));
            let allocate = vk::MemoryAllocateInfo::default().allocation_size(65536);
            ignore(app.vkAllocateMemory(app.device, &allocate, NO, &mut memory));
            ignore(app.vkBindImageMemory(app.device, image, memory, 0));
        }
        let view = self.view(image, format, layers);
        Image { image, memory, view, format, extent, samples }
    }

    /// A view of the first mip level of an image.
    pub fn view(&self, image: vk::Image, format: vk::Format, layers: u32) -> vk::ImageView {
        let range =
            vk::ImageSubresourceRange::default().aspect_mask(aspects(format)).level_count(1).layer_count(layers);
        let kind = if layers > 1 { vk::ImageViewType::TYPE_2D_ARRAY } else { vk::ImageViewType::TYPE_2D };
        let info =
            vk::ImageViewCreateInfo::default().image(image).view_type(kind).format(format).subresource_range(range);
        let mut view = vk::ImageView::null();
        // SAFETY: valid arguments.
        unsafe { ignore(self.app.vkCreateImageView(self.app.device, &info, NO, &mut view)) };
        view
    }

    /// A render pass of one subpass: all attachments but depth formats are its colour attachments.
    pub fn render_pass(&self, attachments: &[vk::AttachmentDescription]) -> vk::RenderPass {
        let layout = vk::ImageLayout::GENERAL;
        let reference = |index: usize| vk::AttachmentReference { attachment: index as u32, layout };
        let is_depth = |index: &usize| aspects(attachments[*index].format) != vk::ImageAspectFlags::COLOR;
        let color: Vec<_> = (0..attachments.len()).filter(|i| !is_depth(i)).map(reference).collect();
        let depth = (0..attachments.len()).find(is_depth).map(reference);
        let mut subpass = vk::SubpassDescription::default().color_attachments(&color);
        if let Some(depth) = &depth {
            subpass = subpass.depth_stencil_attachment(depth);
        }
        let subpasses = [subpass];
        let info = vk::RenderPassCreateInfo::default().attachments(attachments).subpasses(&subpasses);
        let mut pass = vk::RenderPass::null();
        // SAFETY: valid arguments.
        unsafe { ignore(self.app.vkCreateRenderPass(self.app.device, &info, NO, &mut pass)) };
        pass
    }

    /// A framebuffer of one layer.
    pub fn framebuffer(&self, pass: vk::RenderPass, images: &[&Image]) -> vk::Framebuffer {
        let views: Vec<_> = images.iter().map(|i| i.view).collect();
        let extent = images.first().map(|i| i.extent).unwrap_or_default();
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .attachments(&views)
            .width(extent.width)
            .height(extent.height)
            .layers(1);
        let mut framebuffer = vk::Framebuffer::null();
        // SAFETY: valid arguments.
        unsafe { ignore(self.app.vkCreateFramebuffer(self.app.device, &info, NO, &mut framebuffer)) };
        framebuffer
    }

    /// vkBeginCommandBuffer, `record`, vkEndCommandBuffer on the scene's command buffer.
    pub fn record(&self, record: impl FnOnce(&App, vk::CommandBuffer)) {
        self.record_into(self.buffer, record);
    }

    /// As [`Scene::record`], on any primary command buffer.
    pub fn record_into(&self, buffer: vk::CommandBuffer, record: impl FnOnce(&App, vk::CommandBuffer)) {
        // SAFETY: valid arguments.
        unsafe { ignore(self.app.vkBeginCommandBuffer(buffer, &vk::CommandBufferBeginInfo::default())) };
        record(&self.app, buffer);
        // SAFETY: valid arguments.
        unsafe { ignore(self.app.vkEndCommandBuffer(buffer)) };
    }

    /// A render pass instance over the whole framebuffer with `draws` draws of three vertices.
    pub fn pass(&self, pass: vk::RenderPass, framebuffer: vk::Framebuffer, extent: vk::Extent2D, draws: u32) {
        self.pass_into(self.buffer, pass, framebuffer, extent.into(), draws);
    }

    /// As [`Scene::pass`], in any command buffer and over any render area.
    pub fn pass_into(
        &self,
        buffer: vk::CommandBuffer,
        pass: vk::RenderPass,
        framebuffer: vk::Framebuffer,
        area: vk::Rect2D,
        draws: u32,
    ) {
        let info = vk::RenderPassBeginInfo::default().render_pass(pass).framebuffer(framebuffer).render_area(area);
        // SAFETY: valid arguments.
        unsafe {
            self.app.vkCmdBeginRenderPass(buffer, &info, vk::SubpassContents::INLINE);
            for _ in 0..draws {
                self.app.vkCmdDraw(buffer, 3, 1, 0, 0);
            }
            self.app.vkCmdEndRenderPass(buffer);
        }
    }

    /// vkQueueSubmit of one command buffer.
    pub fn submit(&self, buffer: vk::CommandBuffer) {
        self.submit_all(&[buffer]);
    }

    /// vkQueueSubmit of one batch.
    pub fn submit_all(&self, buffers: &[vk::CommandBuffer]) {
        let submits = [vk::SubmitInfo::default().command_buffers(buffers)];
        // SAFETY: valid arguments.
        unsafe { ignore(self.app.vkQueueSubmit(self.queue, 1, submits.as_ptr(), vk::Fence::null())) };
    }

    /// A swapchain with its images' handles.
    pub fn swapchain(&self, format: vk::Format, extent: vk::Extent2D) -> (vk::SwapchainKHR, Vec<vk::Image>) {
        let info = vk::SwapchainCreateInfoKHR::default()
            .min_image_count(3)
            .image_format(format)
            .image_extent(extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .present_mode(vk::PresentModeKHR::FIFO);
        let mut swapchain = vk::SwapchainKHR::null();
        let mut count = 0;
        let app = &self.app;
        // SAFETY: valid arguments.
        unsafe {
            ignore(app.vkCreateSwapchainKHR(app.device, &info, NO, &mut swapchain));
            ignore(app.vkGetSwapchainImagesKHR(app.device, swapchain, &mut count, ptr::null_mut()));
            let mut images = vec![vk::Image::null(); count as usize];
            ignore(app.vkGetSwapchainImagesKHR(app.device, swapchain, &mut count, images.as_mut_ptr()));
            (swapchain, images)
        }
    }

    /// vkQueuePresentKHR of one image.
    pub fn present(&self, swapchain: vk::SwapchainKHR, index: u32) {
        let (swapchains, indices) = ([swapchain], [index]);
        let info = vk::PresentInfoKHR::default().swapchains(&swapchains).image_indices(&indices);
        // SAFETY: valid arguments.
        unsafe { ignore(self.app.vkQueuePresentKHR(self.queue, &info)) };
    }
}
