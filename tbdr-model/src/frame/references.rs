//! Every reference of an operation to images and buffers of its frame.

use super::{Barrier, BufferRef, ImageRef, Op, Pass, Region, ShaderAccess, Side};

/// Shows each reference of an operation, for a frame whose images and buffers get other numbers.
pub fn renumber(op: &mut Op, image: &mut impl FnMut(&mut ImageRef), buffer: &mut impl FnMut(&mut BufferRef)) {
    match op {
        Op::Pass(pass) => in_pass(pass, image, buffer),
        Op::Transfer(transfer) => transfer.regions.iter_mut().for_each(|region| in_region(region, image, buffer)),
        Op::Barrier(barrier) => in_barrier(barrier, image, buffer),
        Op::Event(_) => {}
        Op::Dispatch(dispatch) => in_shader(&mut dispatch.shader, image),
        Op::Opaque(opaque) => in_shader(&mut opaque.shader, image),
    }
}

fn in_pass(pass: &mut Pass, image: &mut impl FnMut(&mut ImageRef), buffer: &mut impl FnMut(&mut BufferRef)) {
    pass.attachments.iter_mut().filter_map(|a| a.image.as_mut()).for_each(&mut *image);
    for subpass in &mut pass.subpasses {
        in_shader(&mut subpass.shader, image);
        subpass.barriers.iter_mut().for_each(|barrier| in_barrier(barrier, image, buffer));
    }
}

fn in_region(region: &mut Region, image: &mut impl FnMut(&mut ImageRef), buffer: &mut impl FnMut(&mut BufferRef)) {
    for side in [&mut region.src, &mut region.dst].into_iter().flatten() {
        match side {
            Side::Image(side) => side.image.iter_mut().for_each(&mut *image),
            Side::Buffer(side) => side.buffer.iter_mut().for_each(&mut *buffer),
        }
    }
}

fn in_barrier(barrier: &mut Barrier, image: &mut impl FnMut(&mut ImageRef), buffer: &mut impl FnMut(&mut BufferRef)) {
    barrier.images.iter_mut().filter_map(|b| b.image.as_mut()).for_each(image);
    barrier.buffers.iter_mut().filter_map(|b| b.buffer.as_mut()).for_each(buffer);
}

fn in_shader(shader: &mut ShaderAccess, image: &mut impl FnMut(&mut ImageRef)) {
    shader.images.iter_mut().filter_map(|access| access.image.as_mut()).for_each(image);
}
