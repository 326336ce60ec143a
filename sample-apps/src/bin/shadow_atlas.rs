//! A shadow atlas: one depth image in tiles, of which each frame draws a few anew and keeps the others.
//!
//! One submission is one frame. Exit status: 0 all pixels right, 1 a wrong pixel, 2 the options or the device do not allow the run.

use ash::vk;
use clap::Parser;
use std::process::ExitCode;
use tilelens_samples::compare::Range;
use tilelens_samples::descriptors::Bound;
use tilelens_samples::expect::Contents;
use tilelens_samples::flat::Drawn;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::image::{Image, ImageInfo};
use tilelens_samples::owned::Owned;
use tilelens_samples::pair::{COLOUR, Frames, Pair};
use tilelens_samples::pass::{Attachment, DEPTH_READ, Pass, Subpass};
use tilelens_samples::picture::Picture;
use tilelens_samples::readback::COPIED;
use tilelens_samples::scene::{self, FAR};
use tilelens_samples::screen_pass::{Begin, ScreenPass, Target};
use tilelens_samples::size::Size;
use tilelens_samples::triangles::Triangles;
use tilelens_samples::{Error, shader};
use vk::AttachmentLoadOp as Load;
use vk::AttachmentStoreOp as Store;
use vk::ImageAspectFlags as Aspect;
use vk::ImageLayout as Layout;
use vk::ImageUsageFlags as Usage;

/// Draws two tiles of a shadow atlas of four by four anew in each frame and reads all of them; checks every pixel.
///
/// wrong: the atlas has a stencil aspect that nobody uses and every pass loads and stores, and passes cover the whole atlas although all that they draw
/// lies in two tiles of it.
///
/// right: no stencil, and passes cover the two tiles and the one between, which is loaded and stored: that is what an atlas costs.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    #[command(flatten)]
    pair: Pair,
}

/// Rows and columns.
const TILES: u32 = 4;
/// How `atlas.frag` shows depth 1.
const LIT: [f32; 3] = [255.0, 127.5, 63.75];

fn main() -> ExitCode {
    let Options { pair } = Options::parse();
    pair.main("shadow_atlas", |gpu| pair.run(gpu, &mut Atlas::new(gpu, &pair)?))
}

/// The tiles that frame `frame` draws: in one row, with one between.
fn tiles(frame: u32) -> [[u32; 2]; 2] {
    let (row, column) = (frame % TILES, frame / TILES % 2);
    [[column, row], [column + 2, row]]
}

struct Atlas<'g> {
    gpu: &'g Gpu,
    whole_area: bool,
    size: Size,
    tile: Size,
    triangles: Triangles<'g>,
    /// Clears the whole atlas, for the first frame.
    first: Pass<'g>,
    update: Pass<'g>,
    show: ScreenPass<'g>,
    _depth_view: Owned<'g, vk::ImageView>,
    _atlas: Image<'g>,
    output: Image<'g>,
    /// The depths that the atlas holds, as they are shown.
    depths: Picture,
}

impl<'g> Atlas<'g> {
    fn new(gpu: &'g Gpu, pair: &Pair) -> Result<Self, Error> {
        let size = pair.size;
        let tile = Size { width: size.width / TILES, height: size.height / TILES };
        let depth = ImageInfo::depth("shadow atlas", size, Usage::SAMPLED);
        let with_stencil = vk::Format::D32_SFLOAT_S8_UINT;
        let info =
            pair.choose(ImageInfo { format: with_stencil, aspects: Aspect::DEPTH | Aspect::STENCIL, ..depth }, depth);
        use vk::FormatFeatureFlags as Feature;
        gpu.require_format(info.format, Feature::DEPTH_STENCIL_ATTACHMENT | Feature::SAMPLED_IMAGE)?;
        let atlas = Image::new(gpu, &info)?;
        let depth_view = atlas.view_of(gpu, Aspect::DEPTH, 0)?;
        let output = Image::new(gpu, &ImageInfo::colour("output", size, COLOUR, Usage::TRANSFER_SRC))?;

        let mut cleared = Attachment::new(&atlas, Load::CLEAR, Store::STORE, DEPTH_READ);
        let mut kept = Attachment::new(&atlas, Load::LOAD, Store::STORE, DEPTH_READ).from(DEPTH_READ);
        if pair.wrong() {
            cleared = cleared.stencil(Load::CLEAR, Store::STORE);
            kept = kept.stencil(Load::LOAD, Store::STORE);
        }
        let subpass = [Subpass { depth: Some(0), ..Subpass::default() }];
        let first = Pass::new(gpu, "first shadows", size, &[cleared], &subpass)?;
        let update = Pass::new(gpu, "shadows", size, &[kept], &subpass)?;
        let drawn = scene::triangles(tile);
        let triangles = Triangles::new(gpu, Drawn::DepthScissored, update.within(0), size, &drawn)?;
        let (read, target) = ([Bound::sampled(depth_view.get(), DEPTH_READ)], Target::output(&output, size));
        let show = ScreenPass::new(gpu, "show", &target, Begin::DontCare, shader!("atlas.frag"), &read, 0)?;
        Ok(Self {
            gpu,
            whole_area: pair.wrong(),
            size,
            tile,
            triangles,
            first,
            update,
            show,
            _depth_view: depth_view,
            _atlas: atlas,
            output,
            depths: Picture::new(size.width, size.height, |_, _| shown(FAR)),
        })
    }

    fn area(&self, [column, row]: [u32; 2], columns: u32) -> vk::Rect2D {
        let Size { width, height } = self.tile;
        vk::Rect2D {
            offset: vk::Offset2D { x: (column * width) as i32, y: (row * height) as i32 },
            extent: vk::Extent2D { width: columns * width, height },
        }
    }

    /// Clears and draws the tiles of frame `frame`, inside a pass.
    fn draw(&self, commands: vk::CommandBuffer, frame: u32) {
        let device = &self.gpu.device;
        let areas = tiles(frame).map(|tile| self.area(tile, 1));
        let far = vk::ClearAttachment {
            aspect_mask: Aspect::DEPTH,
            color_attachment: 0,
            clear_value: vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: FAR, stencil: 0 } },
        };
        let rects = areas.map(|rect| vk::ClearRect { rect, base_array_layer: 0, layer_count: 1 });
        // SAFETY: the command buffer is being recorded inside a pass with this attachment, and the rectangles lie in its area.
        unsafe { device.cmd_clear_attachments(commands, &[far], &rects) };
        let [dx, dy] = scene::offset(self.tile, frame);
        for area in areas {
            // SAFETY: the command buffer is being recorded; the pipeline that draws next takes the scissor from it.
            unsafe { device.cmd_set_scissor(commands, 0, &[area]) };
            self.triangles.draw(commands, [area.offset.x + dx, area.offset.y + dy]);
        }
    }
}

fn shown(depth: f32) -> Range {
    Range::exactly(LIT.map(|c| c * depth))
}

impl Frames for Atlas<'_> {
    fn output(&self) -> &Image<'_> {
        &self.output
    }

    fn found(&self) -> Vec<(&Image<'_>, Layout)> {
        vec![(&self.output, COPIED)]
    }

    fn record(&self, commands: vk::CommandBuffer, frame: u32) {
        let [first, _] = tiles(frame);
        let area = if self.whole_area { self.size.rect() } else { self.area(first, 3) };
        match frame {
            0 => self.first.record(commands, || self.draw(commands, frame)),
            _ => self.update.record_in(commands, area, || self.draw(commands, frame)),
        }
        self.show.record(commands, &[]);
    }

    fn expected(&mut self, frame: u32) -> Picture {
        let tile = Contents::of_frame(self.tile, frame).depths(|depth| LIT.map(|c| c * depth));
        for [column, row] in tiles(frame) {
            self.depths.paste(column * self.tile.width, row * self.tile.height, &tile);
        }
        let Size { width, height } = self.size;
        let (right, bottom) = (i64::from(width) - 1, i64::from(height) - 1);
        Picture::new(width, height, |x, y| self.depths.at(right - i64::from(x), bottom - i64::from(y)))
    }
}
