//! One descriptor set for a fragment shader: images by the number of their binding. Texels are fetched, not filtered.

use crate::Error;
use crate::error::Named;
use crate::gpu::Gpu;
use crate::owned::Owned;
use ash::vk;

/// An image that a fragment shader reads.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// INPUT_ATTACHMENT or COMBINED_IMAGE_SAMPLER.
    pub kind: vk::DescriptorType,
    /// The view that is read.
    pub view: vk::ImageView,
    /// The layout of the image while it is read.
    pub layout: vk::ImageLayout,
}

impl Bound {
    /// An image of which the shader may fetch any texel.
    pub fn sampled(view: vk::ImageView, layout: vk::ImageLayout) -> Self {
        Self { kind: vk::DescriptorType::COMBINED_IMAGE_SAMPLER, view, layout }
    }

    /// An input attachment.
    pub fn input(view: vk::ImageView, layout: vk::ImageLayout) -> Self {
        Self { kind: vk::DescriptorType::INPUT_ATTACHMENT, view, layout }
    }
}

/// A descriptor set with its layout, and a pipeline layout of this set and push constants.
pub struct Descriptors<'g> {
    gpu: &'g Gpu,
    pipeline_layout: Owned<'g, vk::PipelineLayout>,
    _set_layout: Owned<'g, vk::DescriptorSetLayout>,
    // The pool frees the set.
    _pool: Owned<'g, vk::DescriptorPool>,
    set: vk::DescriptorSet,
    _sampler: Owned<'g, vk::Sampler>,
}

impl<'g> Descriptors<'g> {
    /// A set with `bound` at the bindings 0, 1, …, for pipelines that also push `pushed` bytes to their fragment shader.
    pub fn new(gpu: &'g Gpu, bound: &[Bound], pushed: u32) -> Result<Self, Error> {
        let bindings: Vec<_> = (0..)
            .zip(bound)
            .map(|(binding, b)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(b.kind)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::FRAGMENT)
            })
            .collect();
        let sizes: Vec<_> = bound.iter().map(|b| vk::DescriptorPoolSize { ty: b.kind, descriptor_count: 1 }).collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let pool_info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let device = &gpu.device;
        // SAFETY: the structs borrow all they point to; the new objects are handed to their guards at once.
        let (set_layout, pool) = unsafe {
            let layout = device.create_descriptor_set_layout(&info, None).named("vkCreateDescriptorSetLayout")?;
            let layout = Owned::new(gpu, layout, |d, h| d.destroy_descriptor_set_layout(h, None));
            let pool = device.create_descriptor_pool(&pool_info, None).named("vkCreateDescriptorPool")?;
            (layout, Owned::new(gpu, pool, |d, h| d.destroy_descriptor_pool(h, None)))
        };
        let layouts = [set_layout.get()];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool.get()).set_layouts(&layouts);
        // SAFETY: pool and layout are live, and the pool has room for exactly this set.
        let set = unsafe { device.allocate_descriptor_sets(&info) }.named("vkAllocateDescriptorSets")?[0];
        let sampler = gpu.sampler(&vk::SamplerCreateInfo::default())?;
        // The sampler is ignored for an input attachment.
        let image =
            |b: &Bound| vk::DescriptorImageInfo { sampler: sampler.get(), image_view: b.view, image_layout: b.layout };
        let images: Vec<_> = bound.iter().map(|b| [image(b)]).collect();
        let writes: Vec<_> = (0..)
            .zip(bound.iter().zip(&images))
            .map(|(binding, (b, image))| {
                vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(binding)
                    .descriptor_type(b.kind)
                    .image_info(image)
            })
            .collect();
        // SAFETY: the set is new and in no command buffer; views and samplers are live.
        unsafe { device.update_descriptor_sets(&writes, &[]) };
        let ranges = [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::FRAGMENT, offset: 0, size: pushed }];
        let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        if pushed > 0 {
            info = info.push_constant_ranges(&ranges);
        }
        let pipeline_layout = gpu.pipeline_layout(&info)?;
        Ok(Self { gpu, pipeline_layout, _set_layout: set_layout, _pool: pool, set, _sampler: sampler })
    }

    /// The layout for pipelines that read the set.
    pub fn pipeline_layout(&self) -> vk::PipelineLayout {
        self.pipeline_layout.get()
    }

    /// Records a triangle over the whole framebuffer, drawn with `pipeline`, which reads the set and `pushed`.
    pub fn draw(&self, commands: vk::CommandBuffer, pipeline: vk::Pipeline, pushed: &[u8]) {
        let device = &self.gpu.device;
        let layout = self.pipeline_layout.get();
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        // SAFETY: the command buffer is being recorded inside a matching render pass instance, the images of the set are in their
        // layouts, and all objects are live.
        unsafe {
            device.cmd_bind_pipeline(commands, graphics, pipeline);
            device.cmd_bind_descriptor_sets(commands, graphics, layout, 0, &[self.set], &[]);
            if !pushed.is_empty() {
                device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::FRAGMENT, 0, pushed);
            }
            device.cmd_draw(commands, 3, 1, 0, 0);
        }
    }
}
