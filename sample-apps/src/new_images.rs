//! The one transition from UNDEFINED that an image needs: when it is new.

use crate::gpu::Gpu;
use crate::image::Image;
use ash::vk;
use vk::PipelineStageFlags as Stage;

/// Records that new images take the layouts in which every frame finds them. Their contents stay undefined.
pub fn record(gpu: &Gpu, commands: vk::CommandBuffer, images: &[(&Image<'_>, vk::ImageLayout)]) {
    let (nothing, everything) =
        (vk::AccessFlags::empty(), vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE);
    let barriers: Vec<_> = images
        .iter()
        .map(|(image, layout)| image.barrier([vk::ImageLayout::UNDEFINED, *layout], [nothing, everything]))
        .collect();
    let (start, all, none) = (Stage::TOP_OF_PIPE, Stage::ALL_COMMANDS, vk::DependencyFlags::empty());
    // SAFETY: the command buffer is being recorded outside a render pass; the images are live and nobody has used them.
    unsafe { gpu.device.cmd_pipeline_barrier(commands, start, all, none, &[], &[], &barriers) };
}
