//! A Vulkan object that is destroyed when it goes out of scope.

use crate::Error;
use crate::error::Named;
use crate::gpu::Gpu;
use ash::vk;

/// One object of a device. The borrow of [`Gpu`] keeps the device alive longer than the object.
pub struct Owned<'g, H: Copy> {
    gpu: &'g Gpu,
    handle: H,
    destroy: unsafe fn(&ash::Device, H),
}

impl<'g, H: Copy> Owned<'g, H> {
    /// Takes over `handle`.
    ///
    /// # Safety
    /// `handle` is a child of the device of `gpu`, nobody else destroys it, and `destroy` is its destroy command.
    pub unsafe fn new(gpu: &'g Gpu, handle: H, destroy: unsafe fn(&ash::Device, H)) -> Self {
        Self { gpu, handle, destroy }
    }

    /// The handle.
    pub fn get(&self) -> H {
        self.handle
    }
}

impl<H: Copy> Drop for Owned<'_, H> {
    fn drop(&mut self) {
        // SAFETY: `new` was promised a live child of this device; every submission is waited for before objects go out of scope.
        unsafe { (self.destroy)(&self.gpu.device, self.handle) }
    }
}

/// The creating commands of objects without further state.
impl Gpu {
    /// vkCreateRenderPass.
    pub fn render_pass(&self, info: &vk::RenderPassCreateInfo<'_>) -> Result<Owned<'_, vk::RenderPass>, Error> {
        // SAFETY: `info` borrows everything that it points to; the new object is handed to its guard at once.
        unsafe {
            let handle = self.device.create_render_pass(info, None).named("vkCreateRenderPass")?;
            Ok(Owned::new(self, handle, |d, h| d.destroy_render_pass(h, None)))
        }
    }

    /// vkCreateRenderPass2, which the device must have (Vulkan 1.2).
    pub fn render_pass_2(&self, info: &vk::RenderPassCreateInfo2<'_>) -> Result<Owned<'_, vk::RenderPass>, Error> {
        // SAFETY: as in `render_pass`.
        unsafe {
            let handle = self.device.create_render_pass2(info, None).named("vkCreateRenderPass2")?;
            Ok(Owned::new(self, handle, |d, h| d.destroy_render_pass(h, None)))
        }
    }

    /// vkCreateFramebuffer.
    pub fn framebuffer(&self, info: &vk::FramebufferCreateInfo<'_>) -> Result<Owned<'_, vk::Framebuffer>, Error> {
        // SAFETY: as in `render_pass`.
        unsafe {
            let handle = self.device.create_framebuffer(info, None).named("vkCreateFramebuffer")?;
            Ok(Owned::new(self, handle, |d, h| d.destroy_framebuffer(h, None)))
        }
    }

    /// vkCreateImageView.
    pub fn image_view(&self, info: &vk::ImageViewCreateInfo<'_>) -> Result<Owned<'_, vk::ImageView>, Error> {
        // SAFETY: as in `render_pass`.
        unsafe {
            let handle = self.device.create_image_view(info, None).named("vkCreateImageView")?;
            Ok(Owned::new(self, handle, |d, h| d.destroy_image_view(h, None)))
        }
    }

    /// vkCreatePipelineLayout.
    pub fn pipeline_layout(
        &self,
        info: &vk::PipelineLayoutCreateInfo<'_>,
    ) -> Result<Owned<'_, vk::PipelineLayout>, Error> {
        // SAFETY: as in `render_pass`.
        unsafe {
            let handle = self.device.create_pipeline_layout(info, None).named("vkCreatePipelineLayout")?;
            Ok(Owned::new(self, handle, |d, h| d.destroy_pipeline_layout(h, None)))
        }
    }

    /// vkCreateShaderModule.
    pub fn shader_module(&self, code: &[u32]) -> Result<Owned<'_, vk::ShaderModule>, Error> {
        let info = vk::ShaderModuleCreateInfo::default().code(code);
        // SAFETY: as in `render_pass`; the code comes from the shader compiler of the build.
        unsafe {
            let handle = self.device.create_shader_module(&info, None).named("vkCreateShaderModule")?;
            Ok(Owned::new(self, handle, |d, h| d.destroy_shader_module(h, None)))
        }
    }

    /// vkCreateSampler.
    pub fn sampler(&self, info: &vk::SamplerCreateInfo<'_>) -> Result<Owned<'_, vk::Sampler>, Error> {
        // SAFETY: as in `render_pass`.
        unsafe {
            let handle = self.device.create_sampler(info, None).named("vkCreateSampler")?;
            Ok(Owned::new(self, handle, |d, h| d.destroy_sampler(h, None)))
        }
    }

    /// vkAllocateMemory, of the first memory type that `requirements` allow and that has all of `preferred`, else of the first
    /// that has all of `wanted`, with `flags`.
    pub fn memory(
        &self,
        requirements: vk::MemoryRequirements,
        preferred: vk::MemoryPropertyFlags,
        wanted: vk::MemoryPropertyFlags,
        flags: vk::MemoryAllocateFlags,
    ) -> Result<Owned<'_, vk::DeviceMemory>, Error> {
        let types = self.memory.memory_types_as_slice();
        let first = |flags: vk::MemoryPropertyFlags| {
            let fits = |(i, t): &(u32, &vk::MemoryType)| {
                requirements.memory_type_bits & (1 << i) != 0 && t.property_flags.contains(flags)
            };
            (0u32..).zip(types).find(fits).map(|(index, _)| index)
        };
        let Some(index) = first(preferred).or_else(|| first(wanted)) else {
            return Err(self.lacks(format!("memory with {wanted:?}"), "take another device with --device INDEX"));
        };
        let mut flagged = vk::MemoryAllocateFlagsInfo::default().flags(flags);
        let mut info = vk::MemoryAllocateInfo::default().allocation_size(requirements.size).memory_type_index(index);
        // The struct is of Vulkan 1.1.
        if !flags.is_empty() {
            info = info.push_next(&mut flagged);
        }
        // SAFETY: as in `render_pass`; the index is one of the device's memory types.
        unsafe {
            let handle = self.device.allocate_memory(&info, None).named("vkAllocateMemory")?;
            Ok(Owned::new(self, handle, |d, h| d.free_memory(h, None)))
        }
    }
}
