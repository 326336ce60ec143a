//! Bloom: a picture shrunk level by level, grown again level by level and added to itself. Every pass samples what others have stored.
//!
//! One submission is one frame. Exit status: 0 all pixels right, 1 a wrong pixel, 2 the options or the device do not allow the run.

use ash::vk;
use clap::Parser;
use std::process::ExitCode;
use tilelens_samples::compare::Range;
use tilelens_samples::descriptors::Bound;
use tilelens_samples::expect::Contents;
use tilelens_samples::flat_scene::FlatScene;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::{Image, ImageInfo};
use tilelens_samples::owned::Owned;
use tilelens_samples::pair::{COLOUR, Frames, Pair};
use tilelens_samples::pass::READ;
use tilelens_samples::picture::Picture;
use tilelens_samples::readback::COPIED;
use tilelens_samples::screen_pass::{Begin, ScreenPass, Target};
use tilelens_samples::size::Size;
use tilelens_samples::{Error, shader};
use vk::AttachmentStoreOp as Store;
use vk::ImageLayout as Layout;
use vk::ImageUsageFlags as Usage;

/// Draws a scene and adds its own blurred picture to it; checks every pixel.
///
/// wrong: every target is loaded though its contents are undefined and every pixel of it is drawn, the scene's depth is stored, and one level
/// more is drawn than is read.
///
/// right: targets that are drawn as a whole have loadOp DONT_CARE, and what is stored is read.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    #[command(flatten)]
    pair: Pair,
}

/// Levels that are grown again; the first has half the size of the scene.
const LEVELS: usize = 3;
/// How much of the finer and of the coarser level makes a grown one.
const GROWN: [f32; 2] = [0.5, 0.5];
/// The same for scene and bloom.
const ADDED: [f32; 2] = [1.0, 0.25];

fn main() -> ExitCode {
    let Options { pair } = Options::parse();
    pair.main("bloom", |gpu| pair.run(gpu, &mut Bloom::new(gpu, &pair)?))
}

/// Size of level `level` of an image that begins with half of `size`.
fn level_size(size: Size, level: usize) -> Size {
    let side = |side: u32| (side >> (level + 1)).max(1);
    Size { width: side(size.width), height: side(size.height) }
}

struct Bloom<'g> {
    size: Size,
    scene: FlatScene<'g>,
    /// From the finest to the coarsest level.
    shrinking: Vec<ScreenPass<'g>>,
    /// From the coarsest but one to the finest level, then the output.
    growing: Vec<ScreenPass<'g>>,
    adding: ScreenPass<'g>,
    _views: [Vec<Owned<'g, vk::ImageView>>; 2],
    levels: [Image<'g>; 2],
    output: Image<'g>,
}

impl<'g> Bloom<'g> {
    fn new(gpu: &'g Gpu, pair: &Pair) -> Result<Self, Error> {
        let size = pair.size;
        let scene = FlatScene::new(gpu, size, COLOUR, pair.choose(Store::STORE, Store::DONT_CARE))?;
        let mipmapped = |name, levels| {
            let image = ImageInfo::colour(name, level_size(size, 0), COLOUR, Usage::SAMPLED);
            let image = Image::mipmapped(gpu, &image, levels as u32)?;
            let view = |level| image.view_of(gpu, vk::ImageAspectFlags::COLOR, level);
            let views = (0..levels as u32).map(view).collect::<Result<Vec<_>, Error>>()?;
            Ok::<_, Error>((image, views))
        };
        let (small, small_views) = mipmapped("shrunk", LEVELS + pair.choose(1, 0))?;
        let (grown, grown_views) = mipmapped("grown", LEVELS - 1)?;
        let output = Image::new(gpu, &ImageInfo::colour("output", size, COLOUR, Usage::TRANSFER_SRC))?;
        let begin = pair.choose(Begin::LoadsUndefined, Begin::DontCare);
        let read = |view| Bound::sampled(view, READ);

        let mut shrinking = Vec::new();
        for (level, view) in small_views.iter().enumerate() {
            let from = if level == 0 { scene.colour.view() } else { small_views[level - 1].get() };
            let target = Target::level(&small, level as u32, view.get(), level_size(size, level));
            let shrink = shader!("shrink.frag");
            shrinking.push(ScreenPass::new(gpu, &format!("shrink {level}"), &target, begin, shrink, &[read(from)], 0)?);
        }
        let mut growing = Vec::new();
        let grow = shader!("grow.frag");
        for level in (0..LEVELS - 1).rev() {
            let coarse = grown_views.get(level + 1).unwrap_or(&small_views[level + 1]).get();
            let target = Target::level(&grown, level as u32, grown_views[level].get(), level_size(size, level));
            let from = [read(small_views[level].get()), read(coarse)];
            growing.push(ScreenPass::new(gpu, &format!("grow {level}"), &target, begin, grow, &from, 8)?);
        }
        let from = [read(scene.colour.view()), read(grown_views[0].get())];
        let target = Target::output(&output, size);
        let adding = ScreenPass::new(gpu, "add", &target, begin, grow, &from, 8)?;
        let (views, levels) = ([small_views, grown_views], [small, grown]);
        Ok(Self { size, scene, shrinking, growing, adding, _views: views, levels, output })
    }
}

impl Frames for Bloom<'_> {
    fn output(&self) -> &Image<'_> {
        &self.output
    }

    fn found(&self) -> Vec<(&Image<'_>, Layout)> {
        let [small, grown] = &self.levels;
        vec![(&self.scene.colour, READ), (small, READ), (grown, READ), (&self.output, COPIED)]
    }

    fn record(&self, commands: vk::CommandBuffer, frame: u32) {
        let weights = |weights: [f32; 2]| weights.into_iter().flat_map(f32::to_ne_bytes).collect::<Vec<_>>();
        self.scene.record(commands, frame);
        for pass in &self.shrinking {
            pass.record(commands, &[]);
        }
        for pass in &self.growing {
            pass.record(commands, &weights(GROWN));
        }
        self.adding.record(commands, &weights(ADDED));
    }

    fn expected(&mut self, frame: u32) -> Picture {
        let scene = Contents::of_frame(self.size, frame).colours();
        let mut levels = Vec::new();
        for level in 0..LEVELS {
            levels.push(shrunk(levels.last().unwrap_or(&scene), level_size(self.size, level)));
        }
        let coarsest = levels.pop();
        let bloom = coarsest.map(|coarsest| levels.iter().rev().fold(coarsest, |c, fine| added(fine, &c, GROWN)));
        bloom.map_or(scene.clone(), |bloom| added(&scene, &bloom, ADDED))
    }
}

/// What `shrink.frag` makes of a picture.
fn shrunk(larger: &Picture, size: Size) -> Picture {
    Picture::stored(size.width, size.height, |x, y| {
        let taps = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| larger.at(2 * x + dx, 2 * y + dy));
        Range::mean(&taps)
    })
}

/// What `grow.frag` makes of two pictures.
fn added(fine: &Picture, coarse: &Picture, weights: [f32; 2]) -> Picture {
    let [width, height] = fine.extent();
    let [of_fine, of_coarse] = weights;
    Picture::stored(width, height, |x, y| {
        fine.at(x, y).scaled(of_fine, of_fine).plus(coarse.at(x / 2, y / 2).scaled(of_coarse, of_coarse))
    })
}
