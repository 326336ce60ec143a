//! One Vulkan command over and over, over the fake driver: what a layer above it costs.
//!
//! [`Application`] is a device with what the commands need, opened with our layer, with a layer that only calls down
//! ([`pass_through`]), or with none. Each thread records with a [`Recorder`] of its own: a pool, a command buffer and a queue.

pub mod pass_through;
mod recorder;

pub use recorder::Recorder;

use crate::fake::{Chain, Options};
use crate::script::pipelines::{Graphics, depth_test, opaque};
use crate::script::{Image, Scene, attachment};
use ash::vk;

/// A command, or a pair of them, that is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// vkCmdDraw.
    Draw,
    /// vkCmdBindVertexBuffers and vkCmdDraw.
    BindDraw,
    /// vkCmdBindPipeline, of two in turn, vkCmdSetScissor, vkCmdSetDepthTestEnable and vkCmdDraw.
    StateDraw,
    /// vkCmdBeginRenderPass and vkCmdEndRenderPass, with a colour and a depth attachment.
    Pass,
    /// vkCmdPipelineBarrier with one image barrier.
    Barrier,
    /// vkCmdCopyImageToBuffer with one region.
    Copy,
    /// vkQueueSubmit of one command buffer, which ends no frame.
    Submit,
}

impl Command {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Draw, Self::BindDraw, Self::StateDraw, Self::Pass, Self::Barrier, Self::Copy, Self::Submit];

    /// A short name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Draw => "draw",
            Self::BindDraw => "bind_draw",
            Self::StateDraw => "state_draw",
            Self::Pass => "pass",
            Self::Barrier => "barrier",
            Self::Copy => "copy",
            Self::Submit => "submit",
        }
    }

    /// The command of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|command| command.name() == name)
    }

    /// How many of them a command buffer holds: a thousand draws take no memory, a thousand passes in one command buffer are
    /// no application's.
    pub(crate) const fn in_a_command_buffer(self) -> u32 {
        match self {
            Self::Draw | Self::BindDraw | Self::StateDraw => u32::MAX,
            _ => 64,
        }
    }
}

/// What lies between the application and the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    /// Nothing.
    Nothing,
    /// A layer whose hooks only call down.
    PassThrough,
    /// Our layer.
    Tilelens,
}

impl Through {
    /// All ways.
    pub const ALL: [Self; 3] = [Self::Nothing, Self::PassThrough, Self::Tilelens];

    /// A short name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::PassThrough => "pass_through",
            Self::Tilelens => "tilelens",
        }
    }

    /// The way of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.name() == name)
    }
}

const COLOR: vk::Format = vk::Format::R8G8B8A8_UNORM;
const DEPTH: vk::Format = vk::Format::D32_SFLOAT;
const SIZE: u32 = 64;

/// A device with the objects that the commands need. It lives as long as the process.
pub struct Application {
    through: Through,
    scene: Scene,
    color: Image,
    buffer: vk::Buffer,
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
    /// With viewport and scissor dynamic, and with the depth test too.
    pipelines: [vk::Pipeline; 2],
}

impl Application {
    /// A device this way above the driver.
    pub fn new(through: Through) -> Self {
        let chain = match through {
            Through::Tilelens => Chain::new(Options::default()),
            Through::Nothing | Through::PassThrough => Chain::without_layer(Options::default()),
        };
        let scene = Scene::new(chain.start());
        let [color, depth] = [COLOR, DEPTH].map(|format| scene.image(format, SIZE, SIZE, 1));
        let pass = scene.render_pass(&[
            attachment(&color, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE),
            attachment(&depth, vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::DONT_CARE),
        ]);
        let framebuffer = scene.framebuffer(pass, &[&color, &depth]);
        let usage = vk::BufferUsageFlags::TRANSFER_DST | vk::BufferUsageFlags::VERTEX_BUFFER;
        let info = vk::BufferCreateInfo::default().size(u64::from(SIZE * SIZE * 4)).usage(usage);
        let mut buffer = vk::Buffer::null();
        // SAFETY: valid arguments, and the memory is as large as the fake driver asks for.
        unsafe {
            let app = &scene.app;
            app.vkCreateBuffer(app.device, &info, std::ptr::null(), &mut buffer).result().unwrap();
            let mut memory = vk::DeviceMemory::null();
            let allocate = vk::MemoryAllocateInfo::default().allocation_size(65536);
            app.vkAllocateMemory(app.device, &allocate, std::ptr::null(), &mut memory).result().unwrap();
            app.vkBindBufferMemory(app.device, buffer, memory, 0).result().unwrap();
        }
        let rects = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
        let usual = Graphics::new(pass, &[opaque()]).depth(depth_test(vk::CompareOp::LESS, true)).dynamic(&rects);
        let dynamic = usual.clone().dynamic(&[vk::DynamicState::DEPTH_TEST_ENABLE]);
        let pipelines = [usual, dynamic].map(|pipeline| pipeline.create(&scene));
        // From here on the driver only returns.
        scene.app.driver().set_noting(false);
        Self { through, scene, color, buffer, pass, framebuffer, pipelines }
    }

    /// What a thread records with. Threads have different numbers.
    pub fn recorder(&self, thread: u32) -> Recorder<'_> {
        Recorder::new(self, thread)
    }
}
