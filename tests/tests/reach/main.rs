//! Which images shaders reach: by what they statically use and what is bound when, from the calls of an application to the capture.
#![allow(clippy::unwrap_used)]

mod binding;
mod conditional;
mod contents;
mod interpreter;
mod shaders;
mod steady;

use ash::vk;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;
use tbdr_model::frame::{AccessKind, FrameStructure, Op, ShaderAccess};
use tbdr_model::record::Record;
use tilelens_spirv::{Element, Use};
use tilelens_tests::fake::{Chain, Options};
use tilelens_tests::sandbox::{Done, Sandbox};
use tilelens_tests::script::{Image, Scene, attachment};

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const SAMPLED: vk::DescriptorType = vk::DescriptorType::SAMPLED_IMAGE;
const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_IMAGE;
const GRAPHICS: vk::PipelineBindPoint = vk::PipelineBindPoint::GRAPHICS;
const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const NONE: vk::DescriptorBindingFlags = vk::DescriptorBindingFlags::empty();
const PLAIN: vk::DescriptorSetLayoutCreateFlags = vk::DescriptorSetLayoutCreateFlags::empty();

/// Every submission is a frame.
fn sandbox() -> Sandbox {
    Sandbox::new().set("sync", "1").set("frame_submits", "1")
}

/// A scene with a render target, a pass over it and a pool.
struct Stage {
    scene: Scene,
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
    pool: vk::DescriptorPool,
}

impl Stage {
    fn new() -> Self {
        let scene = Scene::new(Chain::new(Options::newest()).start());
        let target = scene.image(RGBA8, 64, 64, 1);
        let pass = scene.render_pass(&[attachment(&target, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE)]);
        let framebuffer = scene.framebuffer(pass, &[&target]);
        let pool = scene.descriptor_pool();
        Self { scene, pass, framebuffer, pool }
    }

    fn image(&self, name: &str) -> Image {
        let image = self.scene.shared_image(RGBA8, 64, 64);
        let text = CString::new(name).unwrap();
        let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(image.image).object_name(&text);
        let app = &self.scene.app;
        // SAFETY: valid arguments.
        unsafe { app.vkSetDebugUtilsObjectNameEXT(app.device, &info).result().unwrap() };
        image
    }

    /// A set of sampled images, one binding of so many descriptors each, with its layouts.
    fn set(&self, counts: &[u32]) -> (vk::DescriptorSet, vk::PipelineLayout) {
        let bindings: Vec<_> = (0..).zip(counts).map(|(number, count)| (number, SAMPLED, *count, NONE)).collect();
        let layout = self.scene.set_layout(&bindings, PLAIN);
        (self.scene.descriptor_set(self.pool, layout), self.scene.pipeline_layout(&[layout]))
    }

    fn bind(&self, cb: vk::CommandBuffer, point: vk::PipelineBindPoint, pipeline: vk::Pipeline) {
        // SAFETY: valid arguments.
        unsafe { self.scene.app.vkCmdBindPipeline(cb, point, pipeline) };
    }

    fn bind_sets(&self, cb: vk::CommandBuffer, point: vk::PipelineBindPoint, first: u32, sets: &[vk::DescriptorSet]) {
        let (layout, count) = (vk::PipelineLayout::null(), sets.len() as u32);
        let app = &self.scene.app;
        // SAFETY: live sets; the driver does not look at the layout.
        unsafe { app.vkCmdBindDescriptorSets(cb, point, layout, first, count, sets.as_ptr(), 0, std::ptr::null()) };
    }

    fn begin(&self, cb: vk::CommandBuffer) {
        let area = vk::Extent2D { width: 64, height: 64 }.into();
        let info =
            vk::RenderPassBeginInfo::default().render_pass(self.pass).framebuffer(self.framebuffer).render_area(area);
        // SAFETY: valid arguments.
        unsafe { self.scene.app.vkCmdBeginRenderPass(cb, &info, vk::SubpassContents::INLINE) };
    }

    fn draw(&self, cb: vk::CommandBuffer) {
        // SAFETY: a command buffer in a render pass.
        unsafe { self.scene.app.vkCmdDraw(cb, 3, 1, 0, 0) };
    }

    fn end(&self, cb: vk::CommandBuffer) {
        // SAFETY: a command buffer in a render pass.
        unsafe { self.scene.app.vkCmdEndRenderPass(cb) };
    }

    /// A frame of one pass.
    fn frame(&self, inside: impl FnOnce(vk::CommandBuffer)) {
        self.scene.record(|_, cb| {
            self.begin(cb);
            inside(cb);
            self.end(cb);
        });
        self.scene.submit(self.scene.buffer);
    }

    fn stop(self) {
        let driver = self.scene.app.driver();
        self.scene.app.stop();
        driver.assert_neutral();
    }
}

/// A use of the first element of a binding, or of another.
fn sampled(set: u32, binding: u32, element: Element) -> Use {
    Use { set, binding, kind: AccessKind::Sampled, element }
}

const FIRST: Element = Element::One(0);

/// What an access list says: whether it is complete, and of each image its name, what is done and whether that is certain.
type Said = (bool, BTreeSet<(String, AccessKind, bool)>);

fn said(frame: &FrameStructure, shader: &ShaderAccess) -> Said {
    let name = |image: usize| frame.images[image].name.clone().unwrap_or_default();
    let images = shader.images.iter().map(|a| (name(a.image.unwrap().0 as usize), a.kind, a.certain));
    let (all, listed): (BTreeSet<_>, usize) = (images.collect(), shader.images.len());
    assert_eq!(all.len(), listed, "an image is listed twice: {shader:?}");
    (shader.known, all)
}

/// Images that are sampled for certain, and nothing else.
fn exactly(names: &[&str]) -> Said {
    (true, names.iter().map(|n| ((*n).to_owned(), AccessKind::Sampled, true)).collect())
}

/// The frames of the only capture, in order.
fn frames(done: &Done) -> Vec<FrameStructure> {
    let captures = done.folder.files("capture.jsonl");
    let [capture] = &captures[..] else { panic!("{captures:?}: {}", done.folder.log()) };
    let (mut structures, mut frames) = (BTreeMap::new(), Vec::new());
    for record in tilelens_capture::read(capture).unwrap().records {
        match record {
            Record::Structure { id, frame } => drop(structures.insert(id, frame)),
            Record::Frame(frame) => frames.push(FrameStructure::clone(&structures[&frame.structure])),
            _ => {}
        }
    }
    frames
}

/// What the passes of each frame reach together.
fn passes(done: &Done) -> Vec<Said> {
    let one = |frame: &FrameStructure| {
        let mut all = ShaderAccess::NOTHING;
        frame.passes().flat_map(|p| &p.subpasses).for_each(|s| all.merge(s.shader.clone()));
        said(frame, &all)
    };
    frames(done).iter().map(one).collect()
}

/// What the dispatches of each frame reach together.
fn dispatches(done: &Done) -> Vec<Said> {
    let one = |frame: &FrameStructure| {
        let mut all = ShaderAccess::NOTHING;
        for op in frame.ops() {
            if let Op::Dispatch(dispatch) = op {
                all.merge(dispatch.shader.clone());
            }
        }
        said(frame, &all)
    };
    frames(done).iter().map(one).collect()
}
