//! A stage for tests about draws: a render pass with colour attachments and depth and stencil, and what was recorded of its draws.
#![allow(dead_code, clippy::unwrap_used)]

use ash::vk;
use tbdr_model::frame::DrawFacts;
use tbdr_model::record::{Counters, Record};
use tbdr_model::report::Report;
use tilelens_tests::fake::{Chain, Options};
use tilelens_tests::sandbox::{Done, Sandbox};
use tilelens_tests::script::{Image, Scene, attachment};

/// Size of the framebuffer.
pub const EXTENT: vk::Extent2D = vk::Extent2D { width: 256, height: 256 };

/// A process in which every submission is a frame.
pub fn sandbox() -> Sandbox {
    Sandbox::new().set("sync", "1").set("frame_submits", "1")
}

/// The stage.
pub struct Stage {
    /// Device and command buffer.
    pub scene: Scene,
    /// Colour attachments.
    pub colors: Vec<Image>,
    /// A pass over the colour attachments, depth and stencil.
    pub pass: vk::RenderPass,
    /// Its framebuffer.
    pub framebuffer: vk::Framebuffer,
}

impl Stage {
    /// A stage with so many colour attachments.
    pub fn new(colors: usize) -> Self {
        let scene = Scene::new(Chain::new(Options::newest()).start());
        let (width, height) = (EXTENT.width, EXTENT.height);
        let colors: Vec<Image> =
            (0..colors).map(|_| scene.image(vk::Format::R8G8B8A8_UNORM, width, height, 1)).collect();
        let depth = scene.image(vk::Format::D24_UNORM_S8_UINT, width, height, 1);
        let images: Vec<&Image> = colors.iter().chain([&depth]).collect();
        let (load, store) = (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE);
        let attachments: Vec<_> = images.iter().map(|image| attachment(image, load, store)).collect();
        let pass = scene.render_pass(&attachments);
        let framebuffer = scene.framebuffer(pass, &images);
        Self { scene, colors, pass, framebuffer }
    }

    /// Records and submits one instance of the pass.
    pub fn frame(&self, record: impl FnOnce(vk::CommandBuffer)) {
        let scene = &self.scene;
        scene.record(|_, cb| scene.inside(cb, self.pass, self.framebuffer, EXTENT.into(), || record(cb)));
        scene.submit(scene.buffer);
    }

    /// A frame that binds each of these pipelines and draws once with it.
    pub fn draws(&self, pipelines: &[vk::Pipeline]) {
        self.frame(|cb| {
            for pipeline in pipelines {
                self.scene.bind(cb, *pipeline);
                self.scene.draw(cb);
            }
        });
    }

    /// Records a secondary that continues the pass.
    pub fn secondary(&self, secondary: vk::CommandBuffer, record: impl FnOnce()) {
        let inherited =
            vk::CommandBufferInheritanceInfo::default().render_pass(self.pass).framebuffer(self.framebuffer);
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
            .inheritance_info(&inherited);
        let app = &self.scene.app;
        // SAFETY: valid arguments.
        unsafe { app.vkBeginCommandBuffer(secondary, &begin).result().unwrap() };
        record();
        // SAFETY: valid arguments.
        unsafe { app.vkEndCommandBuffer(secondary).result().unwrap() };
    }

    /// vkCmdExecuteCommands of one secondary.
    pub fn execute(&self, buffer: vk::CommandBuffer, secondary: vk::CommandBuffer) {
        // SAFETY: valid arguments.
        unsafe { self.scene.app.vkCmdExecuteCommands(buffer, 1, &secondary) };
    }

    /// Ends the program; the driver must have seen what it sent.
    pub fn stop(self) {
        let driver = self.scene.app.driver();
        self.scene.app.stop();
        driver.assert_neutral();
    }
}

#[track_caller]
fn records(done: &Done) -> Vec<Record> {
    let captures = done.folder.files("capture.jsonl");
    let [capture] = &captures[..] else { panic!("{captures:?}: {}", done.folder.log()) };
    tilelens_capture::read(capture).unwrap().records
}

/// The facts of each subpass, frame by frame.
#[track_caller]
pub fn facts(done: &Done) -> Vec<DrawFacts> {
    let records = records(done);
    let frames = records.iter().filter_map(|r| match r {
        Record::Frame(frame) => Some(frame.structure),
        _ => None,
    });
    let structure = |wanted: u32| {
        let found = records.iter().find_map(|r| match r {
            Record::Structure { id, frame } if *id == wanted => Some(frame),
            _ => None,
        });
        found.unwrap()
    };
    frames.flat_map(|id| structure(id).passes().flat_map(|p| p.subpasses.iter().map(|s| s.draws))).collect()
}

/// The facts of the only subpass.
#[track_caller]
pub fn one(done: &Done) -> DrawFacts {
    let facts = facts(done);
    assert_eq!(facts.len(), 1, "{facts:?}");
    facts[0]
}

/// Counters, frame by frame: of each subpass, then of the rest.
#[track_caller]
pub fn counters(done: &Done) -> Vec<Counters> {
    let counted = records(done).into_iter().filter_map(|r| match r {
        Record::Frame(frame) => Some(frame.counters),
        _ => None,
    });
    counted.flatten().collect()
}

/// The report.
pub fn report(done: &Done) -> Report {
    done.folder.report()
}
