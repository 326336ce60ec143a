//! Every object that the script makes, and how it is destroyed again.

use super::{NO, Scene, attachment};
use ash::vk::{self, Handle};
use std::ptr;

/// Objects of the script.
pub(super) struct Objects {
    pub(super) buffer: vk::Buffer,
    pub(super) buffer_memory: vk::DeviceMemory,
    pub(super) color: super::Image,
    pub(super) depth: super::Image,
    pub(super) multisampled: super::Image,
    pub(super) pass: vk::RenderPass,
    pub(super) framebuffer: vk::Framebuffer,
    pub(super) imageless_pass: vk::RenderPass,
    pub(super) imageless: vk::Framebuffer,
    pub(super) pipeline: vk::Pipeline,
    pub(super) layout: vk::PipelineLayout,
    pub(super) event: vk::Event,
    pub(super) queries: vk::QueryPool,
    pub(super) secondaries: Vec<vk::CommandBuffer>,
}

/// Creates an object with an empty create info and destroys it: for kinds of which the script uses none.
macro_rules! passing {
    ($app:expr, $($create:ident $destroy:ident $info:ident $handle:ident;)*) => {$({
        let mut handle = vk::$handle::null();
        call!($app, $create($app.device, &vk::$info::default(), NO, &mut handle));
        call!($app, $destroy($app.device, handle, NO));
    })*};
}

/// Creates what the script needs.
pub(super) fn create(scene: &Scene) -> Objects {
    let app = &scene.app;
    let device = app.device;
    passing! { app,
        vkCreateFence vkDestroyFence FenceCreateInfo Fence;
        vkCreateSemaphore vkDestroySemaphore SemaphoreCreateInfo Semaphore;
        vkCreateBufferView vkDestroyBufferView BufferViewCreateInfo BufferView;
        vkCreateSampler vkDestroySampler SamplerCreateInfo Sampler;
        vkCreateShaderModule vkDestroyShaderModule ShaderModuleCreateInfo ShaderModule;
        vkCreateDescriptorSetLayout vkDestroyDescriptorSetLayout DescriptorSetLayoutCreateInfo DescriptorSetLayout;
        vkCreateDescriptorPool vkDestroyDescriptorPool DescriptorPoolCreateInfo DescriptorPool;
        vkCreatePipelineCache vkDestroyPipelineCache PipelineCacheCreateInfo PipelineCache;
    }
    let mut event = vk::Event::null();
    call!(app, vkCreateEvent(device, &vk::EventCreateInfo::default(), NO, &mut event));
    let mut queries = vk::QueryPool::null();
    call!(app, vkCreateQueryPool(device, &vk::QueryPoolCreateInfo::default(), NO, &mut queries));
    let mut layout = vk::PipelineLayout::null();
    call!(app, vkCreatePipelineLayout(device, &vk::PipelineLayoutCreateInfo::default(), NO, &mut layout));
    let mut pipeline = vk::Pipeline::null();
    let compute = vk::ComputePipelineCreateInfo::default();
    let cache = vk::PipelineCache::null();
    call!(app, vkCreateComputePipelines(device, cache, 1, &compute, NO, &mut pipeline));
    call!(app, vkDestroyPipeline(device, pipeline, NO));
    let graphics = vk::GraphicsPipelineCreateInfo::default();
    call!(app, vkCreateGraphicsPipelines(device, cache, 1, &graphics, NO, &mut pipeline));

    lazy_memory(scene);
    let (buffer, buffer_memory) = create_buffer(scene);
    let color = scene.image(vk::Format::R8G8B8A8_UNORM, 640, 480, 1);
    let depth = scene.image(vk::Format::D24_UNORM_S8_UINT, 640, 480, 1);
    let multisampled = scene.image(vk::Format::R8G8B8A8_UNORM, 640, 480, 4);
    let mut requirements = vk::MemoryRequirements::default();
    call!(app, vkGetImageMemoryRequirements(device, color.image, &mut requirements));
    let mut other = vk::Image::null();
    let info = image_info();
    call!(app, vkCreateImage(device, &info, NO, &mut other));
    let bind = vk::BindImageMemoryInfo::default().image(other).memory(color.memory);
    call!(app, vkBindImageMemory2 | vkBindImageMemory2KHR(device, 1, &bind));
    call!(app, vkDestroyImage(device, other, NO));

    let ops = (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE);
    let pass = scene.render_pass(&[attachment(&color, ops.0, ops.1), attachment(&depth, ops.0, ops.1)]);
    let framebuffer = scene.framebuffer(pass, &[&color, &depth]);
    let mut tile = vk::TilePropertiesQCOM::default();
    call!(app, vkGetFramebufferTilePropertiesQCOM(device, framebuffer, &mut 1, &mut tile));
    call!(app, vkGetRenderAreaGranularity(device, pass, &mut vk::Extent2D::default()));
    let (imageless_pass, imageless) = create_imageless(scene);
    let secondaries = app.command_buffers(scene.pool, vk::CommandBufferLevel::SECONDARY, 2);
    Objects {
        buffer,
        buffer_memory,
        color,
        depth,
        multisampled,
        pass,
        framebuffer,
        imageless_pass,
        imageless,
        pipeline,
        layout,
        event,
        queries,
        secondaries,
    }
}

fn image_info() -> vk::ImageCreateInfo<'static> {
    vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D { width: 64, height: 64, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::SAMPLED)
}

/// Memory requirements of an image to be, and what lazily allocated memory has cost.
fn lazy_memory(scene: &Scene) {
    let app = &scene.app;
    let device = app.device;
    let info = image_info();
    let ask = vk::DeviceImageMemoryRequirements::default().create_info(&info);
    let mut requirements = vk::MemoryRequirements2::default();
    call!(
        app,
        vkGetDeviceImageMemoryRequirements | vkGetDeviceImageMemoryRequirementsKHR(device, &ask, &mut requirements)
    );
    let mut memory = vk::DeviceMemory::null();
    let allocate = vk::MemoryAllocateInfo::default().allocation_size(65536).memory_type_index(2);
    call!(app, vkAllocateMemory(device, &allocate, NO, &mut memory));
    call!(app, vkGetDeviceMemoryCommitment(device, memory, &mut 0));
    call!(app, vkFreeMemory(device, memory, NO));
}

fn create_buffer(scene: &Scene) -> (vk::Buffer, vk::DeviceMemory) {
    let app = &scene.app;
    let device = app.device;
    let (mut buffer, mut memory) = (vk::Buffer::null(), vk::DeviceMemory::null());
    let info = vk::BufferCreateInfo::default().size(65536).usage(vk::BufferUsageFlags::TRANSFER_DST);
    call!(app, vkCreateBuffer(device, &info, NO, &mut buffer));
    call!(app, vkGetBufferMemoryRequirements(device, buffer, &mut vk::MemoryRequirements::default()));
    let allocate = vk::MemoryAllocateInfo::default().allocation_size(65536).memory_type_index(1);
    call!(app, vkAllocateMemory(device, &allocate, NO, &mut memory));
    call!(app, vkBindBufferMemory(device, buffer, memory, 0));
    let bind = vk::BindBufferMemoryInfo::default().buffer(buffer).memory(memory);
    call!(app, vkBindBufferMemory2 | vkBindBufferMemory2KHR(device, 1, &bind));
    let mut mapped = ptr::null_mut();
    call!(app, vkMapMemory(device, memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty(), &mut mapped));
    call!(app, vkUnmapMemory(device, memory));
    (buffer, memory)
}

/// A render pass of the second form with two subpasses, and a framebuffer without images.
fn create_imageless(scene: &Scene) -> (vk::RenderPass, vk::Framebuffer) {
    let app = &scene.app;
    let attachments = [vk::AttachmentDescription2::default()
        .format(vk::Format::R8G8B8A8_UNORM)
        .samples(vk::SampleCountFlags::TYPE_1)
        .load_op(vk::AttachmentLoadOp::LOAD)
        .store_op(vk::AttachmentStoreOp::STORE)
        .initial_layout(vk::ImageLayout::GENERAL)
        .final_layout(vk::ImageLayout::GENERAL)];
    let color = [vk::AttachmentReference2::default().attachment(0).layout(vk::ImageLayout::GENERAL)];
    let subpass = vk::SubpassDescription2::default().color_attachments(&color);
    let subpasses = [subpass, subpass];
    let dependencies = [vk::SubpassDependency2::default()
        .dst_subpass(1)
        .src_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
        .dst_stage_mask(vk::PipelineStageFlags::FRAGMENT_SHADER)];
    let info = vk::RenderPassCreateInfo2::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    let mut pass = vk::RenderPass::null();
    call!(app, vkCreateRenderPass2 | vkCreateRenderPass2KHR(app.device, &info, NO, &mut pass));
    let formats = [vk::Format::R8G8B8A8_UNORM];
    let image = vk::FramebufferAttachmentImageInfo::default()
        .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
        .width(640)
        .height(480)
        .layer_count(1)
        .view_formats(&formats);
    let images = [image];
    let mut images = vk::FramebufferAttachmentsCreateInfo::default().attachment_image_infos(&images);
    let mut info = vk::FramebufferCreateInfo::default()
        .flags(vk::FramebufferCreateFlags::IMAGELESS)
        .render_pass(pass)
        .width(640)
        .height(480)
        .layers(1)
        .push_next(&mut images);
    info.attachment_count = 1;
    let mut framebuffer = vk::Framebuffer::null();
    call!(app, vkCreateFramebuffer(app.device, &info, NO, &mut framebuffer));
    (pass, framebuffer)
}

/// Destroys what [`create`] made.
pub(super) fn destroy(scene: &Scene, objects: &Objects) {
    let app = &scene.app;
    let device = app.device;
    call!(app, vkFreeCommandBuffers(device, scene.pool, 2, objects.secondaries.as_ptr()));
    for framebuffer in [objects.framebuffer, objects.imageless] {
        call!(app, vkDestroyFramebuffer(device, framebuffer, NO));
    }
    for pass in [objects.pass, objects.imageless_pass] {
        call!(app, vkDestroyRenderPass(device, pass, NO));
    }
    for image in [&objects.color, &objects.depth, &objects.multisampled] {
        call!(app, vkDestroyImageView(device, image.view, NO));
        call!(app, vkDestroyImage(device, image.image, NO));
        call!(app, vkFreeMemory(device, image.memory, NO));
    }
    call!(app, vkDestroyPipeline(device, objects.pipeline, NO));
    call!(app, vkDestroyPipelineLayout(device, objects.layout, NO));
    call!(app, vkDestroyEvent(device, objects.event, NO));
    call!(app, vkDestroyQueryPool(device, objects.queries, NO));
    call!(app, vkDestroyBuffer(device, objects.buffer, NO));
    call!(app, vkFreeMemory(device, objects.buffer_memory, NO));
}

/// Gives an object a debug name and a tag.
pub(super) fn name<H: Handle>(scene: &Scene, handle: H, name: &std::ffi::CStr) {
    let app = &scene.app;
    let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(handle).object_name(name);
    call!(app, vkSetDebugUtilsObjectNameEXT(app.device, &info));
    let tag = vk::DebugUtilsObjectTagInfoEXT::default().tag_name(1).tag(b"tag");
    call!(app, vkSetDebugUtilsObjectTagEXT(app.device, &tag));
}
