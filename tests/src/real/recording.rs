//! A loop that records and never submits: 10 render passes of 1000 draws each, with one bind per 10 draws.

use super::vulkan::{Vulkan, Wanted};
use crate::fake::{Chain, handle};
use ash::vk;
use std::ffi::CStr;
use std::ptr;

/// The functions and objects of the loop, ready to run. They live as long as the process.
pub struct Loop {
    begin: vk::PFN_vkBeginCommandBuffer,
    end: vk::PFN_vkEndCommandBuffer,
    begin_pass: vk::PFN_vkCmdBeginRenderPass,
    end_pass: vk::PFN_vkCmdEndRenderPass,
    bind: vk::PFN_vkCmdBindVertexBuffers,
    draw: vk::PFN_vkCmdDraw,
    commands: vk::CommandBuffer,
    vertices: vk::Buffer,
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
}

// SAFETY: each loop has a command buffer and a pool of its own, and `record` is run by one thread at a time, the bench's.
unsafe impl Sync for Loop {}
// SAFETY: as above.
unsafe impl Send for Loop {}

const SIZE: vk::Extent2D = vk::Extent2D { width: 64, height: 64 };
const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
const PASSES: u32 = 10;
const DRAWS_PER_PASS: u32 = 1000;

impl Loop {
    /// Draws of one [`Loop::record`].
    pub const DRAWS: u32 = PASSES * DRAWS_PER_PASS;

    /// The loop over the fake driver.
    pub fn on_fake(chain: &Chain) -> Self {
        let app = chain.start();
        let find = |name: &CStr| app.address(name.to_str().unwrap());
        // SAFETY: a live device and its functions by their names.
        unsafe { Self::new(app.device, &find, |buffer| handle::set_dispatch(buffer, handle::dispatch(app.device))) }
    }

    /// The loop over the installed loader, with our layer (found by VK_LAYER_PATH) or without.
    pub fn on_loader(layer: bool) -> Self {
        let vulkan = Vulkan::new(Wanted { api: vk::API_VERSION_1_1, extensions: false, layer, ..Wanted::default() });
        let find = |name: &CStr| vulkan.device_address(name).unwrap_or_else(|| panic!("{name:?} is missing"));
        // SAFETY: a live device and its functions by their names.
        unsafe { Self::new(vulkan.device, &find, |_| ()) }
    }

    /// # Safety
    /// `find` gives the functions of `device` by their names.
    unsafe fn new(
        device: vk::Device,
        find: &dyn Fn(&CStr) -> unsafe extern "system" fn(),
        allocated: impl Fn(vk::CommandBuffer),
    ) -> Self {
        macro_rules! function {
            ($name:literal, $type:ident) => {
                std::mem::transmute::<unsafe extern "system" fn(), vk::$type>(find($name))
            };
        }
        // SAFETY: names and types belong together; arguments are valid.
        unsafe {
            let mut pool = vk::CommandPool::null();
            let info = vk::CommandPoolCreateInfo::default().flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
            function!(c"vkCreateCommandPool", PFN_vkCreateCommandPool)(device, &info, ptr::null(), &mut pool)
                .result()
                .unwrap();
            let mut commands = vk::CommandBuffer::null();
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            function!(c"vkAllocateCommandBuffers", PFN_vkAllocateCommandBuffers)(device, &info, &mut commands)
                .result()
                .unwrap();
            allocated(commands);
            let mut vertices = vk::Buffer::null();
            let info = vk::BufferCreateInfo::default().size(4096).usage(vk::BufferUsageFlags::VERTEX_BUFFER);
            function!(c"vkCreateBuffer", PFN_vkCreateBuffer)(device, &info, ptr::null(), &mut vertices)
                .result()
                .unwrap();
            let view = {
                let mut image = vk::Image::null();
                let info = vk::ImageCreateInfo::default()
                    .image_type(vk::ImageType::TYPE_2D)
                    .format(FORMAT)
                    .extent(SIZE.into())
                    .mip_levels(1)
                    .array_layers(1)
                    .samples(vk::SampleCountFlags::TYPE_1)
                    .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT);
                function!(c"vkCreateImage", PFN_vkCreateImage)(device, &info, ptr::null(), &mut image)
                    .result()
                    .unwrap();
                let mut needs = vk::MemoryRequirements::default();
                function!(c"vkGetImageMemoryRequirements", PFN_vkGetImageMemoryRequirements)(device, image, &mut needs);
                let mut memory = vk::DeviceMemory::null();
                let info = vk::MemoryAllocateInfo::default()
                    .allocation_size(needs.size)
                    .memory_type_index(needs.memory_type_bits.trailing_zeros());
                function!(c"vkAllocateMemory", PFN_vkAllocateMemory)(device, &info, ptr::null(), &mut memory)
                    .result()
                    .unwrap();
                function!(c"vkBindImageMemory", PFN_vkBindImageMemory)(device, image, memory, 0).result().unwrap();
                let mut view = vk::ImageView::null();
                let range = vk::ImageSubresourceRange::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .level_count(1)
                    .layer_count(1);
                let info = vk::ImageViewCreateInfo::default()
                    .image(image)
                    .view_type(vk::ImageViewType::TYPE_2D)
                    .format(FORMAT)
                    .subresource_range(range);
                function!(c"vkCreateImageView", PFN_vkCreateImageView)(device, &info, ptr::null(), &mut view)
                    .result()
                    .unwrap();
                view
            };
            let attachments = [vk::AttachmentDescription::default()
                .format(FORMAT)
                .samples(vk::SampleCountFlags::TYPE_1)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .final_layout(vk::ImageLayout::GENERAL)];
            let color = [vk::AttachmentReference { attachment: 0, layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL }];
            let subpasses = [vk::SubpassDescription::default().color_attachments(&color)];
            let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
            let mut pass = vk::RenderPass::null();
            function!(c"vkCreateRenderPass", PFN_vkCreateRenderPass)(device, &info, ptr::null(), &mut pass)
                .result()
                .unwrap();
            let views = [view];
            let info = vk::FramebufferCreateInfo::default()
                .render_pass(pass)
                .attachments(&views)
                .width(SIZE.width)
                .height(SIZE.height)
                .layers(1);
            let mut framebuffer = vk::Framebuffer::null();
            function!(c"vkCreateFramebuffer", PFN_vkCreateFramebuffer)(device, &info, ptr::null(), &mut framebuffer)
                .result()
                .unwrap();
            Self {
                begin: function!(c"vkBeginCommandBuffer", PFN_vkBeginCommandBuffer),
                end: function!(c"vkEndCommandBuffer", PFN_vkEndCommandBuffer),
                begin_pass: function!(c"vkCmdBeginRenderPass", PFN_vkCmdBeginRenderPass),
                end_pass: function!(c"vkCmdEndRenderPass", PFN_vkCmdEndRenderPass),
                bind: function!(c"vkCmdBindVertexBuffers", PFN_vkCmdBindVertexBuffers),
                draw: function!(c"vkCmdDraw", PFN_vkCmdDraw),
                commands,
                vertices,
                pass,
                framebuffer,
            }
        }
    }

    /// Records the command buffer once, over what it held.
    pub fn record(&self) {
        let values = [vk::ClearValue::default()];
        let begin_pass = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass)
            .framebuffer(self.framebuffer)
            .render_area(SIZE.into())
            .clear_values(&values);
        // SAFETY: live handles of one device, recorded by one thread.
        unsafe {
            (self.begin)(self.commands, &vk::CommandBufferBeginInfo::default()).result().unwrap();
            for _ in 0..PASSES {
                (self.begin_pass)(self.commands, &begin_pass, vk::SubpassContents::INLINE);
                for draw in 0..DRAWS_PER_PASS {
                    if draw % 10 == 0 {
                        (self.bind)(self.commands, 0, 1, &self.vertices, &0);
                    }
                    (self.draw)(self.commands, 3, 1, 0, draw);
                }
                (self.end_pass)(self.commands);
            }
            (self.end)(self.commands).result().unwrap();
        }
    }
}
