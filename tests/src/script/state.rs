//! The part of the script that binds pipelines and shader objects, sets state, and draws and dispatches in newer or rarer ways.

use super::objects::Objects;
use super::{NO, newer};
use crate::fake::App;
use ash::vk::{self, CommandBuffer};
use std::ptr;

const AREA: vk::Rect2D =
    vk::Rect2D { offset: vk::Offset2D { x: 0, y: 0 }, extent: vk::Extent2D { width: 640, height: 480 } };

/// Commands whose one argument switches something on.
macro_rules! switches {
    ($app:expr, $cb:expr, $($name:ident $(| $alias:ident)?;)*) => {
        $(call!($app, $name $(| $alias)? ($cb, vk::TRUE));)*
    };
}

/// Binds everything and sets all of the state.
pub(super) fn state(app: &App, cb: CommandBuffer, objects: &Objects) {
    let graphics = vk::PipelineBindPoint::GRAPHICS;
    call!(app, vkCmdBindPipelineShaderGroupNV(cb, graphics, objects.pipeline, 1));
    let stages = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT, vk::ShaderStageFlags::COMPUTE];
    let infos = stages.map(|stage| vk::ShaderCreateInfoEXT::default().stage(stage));
    let mut shaders = [vk::ShaderEXT::null(); 3];
    call!(app, vkCreateShadersEXT(app.device, 3, infos.as_ptr(), NO, shaders.as_mut_ptr()));
    call!(app, vkCmdBindShadersEXT(cb, 3, stages.as_ptr(), shaders.as_ptr()));
    call!(app, vkCmdBindShadersEXT(cb, 3, stages.as_ptr(), ptr::null()));
    for shader in shaders {
        call!(app, vkDestroyShaderEXT(app.device, shader, NO));
    }
    call!(app, vkCmdBindPipeline(cb, graphics, objects.pipeline));

    switches! { app, cb,
        vkCmdSetRasterizerDiscardEnable | vkCmdSetRasterizerDiscardEnableEXT;
        vkCmdSetDepthTestEnable | vkCmdSetDepthTestEnableEXT;
        vkCmdSetDepthWriteEnable | vkCmdSetDepthWriteEnableEXT;
        vkCmdSetDepthBoundsTestEnable | vkCmdSetDepthBoundsTestEnableEXT;
        vkCmdSetDepthClampEnableEXT;
        vkCmdSetStencilTestEnable | vkCmdSetStencilTestEnableEXT;
        vkCmdSetAlphaToCoverageEnableEXT;
        vkCmdSetLogicOpEnableEXT;
    }
    let viewport = vk::Viewport { width: 640.0, height: -480.0, ..Default::default() };
    call!(app, vkCmdSetViewportWithCount | vkCmdSetViewportWithCountEXT(cb, 1, &viewport));
    call!(app, vkCmdSetScissorWithCount | vkCmdSetScissorWithCountEXT(cb, 1, &AREA));
    call!(app, vkCmdSetDepthCompareOp | vkCmdSetDepthCompareOpEXT(cb, vk::CompareOp::LESS));
    let (faces, keep, always) = (vk::StencilFaceFlags::FRONT_AND_BACK, vk::StencilOp::KEEP, vk::CompareOp::ALWAYS);
    call!(app, vkCmdSetStencilOp | vkCmdSetStencilOpEXT(cb, faces, keep, keep, keep, always));
    call!(app, vkCmdSetStencilWriteMask(cb, faces, 0xff));
    let topology = vk::PrimitiveTopology::TRIANGLE_LIST;
    call!(app, vkCmdSetPrimitiveTopology | vkCmdSetPrimitiveTopologyEXT(cb, topology));
    call!(app, vkCmdSetRasterizationSamplesEXT(cb, vk::SampleCountFlags::TYPE_1));
    call!(app, vkCmdSetLogicOpEXT(cb, vk::LogicOp::XOR));
    call!(app, vkCmdSetColorBlendEnableEXT(cb, 0, 2, [vk::TRUE; 2].as_ptr()));
    let equations = [vk::ColorBlendEquationEXT::default(); 2];
    call!(app, vkCmdSetColorBlendEquationEXT(cb, 0, 2, equations.as_ptr()));
    let advanced = [vk::ColorBlendAdvancedEXT::default(); 2];
    call!(app, vkCmdSetColorBlendAdvancedEXT(cb, 0, 2, advanced.as_ptr()));
    let masks = [vk::ColorComponentFlags::RGBA; 2];
    call!(app, vkCmdSetColorWriteMaskEXT(cb, 31, 2, masks.as_ptr()));
    call!(app, vkCmdSetColorWriteEnableEXT(cb, 2, [vk::TRUE; 2].as_ptr()));
    let bindings = [vk::VertexInputBindingDescription2EXT::default().binding(40).stride(12)];
    let attributes = [vk::VertexInputAttributeDescription2EXT::default().binding(40)];
    call!(app, vkCmdSetVertexInputEXT(cb, 1, bindings.as_ptr(), 1, attributes.as_ptr()));
    let (buffer, zero) = (objects.buffer, 0);
    call!(
        app,
        vkCmdBindVertexBuffers2 | vkCmdBindVertexBuffers2EXT(cb, 31, 1, &buffer, &zero, ptr::null(), ptr::null())
    );
    let info = newer::BindVertexBuffer3Info::default();
    call!(app, vkCmdBindVertexBuffers3KHR(cb, 0, 1, (&raw const info).cast()));
    call!(app, vkCmdSetAttachmentFeedbackLoopEnableEXT(cb, vk::ImageAspectFlags::COLOR));
    call!(app, vkCmdBindShadingRateImageNV(cb, vk::ImageView::null(), vk::ImageLayout::UNDEFINED));
}

/// Dispatches outside passes.
pub(super) fn dispatches(app: &App, cb: CommandBuffer) {
    call!(app, vkCmdDispatchIndirect2KHR(cb, ptr::null()));
    call!(app, vkCmdDispatchGraphAMDX(cb, 0, 0, ptr::null()));
    call!(app, vkCmdDispatchGraphIndirectAMDX(cb, 0, 0, ptr::null()));
    call!(app, vkCmdDispatchGraphIndirectCountAMDX(cb, 0, 0, 0));
    call!(app, vkCmdDispatchDataGraphARM(cb, 0, ptr::null()));
}

/// Draws and dispatches in a pass.
pub(super) fn draws(app: &App, cb: CommandBuffer, objects: &Objects) {
    let info = newer::DrawIndirect2Info::default();
    let info = (&raw const info).cast();
    call!(app, vkCmdDrawClusterHUAWEI(cb, 1, 1, 1));
    call!(app, vkCmdDrawClusterIndirectHUAWEI(cb, objects.buffer, 0));
    call!(app, vkCmdDrawIndirect2KHR(cb, info));
    call!(app, vkCmdDrawIndexedIndirect2KHR(cb, info));
    call!(app, vkCmdDrawMeshTasksIndirect2EXT(cb, info));
    call!(app, vkCmdDrawIndirectCount2KHR(cb, ptr::null()));
    call!(app, vkCmdDrawIndexedIndirectCount2KHR(cb, ptr::null()));
    call!(app, vkCmdDrawMeshTasksIndirectCount2EXT(cb, ptr::null()));
    call!(app, vkCmdDrawIndirectByteCount2EXT(cb, 1, 0, ptr::null(), 0, 4));
    call!(app, vkCmdDispatchTileQCOM(cb, ptr::null()));
    call!(app, vkCmdExecuteGeneratedCommandsNV(cb, vk::FALSE, &vk::GeneratedCommandsInfoNV::default()));
    call!(app, vkCmdExecuteGeneratedCommandsEXT(cb, vk::FALSE, ptr::null()));
}

/// In dynamic rendering: which attachment is written at which location.
pub(super) fn locations(app: &App, cb: CommandBuffer) {
    let locations = [vk::ATTACHMENT_UNUSED];
    let info = vk::RenderingAttachmentLocationInfoKHR::default().color_attachment_locations(&locations);
    call!(app, vkCmdSetRenderingAttachmentLocations | vkCmdSetRenderingAttachmentLocationsKHR(cb, &info));
}
