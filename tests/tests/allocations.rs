//! A draw allocates nothing, whatever was bound and set before it: in steady state, through the layer's real hooks.
//!
//! This program's own malloc stands before the C library's for every library in the process, the layer's among them, and counts.
#![cfg(all(target_os = "linux", target_env = "gnu"))]
#![allow(clippy::unwrap_used)]

mod facts;

use ash::vk::{self, DynamicState};
use facts::{Stage, sandbox};
use std::cell::Cell;
use std::ffi::c_void;
use tilelens_tests::script::pipelines::{Graphics, blended, depth_test, opaque};

thread_local! {
    // Without a destructor and with a constant start, so that counting never allocates.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(old: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_memalign(alignment: usize, size: usize) -> *mut c_void;
}

fn count() {
    COUNT.set(COUNT.get() + 1);
}

/// # Safety
/// As malloc(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    count();
    // SAFETY: the caller's own arguments.
    unsafe { __libc_malloc(size) }
}

/// # Safety
/// As calloc(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn calloc(items: usize, size: usize) -> *mut c_void {
    count();
    // SAFETY: the caller's own arguments.
    unsafe { __libc_calloc(items, size) }
}

/// # Safety
/// As realloc(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(old: *mut c_void, size: usize) -> *mut c_void {
    count();
    // SAFETY: the caller's own arguments.
    unsafe { __libc_realloc(old, size) }
}

/// # Safety
/// As posix_memalign(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_memalign(out: *mut *mut c_void, alignment: usize, size: usize) -> i32 {
    count();
    // SAFETY: the caller's own arguments; `out` is valid.
    unsafe {
        let made = __libc_memalign(alignment, size);
        out.write(made);
        if made.is_null() { libc::ENOMEM } else { 0 }
    }
}

/// Allocations of this thread while `f` runs.
fn allocations(f: impl FnOnce()) -> u64 {
    let before = COUNT.get();
    f();
    COUNT.get() - before
}

#[test]
fn a_draw_allocates_nothing_whatever_was_bound_and_set_before() {
    sandbox().run(|_| {
        let stage = Stage::new(2);
        let (app, scene) = (&stage.scene.app, &stage.scene);
        let plain = Graphics::new(stage.pass, &[opaque(), blended()]);
        let rects = [DynamicState::VIEWPORT, DynamicState::SCISSOR];
        let open = plain.clone().dynamic(&rects);
        let most = open.clone().dynamic(&[
            DynamicState::DEPTH_TEST_ENABLE,
            DynamicState::DEPTH_WRITE_ENABLE,
            DynamicState::COLOR_WRITE_MASK_EXT,
            DynamicState::VERTEX_INPUT_EXT,
        ]);
        let most = most.depth(depth_test(vk::CompareOp::LESS, true));
        let pipelines = [plain.create(scene), open.create(scene), most.create(scene)];
        let buffer = [vk::Buffer::null()];
        let binding = [vk::VertexInputBindingDescription2EXT::default().stride(16).divisor(1)];
        let attribute = [vk::VertexInputAttributeDescription2EXT::default()];
        let masks = [vk::ColorComponentFlags::RGBA, vk::ColorComponentFlags::empty()];
        // The driver only returns from here on.
        app.driver().set_noting(false);
        let commands = |cb: vk::CommandBuffer, round: u32| {
            for pipeline in pipelines {
                scene.bind(cb, pipeline);
                let viewport = vk::Viewport { x: round as f32, width: 16.0, height: 16.0, ..Default::default() };
                let scissor = vk::Rect2D { offset: vk::Offset2D { x: round as i32, y: 0 }, ..Default::default() };
                // SAFETY: valid arguments.
                unsafe {
                    app.vkCmdSetViewport(cb, 0, 1, &viewport);
                    app.vkCmdSetScissor(cb, 0, 1, &scissor);
                    app.vkCmdSetDepthTestEnable(cb, round % 2);
                    app.vkCmdSetDepthWriteEnable(cb, vk::TRUE);
                    app.vkCmdSetColorWriteMaskEXT(cb, round % 2, 2, masks.as_ptr());
                    app.vkCmdSetVertexInputEXT(cb, 1, binding.as_ptr(), 1, attribute.as_ptr());
                    app.vkCmdBindVertexBuffers(cb, 0, 1, buffer.as_ptr(), [0].as_ptr());
                    app.vkCmdDraw(cb, 3, 1, 0, round);
                    app.vkCmdDrawIndexed(cb, 3, 1, 0, 0, round);
                    app.vkCmdDrawIndirect(cb, vk::Buffer::null(), 0, 2, 16);
                }
            }
        };
        scene.record(|_, cb| {
            scene.inside(cb, stage.pass, stage.framebuffer, facts::EXTENT.into(), || {
                (0..10).for_each(|round| commands(cb, round));
                let counted = allocations(|| (0..1000).for_each(|round| commands(cb, round)));
                assert_eq!(counted, 0, "allocations in 9000 draws");
            });
        });
        // What is counted is the layer's memory, too: it keeps something of an image.
        let counted = allocations(|| {
            let _ = scene.image(vk::Format::R8G8B8A8_UNORM, 64, 64, 1);
        });
        let alone = {
            let scene = tilelens_tests::fake::Chain::without_layer(tilelens_tests::fake::Options::newest()).start();
            scene.driver().set_noting(false);
            let scene = tilelens_tests::script::Scene::new(scene);
            allocations(|| {
                let _ = scene.image(vk::Format::R8G8B8A8_UNORM, 64, 64, 1);
            })
        };
        assert!(counted > alone, "{counted} allocations with the layer, {alone} without");
    });
}
