//! VkGraphicsPipelineCreateInfo as the state that bears on attachments.
//!
//! Pointers that the specification has ignored are not looked at: they may be anything. Which those are depends on the parts that are
//! created, on what is dynamic, and on what the subpass has.

use super::shader;
use crate::abi::{chain, external, find, slice};
use crate::record::{BINDINGS, Face, Objects, Parts, SLOTS, Values, Vertex, item, items_of, part};
use ash::vk::{self, Handle};
use tbdr_model::units::Rect2D;

/// Structs that give an attachment a format beside VkFormat.
const EXTERNAL_FORMATS: [vk::StructureType; 2] =
    [vk::StructureType::EXTERNAL_FORMAT_ANDROID, external::EXTERNAL_FORMAT_OHOS];

/// What pAttachments of the colour blend state says.
const BLEND_ATTACHMENTS: u32 = item::BLEND | item::EQUATION | item::WRITE_MASK;
/// What has to be dynamic for depth-stencil state to be left out; bounds belong to a feature.
const DEPTH_STENCIL: u32 =
    item::OF_FRAGMENT & !(item::FEEDBACK | item::DEPTH_BOUNDS | item::STENCIL_MASK[0] | item::STENCIL_MASK[1]);

/// What the subpass or the rendering of a pipeline has, as far as the create info tells.
struct Targets {
    /// Number of colour attachments.
    colors: Option<u32>,
    /// Colour attachments that have a format.
    present: u32,
    /// Whether there is depth or stencil.
    depth_stencil: Option<bool>,
}

/// One pipeline, linked with its libraries.
///
/// # Safety
/// `info` is an element of the argument of a vkCreateGraphicsPipelines in progress.
pub unsafe fn graphics(info: &vk::GraphicsPipelineCreateInfo<'_>, objects: &Objects) -> Parts {
    // SAFETY: the chain of a valid create info.
    let (wide, libraries, own) = unsafe {
        (
            find::<vk::PipelineCreateFlags2CreateInfoKHR<'_>>(info.p_next),
            find::<vk::PipelineLibraryCreateInfoKHR<'_>>(info.p_next),
            find::<vk::GraphicsPipelineLibraryCreateInfoEXT<'_>>(info.p_next),
        )
    };
    let flags = wide.map_or(u64::from(info.flags.as_raw()), |w| w.flags.as_raw());
    // SAFETY: the array of a valid struct of the chain.
    let libraries = libraries.map_or(&[][..], |l| unsafe { slice(l.p_libraries, l.library_count) });
    let is_library = flags & u64::from(vk::PipelineCreateFlags::LIBRARY_KHR.as_raw()) != 0;
    let present = match own {
        Some(own) => own.flags.as_raw() & part::ALL,
        None if is_library || !libraries.is_empty() => 0,
        None => part::ALL,
    };
    // SAFETY: by the caller's promise.
    let mut parts = unsafe { own_parts(info, present, flags, objects) };
    for library in libraries {
        match objects.pipelines.get(library.as_raw()) {
            Some(library) => parts.link(&library),
            None => parts.known = false,
        }
    }
    parts
}

/// # Safety
/// As for [`graphics`].
unsafe fn own_parts(info: &vk::GraphicsPipelineCreateInfo<'_>, present: u32, flags: u64, objects: &Objects) -> Parts {
    let has = |part: u32| present & part != 0;
    // SAFETY: pointers of a valid create info; null where there is nothing.
    let (dynamic, stages) = unsafe {
        let states =
            read(info.p_dynamic_state, true).map_or(&[][..], |d| slice(d.p_dynamic_states, d.dynamic_state_count));
        let dynamic = states.iter().fold(0, |items, state| items | item_of(*state));
        // Only these parts have stages.
        let shaders = if has(part::PRE_RASTERIZATION | part::FRAGMENT) { info.stage_count } else { 0 };
        (dynamic & items_of(present), slice(info.p_stages, shaders))
    };
    let mut parts = Parts { present, dynamic, ..Parts::default() };
    let mesh = vk::ShaderStageFlags::MESH_EXT | vk::ShaderStageFlags::TASK_EXT;
    parts.mesh = stages.iter().any(|s| mesh.contains(s.stage));
    if !stages.is_empty() {
        // SAFETY: the stages of this create info.
        parts.uses = unsafe { shader::stages(objects, stages) };
    }
    let values = &mut parts.values;
    let fixed = |item: u32| dynamic & item == 0;
    let all_dynamic = |items: u32| dynamic & items == items;
    // SAFETY: each pointer is looked at only where the specification does not ignore it, see the module; null is allowed for all of
    // them where enough is dynamic.
    unsafe {
        if has(part::VERTEX_INPUT) && !parts.mesh {
            match read(info.p_vertex_input_state, fixed(item::VERTEX_INPUT)) {
                Some(input) => vertex_input(input, values),
                None => parts.known &= !fixed(item::VERTEX_INPUT),
            }
            match read(info.p_input_assembly_state, true) {
                Some(assembly) => values.topology = small(assembly.topology.as_raw()),
                None => parts.known &= !fixed(item::TOPOLOGY),
            }
        }
        if let Some(state) = read(info.p_rasterization_state, has(part::PRE_RASTERIZATION)) {
            switch(values, item::DISCARD, fixed(item::DISCARD) && state.rasterizer_discard_enable != 0);
            switch(values, item::DEPTH_CLAMP, state.depth_clamp_enable != 0);
        } else if has(part::PRE_RASTERIZATION) {
            parts.known &= !fixed(item::DISCARD);
        }
        if values.on & item::DISCARD != 0 {
            return parts;
        }
        if let Some(state) = read(info.p_viewport_state, has(part::PRE_RASTERIZATION)) {
            if fixed(item::VIEWPORT) {
                values.viewport = around(slice(state.p_viewports, state.viewport_count).iter().map(viewport));
            }
            if fixed(item::SCISSOR) {
                values.scissor = around(slice(state.p_scissors, state.scissor_count).iter().map(|s| super::rect(*s)));
            }
        }
        let targets = targets(info, has(part::OUTPUT), objects);
        if has(part::FRAGMENT) {
            match targets.depth_stencil {
                Some(false) => {}
                Some(true) => match read(info.p_depth_stencil_state, true) {
                    Some(state) => depth_stencil(state, values),
                    None => parts.known &= all_dynamic(DEPTH_STENCIL),
                },
                None => parts.known = false,
            }
            let feedback = [
                (vk::PipelineCreateFlags::COLOR_ATTACHMENT_FEEDBACK_LOOP_EXT, vk::ImageAspectFlags::COLOR),
                (
                    vk::PipelineCreateFlags::DEPTH_STENCIL_ATTACHMENT_FEEDBACK_LOOP_EXT,
                    vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL,
                ),
            ];
            for (_, aspects) in feedback.into_iter().filter(|(flag, _)| flags & u64::from(flag.as_raw()) != 0) {
                values.feedback |= aspects.as_raw();
            }
        }
        if has(part::OUTPUT) {
            match read(info.p_multisample_state, true) {
                Some(state) => {
                    values.samples = state.rasterization_samples.as_raw();
                    switch(values, item::ALPHA_TO_COVERAGE, state.alpha_to_coverage_enable != 0);
                    switch(values, item::SAMPLE_SHADING, state.sample_shading_enable != 0);
                }
                None => parts.known &= all_dynamic(item::SAMPLES | item::ALPHA_TO_COVERAGE),
            }
            parts.slots = match targets.colors {
                Some(count) => u32::MAX.checked_shl(count).map_or(u32::MAX, |absent| !absent) & targets.present,
                None => u32::MAX,
            };
            match targets.colors {
                Some(0) => {}
                Some(_) => match read(info.p_color_blend_state, true) {
                    Some(state) => color_blend(state, dynamic, values),
                    None => parts.known &= all_dynamic(BLEND_ATTACHMENTS | item::LOGIC),
                },
                None => parts.known = false,
            }
        }
    }
    parts
}

/// # Safety
/// As for [`graphics`]. `output` tells whether the fragment output interface is created.
unsafe fn targets(info: &vk::GraphicsPipelineCreateInfo<'_>, output: bool, objects: &Objects) -> Targets {
    if info.render_pass != vk::RenderPass::null() {
        let pass = objects.render_passes.get(info.render_pass.as_raw());
        let subpass = pass.as_ref().and_then(|p| p.template.subpasses.get(info.subpass as usize));
        return Targets {
            colors: subpass.map(|s| {
                // Of slots that are all VK_ATTACHMENT_UNUSED nothing is used.
                if s.color.iter().all(Option::is_none) { 0 } else { s.color.len() as u32 }
            }),
            present: u32::MAX,
            depth_stencil: subpass.map(|s| s.depth.is_some() || s.stencil.is_some()),
        };
    }
    // Without the fragment output interface the formats are not looked at, and depth-stencil state has to be there.
    if !output {
        return Targets { colors: Some(0), present: 0, depth_stencil: Some(true) };
    }
    // SAFETY: the chain of a valid create info, and the array of its rendering info.
    let rendering = unsafe { find::<vk::PipelineRenderingCreateInfo<'_>>(info.p_next) };
    let Some(rendering) = rendering else {
        return Targets { colors: Some(0), present: 0, depth_stencil: Some(false) };
    };
    // SAFETY: as above.
    let formats = unsafe { slice(rendering.p_color_attachment_formats, rendering.color_attachment_count) };
    let mut present = 0;
    // The format of an external image has no value of VkFormat.
    // SAFETY: the chain of a valid create info.
    let external = unsafe { chain(info.p_next) }.any(|s| EXTERNAL_FORMATS.contains(&s.s_type));
    for (slot, format) in formats.iter().enumerate().take(SLOTS) {
        // Writes to a slot without a format are discarded.
        present |= u32::from(*format != vk::Format::UNDEFINED || external) << slot;
    }
    let depth_stencil = [rendering.depth_attachment_format, rendering.stencil_attachment_format];
    Targets {
        colors: Some(rendering.color_attachment_count),
        present,
        depth_stencil: Some(depth_stencil.into_iter().any(|f| f != vk::Format::UNDEFINED)),
    }
}

/// A struct that may be left out; not looked at where the specification has the pointer ignored.
///
/// # Safety
/// If it is looked at, the pointer is null or valid.
unsafe fn read<'a, T>(pointer: *const T, looked_at: bool) -> Option<&'a T> {
    if !looked_at {
        return None;
    }
    // SAFETY: by the caller's promise.
    unsafe { pointer.as_ref() }
}

fn switch(values: &mut Values, item: u32, on: bool) {
    if on {
        values.on |= item;
    }
}

/// # Safety
/// A valid struct.
unsafe fn vertex_input(state: &vk::PipelineVertexInputStateCreateInfo<'_>, values: &mut Values) {
    // SAFETY: the arrays of a valid struct.
    let (bindings, attributes) = unsafe {
        (
            slice(state.p_vertex_binding_descriptions, state.vertex_binding_description_count),
            slice(state.p_vertex_attribute_descriptions, state.vertex_attribute_description_count),
        )
    };
    let bindings = bindings.iter().map(|b| (b.binding, b.input_rate, b.stride));
    for (binding, stride) in bindings.clone().map(|(binding, _, stride)| (binding, stride)) {
        if let Some(place) = values.strides.get_mut(binding as usize) {
            *place = stride;
        }
    }
    values.vertex = vertex(bindings.map(|(binding, rate, _)| (binding, rate)), attributes.iter().map(|a| a.binding));
}

/// Bindings with their rates, and the bindings of attributes.
pub fn vertex(
    bindings: impl Iterator<Item = (u32, vk::VertexInputRate)>,
    attributes: impl Iterator<Item = u32>,
) -> Vertex {
    let bit = |binding: u32| if (binding as usize) < BINDINGS { 1 << binding } else { 0 };
    Vertex {
        used: attributes.fold(0, |used, binding| used | bit(binding)),
        instanced: bindings
            .filter(|(_, rate)| *rate == vk::VertexInputRate::INSTANCE)
            .fold(0, |instanced, (binding, _)| instanced | bit(binding)),
    }
}

fn depth_stencil(state: &vk::PipelineDepthStencilStateCreateInfo<'_>, values: &mut Values) {
    switch(values, item::DEPTH_TEST, state.depth_test_enable != 0);
    switch(values, item::DEPTH_WRITE, state.depth_write_enable != 0);
    switch(values, item::DEPTH_BOUNDS, state.depth_bounds_test_enable != 0);
    switch(values, item::STENCIL_TEST, state.stencil_test_enable != 0);
    values.depth_compare = small(state.depth_compare_op.as_raw());
    for (at, face) in [state.front, state.back].into_iter().enumerate() {
        values.faces[at] = self::face(face.fail_op, face.pass_op, face.depth_fail_op, face.compare_op);
        values.stencil_masks[at] = face.write_mask as u8;
    }
}

/// Stencil state of a face.
pub fn face(fail: vk::StencilOp, pass: vk::StencilOp, depth_fail: vk::StencilOp, compare: vk::CompareOp) -> Face {
    Face {
        fail: small(fail.as_raw()),
        pass: small(pass.as_raw()),
        depth_fail: small(depth_fail.as_raw()),
        compare: small(compare.as_raw()),
    }
}

/// # Safety
/// A struct that is valid but for what `dynamic` has ignored.
unsafe fn color_blend(state: &vk::PipelineColorBlendStateCreateInfo<'_>, dynamic: u32, values: &mut Values) {
    switch(values, item::LOGIC, state.logic_op_enable != 0);
    values.logic_op = small(state.logic_op.as_raw());
    if dynamic & BLEND_ATTACHMENTS != BLEND_ATTACHMENTS {
        // SAFETY: the array of a valid struct; it is ignored only if all that it says is dynamic.
        let attachments = unsafe { slice(state.p_attachments, state.attachment_count) };
        for (slot, attachment) in attachments.iter().enumerate().take(SLOTS) {
            values.masks[slot] = attachment.color_write_mask.as_raw() as u8;
            values.blend |= u32::from(attachment.blend_enable != 0) << slot;
            let color = (attachment.src_color_blend_factor, attachment.dst_color_blend_factor);
            let alpha = (attachment.src_alpha_blend_factor, attachment.dst_alpha_blend_factor);
            let reads = reads(attachment.color_blend_op, color) || reads(attachment.alpha_blend_op, alpha);
            values.equation_reads |= u32::from(reads) << slot;
        }
    }
    // SAFETY: the chain of a valid struct, and the array in it.
    let enabled = unsafe {
        find::<vk::PipelineColorWriteCreateInfoEXT<'_>>(state.p_next)
            .map_or(&[][..], |w| slice(w.p_color_write_enables, w.attachment_count))
    };
    for (slot, _) in enabled.iter().enumerate().take(SLOTS).filter(|(_, on)| **on == vk::FALSE) {
        values.enabled &= !(1 << slot);
    }
}

/// Whether a blend equation depends on the destination.
pub fn reads(op: vk::BlendOp, (src, dst): (vk::BlendFactor, vk::BlendFactor)) -> bool {
    use vk::BlendFactor as F;
    let by_source = [F::DST_COLOR, F::ONE_MINUS_DST_COLOR, F::DST_ALPHA, F::ONE_MINUS_DST_ALPHA, F::SRC_ALPHA_SATURATE];
    match op {
        vk::BlendOp::ADD | vk::BlendOp::SUBTRACT | vk::BlendOp::REVERSE_SUBTRACT => {
            dst != F::ZERO || by_source.contains(&src)
        }
        // Minimum and maximum take no factors; advanced operations are made of both.
        _ => true,
    }
}

/// Values of enumerations as they are kept; one that is not known is beyond all that are.
pub fn small(value: i32) -> u8 {
    u8::try_from(value).unwrap_or(u8::MAX)
}

/// VkViewport, rounded out to pixels; its height may be negative.
pub fn viewport(v: &vk::Viewport) -> Rect2D {
    let span = |from: f32, size: f32| {
        let (low, high) = (from.min(from + size).floor() as i32, from.max(from + size).ceil() as i32);
        (low, u32::try_from(i64::from(high) - i64::from(low)).unwrap_or(0))
    };
    let ((x, width), (y, height)) = (span(v.x, v.width), span(v.y, v.height));
    Rect2D { x, y, extent: tbdr_model::units::Extent2D::new(width, height) }
}

/// The rectangle around all.
pub fn around(rects: impl Iterator<Item = Rect2D>) -> Option<Rect2D> {
    rects.reduce(Rect2D::union)
}

/// The item that a VkDynamicState stands for; 0 for state without influence.
fn item_of(state: vk::DynamicState) -> u32 {
    use vk::DynamicState as D;
    match state {
        D::VIEWPORT | D::VIEWPORT_WITH_COUNT => item::VIEWPORT,
        D::SCISSOR | D::SCISSOR_WITH_COUNT => item::SCISSOR,
        D::PRIMITIVE_TOPOLOGY => item::TOPOLOGY,
        D::VERTEX_INPUT_EXT => item::VERTEX_INPUT | item::STRIDES,
        D::VERTEX_INPUT_BINDING_STRIDE => item::STRIDES,
        D::RASTERIZER_DISCARD_ENABLE => item::DISCARD,
        D::RASTERIZATION_SAMPLES_EXT => item::SAMPLES,
        D::ALPHA_TO_COVERAGE_ENABLE_EXT => item::ALPHA_TO_COVERAGE,
        D::DEPTH_CLAMP_ENABLE_EXT => item::DEPTH_CLAMP,
        D::DEPTH_TEST_ENABLE => item::DEPTH_TEST,
        D::DEPTH_WRITE_ENABLE => item::DEPTH_WRITE,
        D::DEPTH_COMPARE_OP => item::DEPTH_COMPARE,
        D::DEPTH_BOUNDS_TEST_ENABLE => item::DEPTH_BOUNDS,
        D::STENCIL_TEST_ENABLE => item::STENCIL_TEST,
        D::STENCIL_OP => item::STENCIL_OP[0] | item::STENCIL_OP[1],
        D::STENCIL_WRITE_MASK => item::STENCIL_MASK[0] | item::STENCIL_MASK[1],
        D::LOGIC_OP_ENABLE_EXT => item::LOGIC,
        D::LOGIC_OP_EXT => item::LOGIC_OP,
        D::COLOR_BLEND_ENABLE_EXT => item::BLEND,
        D::COLOR_BLEND_EQUATION_EXT | D::COLOR_BLEND_ADVANCED_EXT => item::EQUATION,
        D::COLOR_WRITE_MASK_EXT => item::WRITE_MASK,
        D::COLOR_WRITE_ENABLE_EXT => item::WRITE_ENABLE,
        D::ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT => item::FEEDBACK,
        _ => 0,
    }
}
