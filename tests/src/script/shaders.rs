//! Shaders, descriptors and pipelines for single claims.

use super::{NO, Scene, ignore, scene::Image};
use ash::vk;
use std::ptr;
use tilelens_spirv::assembler::Assembler;
use tilelens_spirv::{ExecutionModel, Use};

/// A binding of a set's layout: number, type, descriptors, flags.
pub type Binding = (u32, vk::DescriptorType, u32, vk::DescriptorBindingFlags);

/// The image info of a view.
pub fn info(view: vk::ImageView) -> vk::DescriptorImageInfo {
    vk::DescriptorImageInfo::default().image_view(view).image_layout(vk::ImageLayout::GENERAL)
}

impl Scene {
    /// An image that is an attachment, is sampled and is a storage image.
    pub fn shared_image(&self, format: vk::Format, width: u32, height: u32) -> Image {
        self.image_with(format, width, height, 1, 1, vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::STORAGE)
    }

    /// A layout of a set.
    pub fn set_layout(
        &self,
        bindings: &[Binding],
        flags: vk::DescriptorSetLayoutCreateFlags,
    ) -> vk::DescriptorSetLayout {
        let all = vk::ShaderStageFlags::ALL;
        let layouts: Vec<_> = bindings
            .iter()
            .map(|(number, kind, count, _)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(*number)
                    .descriptor_type(*kind)
                    .descriptor_count(*count)
                    .stage_flags(all)
            })
            .collect();
        let binding_flags: Vec<_> = bindings.iter().map(|b| b.3).collect();
        let mut more = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&binding_flags);
        let info = vk::DescriptorSetLayoutCreateInfo::default().flags(flags).bindings(&layouts).push_next(&mut more);
        let mut layout = vk::DescriptorSetLayout::null();
        // SAFETY: valid arguments.
        unsafe { ignore(self.app.vkCreateDescriptorSetLayout(self.app.device, &info, NO, &mut layout)) };
        layout
    }

    /// A layout of a pipeline.
    pub fn pipeline_layout(&self, sets: &[vk::DescriptorSetLayout]) -> vk::PipelineLayout {
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(sets);
        let mut layout = vk::PipelineLayout::null();
        // SAFETY: valid arguments.
        unsafe { ignore(self.app.vkCreatePipelineLayout(self.app.device, &info, NO, &mut layout)) };
        layout
    }

    /// A descriptor pool.
    pub fn descriptor_pool(&self) -> vk::DescriptorPool {
        let mut pool = vk::DescriptorPool::null();
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1000);
        // SAFETY: valid arguments.
        unsafe { ignore(self.app.vkCreateDescriptorPool(self.app.device, &info, NO, &mut pool)) };
        pool
    }

    /// A set of a pool.
    pub fn descriptor_set(&self, pool: vk::DescriptorPool, layout: vk::DescriptorSetLayout) -> vk::DescriptorSet {
        let layouts = [layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        let mut set = vk::DescriptorSet::null();
        // SAFETY: valid arguments.
        unsafe { ignore(self.app.vkAllocateDescriptorSets(self.app.device, &info, &mut set)) };
        set
    }

    /// Writes views from an element of a binding on.
    pub fn write(
        &self,
        set: vk::DescriptorSet,
        (binding, element): (u32, u32),
        kind: vk::DescriptorType,
        views: &[vk::ImageView],
    ) {
        let infos: Vec<_> = views.iter().copied().map(info).collect();
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(binding)
            .dst_array_element(element)
            .descriptor_type(kind)
            .image_info(&infos);
        // SAFETY: valid arguments.
        unsafe { self.app.vkUpdateDescriptorSets(self.app.device, 1, &write, 0, ptr::null()) };
    }

    /// Copies descriptors from one place to another.
    pub fn copy(&self, from: (vk::DescriptorSet, u32, u32), to: (vk::DescriptorSet, u32, u32), count: u32) {
        let copy = vk::CopyDescriptorSet::default()
            .src_set(from.0)
            .src_binding(from.1)
            .src_array_element(from.2)
            .dst_set(to.0)
            .dst_binding(to.1)
            .dst_array_element(to.2)
            .descriptor_count(count);
        // SAFETY: valid arguments.
        unsafe { self.app.vkUpdateDescriptorSets(self.app.device, 0, ptr::null(), 1, &copy) };
    }

    /// A module whose entry point `main` uses these bindings.
    pub fn shader(&self, model: ExecutionModel, uses: &[Use]) -> vk::ShaderModule {
        self.module(&Assembler::using(model, uses))
    }

    /// A module of these words.
    pub fn module(&self, words: &[u32]) -> vk::ShaderModule {
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        let mut module = vk::ShaderModule::null();
        // SAFETY: valid arguments.
        unsafe { ignore(self.app.vkCreateShaderModule(self.app.device, &info, NO, &mut module)) };
        module
    }

    /// A graphics pipeline whose fragment shader uses these bindings.
    pub fn graphics(&self, layout: vk::PipelineLayout, uses: &[Use]) -> vk::Pipeline {
        let modules = [self.shader(ExecutionModel::Vertex, &[]), self.shader(ExecutionModel::Fragment, uses)];
        let stage =
            |module, stage| vk::PipelineShaderStageCreateInfo::default().module(module).stage(stage).name(c"main");
        let stages =
            [stage(modules[0], vk::ShaderStageFlags::VERTEX), stage(modules[1], vk::ShaderStageFlags::FRAGMENT)];
        let pipeline = self.graphics_of(layout, &stages);
        for module in modules {
            // SAFETY: a live module, which a pipeline does not need any more.
            unsafe { self.app.vkDestroyShaderModule(self.app.device, module, NO) };
        }
        pipeline
    }

    /// A graphics pipeline of these stages.
    pub fn graphics_of(
        &self,
        layout: vk::PipelineLayout,
        stages: &[vk::PipelineShaderStageCreateInfo<'_>],
    ) -> vk::Pipeline {
        let (input, assembly) =
            (vk::PipelineVertexInputStateCreateInfo::default(), vk::PipelineInputAssemblyStateCreateInfo::default());
        let rects = ([vk::Viewport::default()], [vk::Rect2D::default()]);
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&rects.0).scissors(&rects.1);
        let raster = vk::PipelineRasterizationStateCreateInfo::default();
        let samples =
            vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default();
        let blend = vk::PipelineColorBlendStateCreateInfo::default();
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .layout(layout);
        let mut pipeline = vk::Pipeline::null();
        let (app, cache) = (&self.app, vk::PipelineCache::null());
        // SAFETY: valid arguments.
        unsafe { ignore(app.vkCreateGraphicsPipelines(app.device, cache, 1, &info, NO, &mut pipeline)) };
        pipeline
    }

    /// A compute pipeline whose shader uses these bindings.
    pub fn compute(&self, layout: vk::PipelineLayout, uses: &[Use]) -> vk::Pipeline {
        let module = self.shader(ExecutionModel::GLCompute, uses);
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .module(module)
            .stage(vk::ShaderStageFlags::COMPUTE)
            .name(c"main");
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
        let mut pipeline = vk::Pipeline::null();
        let (app, cache) = (&self.app, vk::PipelineCache::null());
        // SAFETY: valid arguments.
        unsafe { ignore(app.vkCreateComputePipelines(app.device, cache, 1, &info, NO, &mut pipeline)) };
        pipeline
    }
}
