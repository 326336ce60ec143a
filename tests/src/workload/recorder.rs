//! The recording thread of an application: its command buffer and queue, and the functions it calls, resolved once.

use super::{Application, Command, SIZE, Through, pass_through};
use ash::vk;
use std::ptr;

/// What one thread records and submits with.
pub struct Recorder<'a> {
    application: &'a Application,
    functions: Functions,
    commands: vk::CommandBuffer,
    queue: vk::Queue,
}

struct Functions {
    begin: vk::PFN_vkBeginCommandBuffer,
    end: vk::PFN_vkEndCommandBuffer,
    begin_pass: vk::PFN_vkCmdBeginRenderPass,
    end_pass: vk::PFN_vkCmdEndRenderPass,
    bind: vk::PFN_vkCmdBindVertexBuffers,
    bind_pipeline: vk::PFN_vkCmdBindPipeline,
    set_scissor: vk::PFN_vkCmdSetScissor,
    set_depth_test: vk::PFN_vkCmdSetDepthTestEnable,
    draw: vk::PFN_vkCmdDraw,
    barrier: vk::PFN_vkCmdPipelineBarrier,
    copy: vk::PFN_vkCmdCopyImageToBuffer,
    submit: vk::PFN_vkQueueSubmit,
}

impl Functions {
    fn of(application: &Application) -> Self {
        macro_rules! function {
            ($name:ident as $pfn:ident) => {{
                let below = application.scene.app.address(stringify!($name));
                let found = match application.through {
                    Through::PassThrough => pass_through::device_proc_addr(stringify!($name), below),
                    Through::Nothing | Through::Tilelens => below,
                };
                // SAFETY: the chain gave this function for the name, whose type this is.
                unsafe { std::mem::transmute::<unsafe extern "system" fn(), vk::$pfn>(found) }
            }};
        }
        Self {
            begin: function!(vkBeginCommandBuffer as PFN_vkBeginCommandBuffer),
            end: function!(vkEndCommandBuffer as PFN_vkEndCommandBuffer),
            begin_pass: function!(vkCmdBeginRenderPass as PFN_vkCmdBeginRenderPass),
            end_pass: function!(vkCmdEndRenderPass as PFN_vkCmdEndRenderPass),
            bind: function!(vkCmdBindVertexBuffers as PFN_vkCmdBindVertexBuffers),
            bind_pipeline: function!(vkCmdBindPipeline as PFN_vkCmdBindPipeline),
            set_scissor: function!(vkCmdSetScissor as PFN_vkCmdSetScissor),
            set_depth_test: function!(vkCmdSetDepthTestEnable as PFN_vkCmdSetDepthTestEnable),
            draw: function!(vkCmdDraw as PFN_vkCmdDraw),
            barrier: function!(vkCmdPipelineBarrier as PFN_vkCmdPipelineBarrier),
            copy: function!(vkCmdCopyImageToBuffer as PFN_vkCmdCopyImageToBuffer),
            submit: function!(vkQueueSubmit as PFN_vkQueueSubmit),
        }
    }
}

impl<'a> Recorder<'a> {
    pub(super) fn new(application: &'a Application, thread: u32) -> Self {
        let app = &application.scene.app;
        let info = vk::CommandPoolCreateInfo::default().flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        let mut pool = vk::CommandPool::null();
        // SAFETY: valid arguments.
        unsafe { app.vkCreateCommandPool(app.device, &info, ptr::null(), &mut pool) }.result().unwrap();
        let commands = app.command_buffers(pool, vk::CommandBufferLevel::PRIMARY, 1)[0];
        Self { application, functions: Functions::of(application), commands, queue: app.queue(0, thread) }
    }

    /// Runs the command so many times, in as many recordings of the command buffer as that takes.
    pub fn run(&self, command: Command, times: u32) {
        if command == Command::Submit {
            self.record(|| self.repeat(Command::Pass, 1));
            (0..times).for_each(|_| self.submit());
            return;
        }
        let mut left = times;
        while left > 0 {
            let now = left.min(command.in_a_command_buffer());
            self.record(|| match command {
                Command::Draw | Command::BindDraw | Command::StateDraw => self.in_pass(|| self.repeat(command, now)),
                _ => self.repeat(command, now),
            });
            left -= now;
        }
    }

    /// Submits what the command buffer holds.
    pub fn submit(&self) {
        let commands = [self.commands];
        let submits = [vk::SubmitInfo::default().command_buffers(&commands)];
        // SAFETY: a live queue that this thread alone uses, and a command buffer that is not being recorded.
        unsafe { (self.functions.submit)(self.queue, 1, submits.as_ptr(), vk::Fence::null()) }.result().unwrap();
    }

    fn record(&self, commands: impl FnOnce()) {
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
        // SAFETY: a live command buffer that this thread alone uses.
        unsafe { (self.functions.begin)(self.commands, &info) }.result().unwrap();
        commands();
        // SAFETY: as above.
        unsafe { (self.functions.end)(self.commands) }.result().unwrap();
    }

    fn in_pass(&self, commands: impl FnOnce()) {
        let clears = [vk::ClearValue::default(); 2];
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(self.application.pass)
            .framebuffer(self.application.framebuffer)
            .render_area(vk::Extent2D { width: SIZE, height: SIZE }.into())
            .clear_values(&clears);
        // SAFETY: live handles of one device; the command buffer is being recorded outside a render pass.
        unsafe { (self.functions.begin_pass)(self.commands, &info, vk::SubpassContents::INLINE) };
        commands();
        // SAFETY: inside the render pass begun above.
        unsafe { (self.functions.end_pass)(self.commands) };
    }

    /// Records the command so many times.
    fn repeat(&self, command: Command, times: u32) {
        let Functions { bind, bind_pipeline, set_scissor, set_depth_test, draw, barrier, copy, .. } = self.functions;
        let (commands, color, buffer) = (self.commands, self.application.color.image, self.application.buffer);
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        };
        let barriers = [vk::ImageMemoryBarrier::default()
            .image(color)
            .old_layout(vk::ImageLayout::GENERAL)
            .new_layout(vk::ImageLayout::GENERAL)
            .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
            .dst_access_mask(vk::AccessFlags::TRANSFER_READ)
            .subresource_range(range)];
        let (from, to) = (vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT, vk::PipelineStageFlags::TRANSFER);
        let layers =
            vk::ImageSubresourceLayers { aspect_mask: range.aspect_mask, layer_count: 1, ..Default::default() };
        let regions = [vk::BufferImageCopy::default().image_subresource(layers).image_extent(vk::Extent3D {
            width: SIZE,
            height: SIZE,
            depth: 1,
        })];
        let none = vk::DependencyFlags::empty();
        for number in 0..times {
            // SAFETY: live handles of one device, valid structs, and a command buffer that this thread alone records, inside a render
            // pass for draws and outside for the others.
            unsafe {
                match command {
                    Command::Draw => draw(commands, 3, 1, 0, number),
                    Command::BindDraw => {
                        bind(commands, 0, 1, &buffer, &0);
                        draw(commands, 3, 1, 0, number);
                    }
                    Command::StateDraw => {
                        let offset = vk::Offset2D { x: (number % 7) as i32, y: 0 };
                        let scissor = vk::Rect2D { offset, extent: vk::Extent2D { width: SIZE, height: SIZE } };
                        let pipeline = self.application.pipelines[number as usize % 2];
                        bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
                        set_scissor(commands, 0, 1, &scissor);
                        set_depth_test(commands, number / 2 % 2);
                        draw(commands, 3, 1, 0, number);
                    }
                    Command::Pass => self.in_pass(|| ()),
                    Command::Barrier => {
                        barrier(commands, from, to, none, 0, ptr::null(), 0, ptr::null(), 1, barriers.as_ptr())
                    }
                    Command::Copy => {
                        copy(commands, color, vk::ImageLayout::GENERAL, buffer, 1, regions.as_ptr());
                    }
                    Command::Submit => self.submit(),
                }
            }
        }
    }
}
