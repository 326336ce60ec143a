//! vkCmdSet* of the state that bears on attachments. What has no influence on them is not hooked: see `record::values`.

use super::command;
use crate::abi::{BindVertexBuffer3Info, slice};
use crate::record::{Which, item};
use crate::translate::pipeline::{around, face, reads, small, vertex, viewport};
use crate::translate::{descriptor, rect, rendering};
use ash::vk::{self, Handle};

command! {
    /// vkCmdSetViewport.
    cmd_set_viewport(first: u32, count: u32, viewports: *const vk::Viewport) |device, state| {
        // SAFETY: an array of `count` items by valid usage.
        let around = around(unsafe { slice(viewports, count) }.iter().map(viewport));
        state.state().viewports(Which::From(first, count), around)
    }
}

command! {
    /// vkCmdSetViewportWithCount.
    cmd_set_viewport_with_count(count: u32, viewports: *const vk::Viewport) |device, state| {
        // SAFETY: an array of `count` items by valid usage.
        let around = around(unsafe { slice(viewports, count) }.iter().map(viewport));
        state.state().viewports(Which::All, around)
    }
}

command! {
    /// vkCmdSetScissor.
    cmd_set_scissor(first: u32, count: u32, scissors: *const vk::Rect2D) |device, state| {
        // SAFETY: an array of `count` items by valid usage.
        let around = around(unsafe { slice(scissors, count) }.iter().map(|s| rect(*s)));
        state.state().scissors(Which::From(first, count), around)
    }
}

command! {
    /// vkCmdSetScissorWithCount.
    cmd_set_scissor_with_count(count: u32, scissors: *const vk::Rect2D) |device, state| {
        // SAFETY: an array of `count` items by valid usage.
        let around = around(unsafe { slice(scissors, count) }.iter().map(|s| rect(*s)));
        state.state().scissors(Which::All, around)
    }
}

command! {
    /// vkCmdBindShadingRateImageNV: draws may read it, whether or not their pipeline says so.
    cmd_bind_shading_rate_image_nv(view: vk::ImageView, layout: vk::ImageLayout) |device, state| {
        let _ = layout;
        let view = device.recorder.objects.views.get(view.as_raw());
        state.bind_shading_rate(view.filter(|view| view.image.created.usage & descriptor::ATTACHMENT != 0));
    }
}

/// Commands that switch a state on or off.
macro_rules! switches {
    ($($(#[$doc:meta])* $name:ident: $item:ident;)*) => {
        $(command! {
            $(#[$doc])*
            $name(on: vk::Bool32) |device, state| state.state().switch(item::$item, on != vk::FALSE)
        })*
    };
}

switches! {
    /// vkCmdSetRasterizerDiscardEnable.
    cmd_set_rasterizer_discard_enable: DISCARD;
    /// vkCmdSetDepthTestEnable.
    cmd_set_depth_test_enable: DEPTH_TEST;
    /// vkCmdSetDepthWriteEnable.
    cmd_set_depth_write_enable: DEPTH_WRITE;
    /// vkCmdSetDepthBoundsTestEnable.
    cmd_set_depth_bounds_test_enable: DEPTH_BOUNDS;
    /// vkCmdSetDepthClampEnableEXT.
    cmd_set_depth_clamp_enable: DEPTH_CLAMP;
    /// vkCmdSetStencilTestEnable.
    cmd_set_stencil_test_enable: STENCIL_TEST;
    /// vkCmdSetAlphaToCoverageEnableEXT.
    cmd_set_alpha_to_coverage_enable: ALPHA_TO_COVERAGE;
    /// vkCmdSetLogicOpEnableEXT.
    cmd_set_logic_op_enable: LOGIC;
}

command! {
    /// vkCmdSetDepthCompareOp.
    cmd_set_depth_compare_op(compare: vk::CompareOp) |device, state| {
        state.state().put(item::DEPTH_COMPARE, |v| &mut v.depth_compare, small(compare.as_raw()))
    }
}

command! {
    /// vkCmdSetStencilOp.
    cmd_set_stencil_op(
        faces: vk::StencilFaceFlags,
        fail: vk::StencilOp,
        pass: vk::StencilOp,
        depth_fail: vk::StencilOp,
        compare: vk::CompareOp,
    ) |device, state| state.state().stencil_op(faces.as_raw(), face(fail, pass, depth_fail, compare))
}

command! {
    /// vkCmdSetStencilWriteMask.
    cmd_set_stencil_write_mask(faces: vk::StencilFaceFlags, mask: u32) |device, state| {
        state.state().stencil_mask(faces.as_raw(), mask)
    }
}

command! {
    /// vkCmdSetPrimitiveTopology.
    cmd_set_primitive_topology(topology: vk::PrimitiveTopology) |device, state| {
        state.state().put(item::TOPOLOGY, |v| &mut v.topology, small(topology.as_raw()))
    }
}

command! {
    /// vkCmdSetRasterizationSamplesEXT.
    cmd_set_rasterization_samples(samples: vk::SampleCountFlags) |device, state| {
        state.state().put(item::SAMPLES, |v| &mut v.samples, samples.as_raw())
    }
}

command! {
    /// vkCmdSetLogicOpEXT.
    cmd_set_logic_op(op: vk::LogicOp) |device, state| {
        state.state().put(item::LOGIC_OP, |v| &mut v.logic_op, small(op.as_raw()))
    }
}

command! {
    /// vkCmdSetColorBlendEnableEXT.
    cmd_set_color_blend_enable(first: u32, count: u32, on: *const vk::Bool32) |device, state| {
        // SAFETY: an array of `count` items by valid usage.
        state.state().blend(first, unsafe { slice(on, count) }.iter().map(|on| *on != vk::FALSE))
    }
}

command! {
    /// vkCmdSetColorBlendEquationEXT.
    cmd_set_color_blend_equation(
        first: u32,
        count: u32,
        equations: *const vk::ColorBlendEquationEXT,
    ) |device, state| {
        // SAFETY: an array of `count` items by valid usage.
        let equations = unsafe { slice(equations, count) }.iter();
        state.state().equation(first, equations.map(|e| {
            reads(e.color_blend_op, (e.src_color_blend_factor, e.dst_color_blend_factor))
                || reads(e.alpha_blend_op, (e.src_alpha_blend_factor, e.dst_alpha_blend_factor))
        }))
    }
}

command! {
    /// vkCmdSetColorBlendAdvancedEXT: every advanced equation is one of source and destination.
    cmd_set_color_blend_advanced(
        first: u32,
        count: u32,
        equations: *const vk::ColorBlendAdvancedEXT,
    ) |device, state| state.state().equation(first, (0..count).map(|_| true))
}

command! {
    /// vkCmdSetColorWriteMaskEXT.
    cmd_set_color_write_mask(first: u32, count: u32, masks: *const vk::ColorComponentFlags) |device, state| {
        // SAFETY: an array of `count` items by valid usage.
        state.state().masks(first, unsafe { slice(masks, count) }.iter().map(|mask| mask.as_raw() as u8))
    }
}

command! {
    /// vkCmdSetColorWriteEnableEXT.
    cmd_set_color_write_enable(count: u32, on: *const vk::Bool32) |device, state| {
        // SAFETY: an array of `count` items by valid usage.
        state.state().enabled(unsafe { slice(on, count) }.iter().map(|on| *on != vk::FALSE))
    }
}

command! {
    /// vkCmdSetVertexInputEXT.
    cmd_set_vertex_input(
        binding_count: u32,
        bindings: *const vk::VertexInputBindingDescription2EXT<'_>,
        attribute_count: u32,
        attributes: *const vk::VertexInputAttributeDescription2EXT<'_>,
    ) |device, state| {
        // SAFETY: arrays of so many items by valid usage.
        let (bindings, attributes) = unsafe { (slice(bindings, binding_count), slice(attributes, attribute_count)) };
        let rates = bindings.iter().map(|b| (b.binding, b.input_rate));
        let vertex = vertex(rates, attributes.iter().map(|a| a.binding));
        state.state().vertex_input(vertex, bindings.iter().map(|b| (b.binding, b.stride)))
    }
}

command! {
    /// vkCmdBindVertexBuffers2: strides, where they are given.
    cmd_bind_vertex_buffers2(
        first: u32,
        count: u32,
        buffers: *const vk::Buffer,
        offsets: *const vk::DeviceSize,
        sizes: *const vk::DeviceSize,
        strides: *const vk::DeviceSize,
    ) |device, state| {
        // SAFETY: null or an array of `count` items by valid usage.
        let strides = unsafe { slice(strides, count) };
        if !strides.is_empty() {
            state.state().strides((first..).zip(strides.iter().map(|s| u32::try_from(*s).unwrap_or(u32::MAX))))
        }
    }
}

command! {
    /// vkCmdBindVertexBuffers3KHR: strides, where they are given.
    cmd_bind_vertex_buffers3(first: u32, count: u32, infos: *const BindVertexBuffer3Info) |device, state| {
        // SAFETY: an array of `count` items by valid usage.
        let infos = unsafe { slice(infos, count) };
        if infos.iter().any(|i| i.set_stride != vk::FALSE) {
            let given = (first..).zip(infos).filter(|(_, i)| i.set_stride != vk::FALSE);
            state.state().strides(given.map(|(at, i)| (at, u32::try_from(i.range.stride).unwrap_or(u32::MAX))))
        }
    }
}

command! {
    /// vkCmdSetAttachmentFeedbackLoopEnableEXT.
    cmd_set_attachment_feedback_loop_enable(aspects: vk::ImageAspectFlags) |device, state| {
        state.state().put(item::FEEDBACK, |v| &mut v.feedback, aspects.as_raw())
    }
}

command! {
    /// vkCmdSetRenderingAttachmentLocations: attachments without a location are not written.
    cmd_set_rendering_attachment_locations(
        info: *const vk::RenderingAttachmentLocationInfoKHR<'_>,
    ) |device, state| {
        // SAFETY: the argument of the call in progress.
        state.state().set_unused(unsafe { rendering::without_location(&*info) })
    }
}
