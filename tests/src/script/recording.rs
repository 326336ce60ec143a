//! The part of the script that records passes, draws, dispatches, labels, queries and state.

use super::objects::Objects;
use super::state;
use crate::fake::App;
use ash::vk::{self, CommandBuffer};
use std::ptr;

const AREA: vk::Rect2D =
    vk::Rect2D { offset: vk::Offset2D { x: 0, y: 0 }, extent: vk::Extent2D { width: 640, height: 480 } };

/// Secondary command buffers: one that continues a pass, one that stands alone.
pub(super) fn secondaries(app: &App, objects: &Objects) {
    let inside = vk::CommandBufferInheritanceInfo::default().render_pass(objects.pass).framebuffer(objects.framebuffer);
    let begin = vk::CommandBufferBeginInfo::default()
        .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
        .inheritance_info(&inside);
    let [first, second] = objects.secondaries[..] else { return };
    call!(app, vkBeginCommandBuffer(first, &begin));
    call!(app, vkCmdDraw(first, 3, 1, 0, 0));
    call!(app, vkEndCommandBuffer(first));
    let outside = vk::CommandBufferInheritanceInfo::default();
    let begin = vk::CommandBufferBeginInfo::default().inheritance_info(&outside);
    call!(app, vkBeginCommandBuffer(second, &begin));
    call!(app, vkCmdDispatch(second, 1, 1, 1));
    call!(app, vkEndCommandBuffer(second));
}

/// State, queries and labels outside passes.
pub(super) fn outside(app: &App, cb: CommandBuffer, objects: &Objects) {
    let label = vk::DebugUtilsLabelEXT::default().label_name(c"region \x1b[31m <b>");
    call!(app, vkCmdBeginDebugUtilsLabelEXT(cb, &label));
    call!(app, vkCmdInsertDebugUtilsLabelEXT(cb, &label));
    call!(app, vkCmdResetQueryPool(cb, objects.queries, 0, 1));
    call!(app, vkCmdBeginQuery(cb, objects.queries, 0, vk::QueryControlFlags::empty()));
    call!(app, vkCmdEndQuery(cb, objects.queries, 0));
    call!(app, vkCmdBindPipeline(cb, vk::PipelineBindPoint::GRAPHICS, objects.pipeline));
    let graphics = vk::PipelineBindPoint::GRAPHICS;
    call!(app, vkCmdBindDescriptorSets(cb, graphics, objects.layout, 0, 0, ptr::null(), 0, ptr::null()));
    call!(app, vkCmdBindVertexBuffers(cb, 0, 1, &objects.buffer, &0));
    call!(app, vkCmdBindIndexBuffer(cb, objects.buffer, 0, vk::IndexType::UINT16));
    let stages = vk::ShaderStageFlags::VERTEX;
    call!(app, vkCmdPushConstants(cb, objects.layout, stages, 0, 4, (&raw const stages).cast()));
    call!(app, vkCmdSetViewport(cb, 0, 1, &vk::Viewport::default()));
    call!(app, vkCmdSetScissor(cb, 0, 1, &AREA));
    call!(app, vkCmdSetBlendConstants(cb, &[0.0; 4]));
    call!(app, vkCmdSetDepthBias(cb, 1.0, 0.5, 0.25));
    state::state(app, cb, objects);
    call!(app, vkCmdDispatch(cb, 1, 2, 3));
    state::dispatches(app, cb);
    call!(app, vkCmdDispatchBase | vkCmdDispatchBaseKHR(cb, 0, 0, 0, 1, 1, 1));
    call!(app, vkCmdDispatchIndirect(cb, objects.buffer, 0));
    let table = vk::StridedDeviceAddressRegionKHR::default();
    call!(app, vkCmdTraceRaysKHR(cb, &table, &table, &table, &table, 1, 1, 1));
    call!(app, vkCmdExecuteCommands(cb, 1, &objects.secondaries[1]));
    call!(app, vkCmdFutureThingEXT(cb, &vk::BaseInStructure::default()));
    call!(app, vkCmdEndDebugUtilsLabelEXT(cb));
}

/// Every kind of draw.
fn draws(app: &App, cb: CommandBuffer, objects: &Objects) {
    let buffer = objects.buffer;
    call!(app, vkCmdDraw(cb, 3, 2, 0, 0));
    call!(app, vkCmdDrawIndexed(cb, 6, 1, 0, -1, 0));
    call!(app, vkCmdDrawIndirect(cb, buffer, 0, 2, 16));
    call!(app, vkCmdDrawIndexedIndirect(cb, buffer, 0, 2, 20));
    call!(
        app,
        vkCmdDrawIndirectCount | vkCmdDrawIndirectCountKHR | vkCmdDrawIndirectCountAMD(cb, buffer, 0, buffer, 0, 5, 16)
    );
    call!(
        app,
        vkCmdDrawIndexedIndirectCount
            | vkCmdDrawIndexedIndirectCountKHR
            | vkCmdDrawIndexedIndirectCountAMD(cb, buffer, 0, buffer, 0, 5, 20)
    );
    let vertices = [vk::MultiDrawInfoEXT { first_vertex: 0, vertex_count: 3 }; 4];
    call!(app, vkCmdDrawMultiEXT(cb, 4, vertices.as_ptr(), 1, 0, size_of::<vk::MultiDrawInfoEXT>() as u32));
    let indices = [vk::MultiDrawIndexedInfoEXT { first_index: 0, index_count: 3, vertex_offset: 0 }; 4];
    let stride = size_of::<vk::MultiDrawIndexedInfoEXT>() as u32;
    call!(app, vkCmdDrawMultiIndexedEXT(cb, 4, indices.as_ptr(), 1, 0, stride, ptr::null()));
    call!(app, vkCmdDrawMeshTasksEXT(cb, 1, 2, 3));
    call!(app, vkCmdDrawMeshTasksIndirectEXT(cb, buffer, 0, 1, 12));
    call!(app, vkCmdDrawMeshTasksIndirectCountEXT(cb, buffer, 0, buffer, 0, 1, 12));
    call!(app, vkCmdDrawMeshTasksNV(cb, 1, 0));
    call!(app, vkCmdDrawMeshTasksIndirectNV(cb, buffer, 0, 1, 8));
    call!(app, vkCmdDrawMeshTasksIndirectCountNV(cb, buffer, 0, buffer, 0, 1, 8));
    call!(app, vkCmdDrawIndirectByteCountEXT(cb, 1, 0, buffer, 0, 0, 16));
    state::draws(app, cb, objects);
    let condition = vk::ConditionalRenderingBeginInfoEXT::default().buffer(objects.buffer);
    call!(app, vkCmdBeginConditionalRenderingEXT(cb, &condition));
    call!(app, vkCmdDraw(cb, 3, 1, 0, 0));
    call!(app, vkCmdEndConditionalRenderingEXT(cb));
    call!(app, vkCmdBeginConditionalRendering2EXT(cb, ptr::null()));
    call!(app, vkCmdEndConditionalRenderingEXT(cb));
    let clear = vk::ClearAttachment::default().aspect_mask(vk::ImageAspectFlags::COLOR);
    let rect = vk::ClearRect { rect: AREA, base_array_layer: 0, layer_count: 1 };
    call!(app, vkCmdClearAttachments(cb, 1, &clear, 1, &rect));
}

/// Render pass instances of the first form, of the second under each name, and dynamic ones.
pub(super) fn passes(app: &App, cb: CommandBuffer, objects: &Objects) {
    let values = [vk::ClearValue::default(); 2];
    let begin = vk::RenderPassBeginInfo::default()
        .render_pass(objects.pass)
        .framebuffer(objects.framebuffer)
        .render_area(AREA)
        .clear_values(&values);
    call!(app, vkCmdBeginRenderPass(cb, &begin, vk::SubpassContents::INLINE));
    draws(app, cb, objects);
    call!(app, vkCmdSubpassShadingHUAWEI(cb));
    call!(app, vkCmdEndRenderPass(cb));
    call!(app, vkCmdBeginRenderPass(cb, &begin, vk::SubpassContents::SECONDARY_COMMAND_BUFFERS));
    call!(app, vkCmdExecuteCommands(cb, 1, objects.secondaries.as_ptr()));
    call!(app, vkCmdEndRenderPass(cb));

    let views = [objects.color.view];
    let mut images = vk::RenderPassAttachmentBeginInfo::default().attachments(&views);
    let begin = vk::RenderPassBeginInfo::default()
        .render_pass(objects.imageless_pass)
        .framebuffer(objects.imageless)
        .render_area(AREA)
        .push_next(&mut images);
    if objects.imageless != vk::Framebuffer::null() && objects.imageless_pass != vk::RenderPass::null() {
        call!(app, vkCmdBeginRenderPass(cb, &begin, vk::SubpassContents::INLINE));
        call!(app, vkCmdNextSubpass(cb, vk::SubpassContents::INLINE));
        call!(app, vkCmdDraw(cb, 3, 1, 0, 0));
        call!(app, vkCmdEndRenderPass(cb));
        second_form(app, cb, &begin);
    }
    dynamic(app, cb, objects);
}

fn second_form(app: &App, cb: CommandBuffer, begin: &vk::RenderPassBeginInfo<'_>) {
    let inline = vk::SubpassBeginInfo::default().contents(vk::SubpassContents::INLINE);
    let end = vk::SubpassEndInfo::default();
    call!(app, vkCmdBeginRenderPass2(cb, begin, &inline));
    call!(app, vkCmdNextSubpass2(cb, &inline, &end));
    call!(app, vkCmdEndRenderPass2(cb, &end));
    call!(app, vkCmdBeginRenderPass2KHR(cb, begin, &inline));
    call!(app, vkCmdNextSubpass2KHR(cb, &inline, &end));
    call!(app, vkCmdEndRenderPass2KHR(cb, &end));
}

/// Which inputs of shaders are which attachments.
fn local_reads(app: &App, cb: CommandBuffer) {
    let indices = vk::RenderingInputAttachmentIndexInfoKHR::default().color_attachment_input_indices(&[0]);
    call!(app, vkCmdSetRenderingInputAttachmentIndices | vkCmdSetRenderingInputAttachmentIndicesKHR(cb, &indices));
}

fn dynamic(app: &App, cb: CommandBuffer, objects: &Objects) {
    let color = [vk::RenderingAttachmentInfo::default()
        .image_view(objects.multisampled.view)
        .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
        .resolve_mode(vk::ResolveModeFlags::AVERAGE)
        .resolve_image_view(objects.color.view)
        .resolve_image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::DONT_CARE)];
    let info = vk::RenderingInfo::default().render_area(AREA).layer_count(1).color_attachments(&color);
    let suspending = info.flags(vk::RenderingFlags::SUSPENDING);
    let resuming = info.flags(vk::RenderingFlags::RESUMING);
    call!(app, vkCmdBeginRendering(cb, &suspending));
    call!(app, vkCmdDraw(cb, 3, 1, 0, 0));
    call!(app, vkCmdEndRendering(cb));
    call!(app, vkCmdBeginRendering(cb, &resuming));
    state::locations(app, cb);
    call!(app, vkCmdEndRendering(cb));
    call!(app, vkCmdBeginRenderingKHR(cb, &info));
    call!(app, vkCmdEndRenderingKHR(cb));
    call!(app, vkGetDynamicRenderingTilePropertiesQCOM(app.device, &info, &mut vk::TilePropertiesQCOM::default()));
    call!(app, vkCmdBindTileMemoryQCOM(cb, ptr::null()));
    if app.has("vkCmdBeginRendering") {
        call!(app, vkCmdBeginRendering(cb, &info));
        local_reads(app, cb);
        call!(app, vkCmdBeginPerTileExecutionQCOM(cb, ptr::null()));
        call!(app, vkCmdEndPerTileExecutionQCOM(cb, ptr::null()));
        call!(app, vkCmdBeginCustomResolveEXT(cb, ptr::null()));
        call!(app, vkCmdEndRendering2KHR(cb, ptr::null()));
        call!(app, vkCmdBeginRendering(cb, &info));
        call!(app, vkCmdEndRendering2EXT(cb, ptr::null()));
    }
}
