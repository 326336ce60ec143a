//! Record, submit, wait: one batch at a time.

use crate::Error;
use crate::error::Named;
use crate::gpu::Gpu;
use crate::owned::Owned;
use ash::vk;

/// Command buffers that are recorded anew for every submission, and the fence that tells when they are done.
pub struct Commands<'g> {
    gpu: &'g Gpu,
    pool: Owned<'g, vk::CommandPool>,
    fence: Owned<'g, vk::Fence>,
    commands: Vec<vk::CommandBuffer>,
}

impl<'g> Commands<'g> {
    /// A command buffer for the queue of `gpu`.
    pub fn new(gpu: &'g Gpu) -> Result<Self, Error> {
        Self::batch(gpu, 1)
    }

    /// `count` command buffers for the queue of `gpu`, at least one, which are submitted together.
    pub fn batch(gpu: &'g Gpu, count: u32) -> Result<Self, Error> {
        let (pool, commands) = allocate(gpu, vk::CommandBufferLevel::PRIMARY, count)?;
        // SAFETY: the new object is handed to its guard at once.
        let fence = unsafe {
            let fence = gpu.device.create_fence(&vk::FenceCreateInfo::default(), None).named("vkCreateFence")?;
            Owned::new(gpu, fence, |d, h| d.destroy_fence(h, None))
        };
        Ok(Self { gpu, pool, fence, commands })
    }

    /// Records what `record` records into the first command buffer, submits it and waits until it is done.
    pub fn run(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<(), Error> {
        self.run_of(&self.commands[..1], |all| record(all[0]))
    }

    /// Records what `record` records into all command buffers, submits them in one batch and waits until they are done.
    pub fn run_batch(&self, record: impl FnOnce(&[vk::CommandBuffer])) -> Result<(), Error> {
        self.run_of(&self.commands, record)
    }

    fn run_of(&self, buffers: &[vk::CommandBuffer], record: impl FnOnce(&[vk::CommandBuffer])) -> Result<(), Error> {
        let device = &self.gpu.device;
        // SAFETY: no submission is in flight (every run waits for its own), so pool, buffers and fence are free to be used.
        unsafe {
            device
                .reset_command_pool(self.pool.get(), vk::CommandPoolResetFlags::empty())
                .named("vkResetCommandPool")?;
            let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
            for commands in buffers {
                device.begin_command_buffer(*commands, &begin).named("vkBeginCommandBuffer")?;
            }
        }
        record(buffers);
        let submit = vk::SubmitInfo::default().command_buffers(buffers);
        // SAFETY: the command buffers are in the recording state; the fence is unsignalled and in no submission.
        unsafe {
            for commands in buffers {
                device.end_command_buffer(*commands).named("vkEndCommandBuffer")?;
            }
            device.queue_submit(self.gpu.queue, &[submit], self.fence.get()).named("vkQueueSubmit")?;
            device.wait_for_fences(&[self.fence.get()], true, u64::MAX).named("vkWaitForFences")?;
            device.reset_fences(&[self.fence.get()]).named("vkResetFences")
        }
    }
}

/// A secondary command buffer that continues a render pass of its primary.
pub struct Secondary<'g> {
    gpu: &'g Gpu,
    pool: Owned<'g, vk::CommandPool>,
    commands: vk::CommandBuffer,
}

impl<'g> Secondary<'g> {
    /// A secondary for primaries of the queue of `gpu`.
    pub fn new(gpu: &'g Gpu) -> Result<Self, Error> {
        let (pool, commands) = allocate(gpu, vk::CommandBufferLevel::SECONDARY, 1)?;
        Ok(Self { gpu, pool, commands: commands[0] })
    }

    /// Records anew what `record` records. No primary that executes it may be in flight.
    pub fn record(
        &self,
        inheritance: &vk::CommandBufferInheritanceInfo<'_>,
        record: impl FnOnce(vk::CommandBuffer),
    ) -> Result<vk::CommandBuffer, Error> {
        let device = &self.gpu.device;
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
            .inheritance_info(inheritance);
        // SAFETY: nothing of the pool is in flight, by the caller's promise; the inheritance is valid.
        unsafe {
            device
                .reset_command_pool(self.pool.get(), vk::CommandPoolResetFlags::empty())
                .named("vkResetCommandPool")?;
            device.begin_command_buffer(self.commands, &begin).named("vkBeginCommandBuffer")?;
        }
        record(self.commands);
        // SAFETY: the command buffer is in the recording state.
        unsafe { device.end_command_buffer(self.commands).named("vkEndCommandBuffer")? };
        Ok(self.commands)
    }
}

/// A pool with `count` command buffers.
fn allocate<'g>(
    gpu: &'g Gpu,
    level: vk::CommandBufferLevel,
    count: u32,
) -> Result<(Owned<'g, vk::CommandPool>, Vec<vk::CommandBuffer>), Error> {
    let info = vk::CommandPoolCreateInfo::default().queue_family_index(gpu.family);
    // SAFETY: the family is one of the device's; the new object is handed to its guard at once.
    let pool = unsafe {
        let pool = gpu.device.create_command_pool(&info, None).named("vkCreateCommandPool")?;
        Owned::new(gpu, pool, |d, h| d.destroy_command_pool(h, None))
    };
    let info =
        vk::CommandBufferAllocateInfo::default().command_pool(pool.get()).level(level).command_buffer_count(count);
    // SAFETY: the pool is live; it frees the command buffers with itself.
    let all = unsafe { gpu.device.allocate_command_buffers(&info) }.named("vkAllocateCommandBuffers")?;
    Ok((pool, all))
}
