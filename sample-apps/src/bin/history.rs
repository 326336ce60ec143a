//! Temporal accumulation: each frame is mixed with the history of the frames before, and becomes the history of the next.
//!
//! One submission is one frame. Exit status: 0 all pixels right, 1 a wrong pixel, 2 the options or the device do not allow the run.

use ash::vk;
use clap::Parser;
use std::process::ExitCode;
use tilelens_samples::descriptors::Bound;
use tilelens_samples::expect::Contents;
use tilelens_samples::flat_scene::FlatScene;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::{Image, ImageInfo};
use tilelens_samples::pair::{COLOUR, Frames, Pair};
use tilelens_samples::pass::READ;
use tilelens_samples::picture::Picture;
use tilelens_samples::readback::COPIED;
use tilelens_samples::screen_pass::{Begin, ScreenPass, Target};
use tilelens_samples::size::Size;
use tilelens_samples::{Error, scene, shader};
use vk::AccessFlags as Access;
use vk::AttachmentStoreOp as Store;
use vk::ImageLayout as Layout;
use vk::ImageUsageFlags as Usage;
use vk::PipelineStageFlags as Stage;

/// Mixes each frame with those before, in two images that take turns; checks every pixel.
///
/// wrong: the depth is stored and nobody reads it, and the image that becomes the new history is loaded though its contents have been discarded and
/// every pixel of it is drawn.
///
/// right: the depth stays on chip, and the new history begins with loadOp DONT_CARE. Both histories are stored: the next frame reads them.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    #[command(flatten)]
    pair: Pair,
}

/// How much of the history a frame keeps.
const KEPT: f32 = 0.5;

fn main() -> ExitCode {
    let Options { pair } = Options::parse();
    pair.main("history", |gpu| pair.run(gpu, &mut History::new(gpu, &pair)?))
}

/// How far the scene has moved since the frame before.
fn motion(size: Size, frame: u32) -> [i32; 2] {
    let [x, y] = scene::offset(size, frame);
    let [before_x, before_y] = scene::offset(size, frame.saturating_sub(1));
    [x - before_x, y - before_y]
}

/// How much of the history frame `frame` keeps: the first has none.
fn kept(frame: u32) -> f32 {
    if frame == 0 { 0.0 } else { KEPT }
}

struct History<'g> {
    gpu: &'g Gpu,
    size: Size,
    scene: FlatScene<'g>,
    /// Writes history 0 or 1 and reads the other.
    accumulating: [ScreenPass<'g>; 2],
    /// Reads history 0 or 1.
    showing: [ScreenPass<'g>; 2],
    histories: [Image<'g>; 2],
    output: Image<'g>,
    /// What the history shows after the last frame.
    last: Option<Picture>,
}

impl<'g> History<'g> {
    fn new(gpu: &'g Gpu, pair: &Pair) -> Result<Self, Error> {
        let size = pair.size;
        let scene = FlatScene::new(gpu, size, COLOUR, pair.choose(Store::STORE, Store::DONT_CARE))?;
        let history =
            |name| Image::new(gpu, &ImageInfo::colour(name, size, COLOUR, Usage::SAMPLED | Usage::TRANSFER_DST));
        let histories = [history("history 0")?, history("history 1")?];
        let output = Image::new(gpu, &ImageInfo::colour("output", size, COLOUR, Usage::TRANSFER_SRC))?;
        let read = |image: &Image<'_>| Bound::sampled(image.view(), READ);
        let accumulate = |new: usize| {
            let begin = pair.choose(Begin::LoadsUndefined, Begin::DontCare);
            let from = [read(&scene.colour), read(&histories[1 - new])];
            let target = Target::read(&histories[new], size);
            ScreenPass::new(gpu, "accumulate", &target, begin, shader!("accumulate.frag"), &from, 12)
        };
        let show = |new: usize| {
            let (from, target) = ([read(&histories[new])], Target::output(&output, size));
            ScreenPass::new(gpu, "show", &target, Begin::DontCare, shader!("soften.frag"), &from, 0)
        };
        let (accumulating, showing) = ([accumulate(0)?, accumulate(1)?], [show(0)?, show(1)?]);
        Ok(Self { gpu, size, scene, accumulating, showing, histories, output, last: None })
    }

    /// Gives the history that the first frame reads its contents.
    fn reset(&self, commands: vk::CommandBuffer) {
        let history = &self.histories[1];
        let written = Layout::TRANSFER_DST_OPTIMAL;
        let before = history.barrier([Layout::UNDEFINED, written], [Access::empty(), Access::TRANSFER_WRITE]);
        let after = history.barrier([written, READ], [Access::TRANSFER_WRITE, Access::SHADER_READ]);
        let (device, none) = (&self.gpu.device, vk::DependencyFlags::empty());
        let black = vk::ClearColorValue { float32: [0.0, 0.0, 0.0, 1.0] };
        let (start, transfer, looking) = (Stage::TOP_OF_PIPE, Stage::TRANSFER, Stage::FRAGMENT_SHADER);
        // SAFETY: the command buffer is being recorded outside a render pass; the image is live and in these layouts.
        unsafe {
            device.cmd_pipeline_barrier(commands, start, transfer, none, &[], &[], &[before]);
            device.cmd_clear_color_image(commands, history.image(), written, &black, &[history.range()]);
            device.cmd_pipeline_barrier(commands, transfer, looking, none, &[], &[], &[after]);
        }
    }
}

impl Frames for History<'_> {
    fn output(&self) -> &Image<'_> {
        &self.output
    }

    fn found(&self) -> Vec<(&Image<'_>, Layout)> {
        // The first frame reads the other history, which has to have contents then.
        vec![(&self.scene.colour, READ), (&self.histories[0], READ), (&self.output, COPIED)]
    }

    fn record(&self, commands: vk::CommandBuffer, frame: u32) {
        if frame == 0 {
            self.reset(commands);
        }
        let new = frame as usize % 2;
        let [x, y] = motion(self.size, frame).map(i32::to_ne_bytes);
        self.scene.record(commands, frame);
        self.accumulating[new].record(commands, &[x, y, kept(frame).to_ne_bytes()].concat());
        self.showing[new].record(commands, &[]);
    }

    fn expected(&mut self, frame: u32) -> Picture {
        let Size { width, height } = self.size;
        let current = Contents::of_frame(self.size, frame).colours();
        let history = match &self.last {
            None => current,
            Some(last) => {
                let [dx, dy] = motion(self.size, frame).map(i64::from);
                let kept = kept(frame);
                Picture::stored(width, height, |x, y| {
                    let before = last.at(x - dx, y - dy).scaled(kept, kept);
                    current.at(x, y).scaled(1.0 - kept, 1.0 - kept).plus(before)
                })
            }
        };
        let shown = Picture::stored(width, height, |x, y| {
            let around = [(-1, 0), (1, 0), (0, -1), (0, 1)].map(|(dx, dy)| history.at(x + dx, y + dy));
            let half = history.at(x, y).scaled(0.5, 0.5);
            around.into_iter().fold(half, |sum, c| sum.plus(c.scaled(0.125, 0.125)))
        });
        self.last = Some(history);
        shown
    }
}
