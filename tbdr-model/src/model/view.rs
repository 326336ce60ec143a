//! A recorded pass with the images it draws to: what families and the accounting ask of it.
//!
//! All indices of a recording are hostile; every question here has an answer for any of them.

use super::memo::Memo;
use crate::format::{self, Info, PLANE_ASPECTS};
use crate::frame::{Attachment, Image, Pass, Subpass};
use crate::gpu::Edge;
use crate::units::Extent2D;
use alloc::rc::Rc;
use core::cell::OnceCell;

/// A pass beside the images of its frame, with what has been concluded from it.
#[derive(Debug)]
pub struct PassView<'a> {
    /// The pass.
    pub pass: &'a Pass,
    images: &'a [Image],
    /// The largest view of an attachment along either axis, once asked for.
    largest: OnceCell<Extent2D>,
    memo: Memo,
    shape: OnceCell<Rc<Memo>>,
}

/// Half-open range of pixels along one axis.
type Span = (u64, u64);

/// The pixels of a layer that loads and stores of a tile pass cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// Those of the view that lie in this range along x and y. Ranges end where the largest view does, so that tiles of different
    /// sizes cover the same wherever the render area is all there is.
    Clipped([Span; 2]),
    /// So many, whatever the view.
    Padded(u64),
}

impl<'a> PassView<'a> {
    /// A view of `pass`, whose image references index `images`. It remembers nothing for other GPUs.
    pub fn new(pass: &'a Pass, images: &'a [Image]) -> Self {
        Self { pass, images, largest: OnceCell::new(), memo: Memo::default(), shape: OnceCell::new() }
    }

    /// The same view for several GPUs: what one concludes from it others recall.
    pub(crate) fn remembering(mut self) -> Self {
        self.memo = Memo::sharing();
        self
    }

    /// What has been concluded from the pass.
    pub(crate) fn memo(&self) -> &Memo {
        &self.memo
    }

    /// What has been concluded from the pass but for its sizes: neither the framebuffer, nor render areas, nor the extent of an image has had
    /// a say in it. Passes that differ in nothing else share it.
    pub(crate) fn shape(&self) -> &Memo {
        if self.memo.shares() { self.shape_kept() } else { &self.memo }
    }

    fn shape_kept(&self) -> &Rc<Memo> {
        self.shape.get_or_init(|| Rc::new(Memo::sharing()))
    }

    /// The same view, of a pass that differs from that of `other` in sizes only.
    pub(super) fn shaped_like(mut self, other: &Self) -> Self {
        self.shape = OnceCell::from(Rc::clone(other.shape_kept()));
        self
    }

    /// The attachment of this index.
    pub fn attachment(&self, index: u32) -> Option<&'a Attachment> {
        self.pass.attachments.get(usize::try_from(index).ok()?)
    }

    /// The image behind an attachment, where known.
    pub fn image(&self, attachment: &Attachment) -> Option<&'a Image> {
        self.images.get(usize::try_from(attachment.image?.0).ok()?)
    }

    /// The format of an attachment, where the table knows it and its texels have one size.
    pub fn format(&self, index: u32) -> Option<&'static Info> {
        let info = format::info(self.attachment(index)?.format)?;
        (info.block == [1, 1, 1] && info.planes.is_empty()).then_some(info)
    }

    /// Size of what an attachment's view shows, in its own texels: its mip level, of a plane that plane, of compressed blocks seen as texels
    /// their number; the framebuffer where the image is unknown.
    pub fn view_extent(&self, attachment: &Attachment) -> Extent2D {
        let Some(image) = self.image(attachment) else { return self.pass.extent };
        let level = image.extent.mip(attachment.range.base_mip);
        let (whole, viewed) = (format::info(image.format), format::info(attachment.format));
        let plane = PLANE_ASPECTS.iter().position(|plane| attachment.range.aspects == *plane);
        let plane = whole.zip(plane).and_then(|(info, plane)| info.planes.get(plane)).map(|plane| plane.divisor);
        let block = whole.zip(viewed).filter(|(of, by)| of.block != by.block && by.block == [1, 1, 1]);
        let [x, y] = plane.or_else(|| block.map(|(of, _)| [of.block[0], of.block[1]])).unwrap_or([1, 1]);
        Extent2D::new(level.width.div_ceil(x.max(1)), level.height.div_ceil(y.max(1)))
    }

    /// Views of a subpass with multiview, else framebuffer layers.
    pub fn layers(&self, subpass: usize) -> u64 {
        match self.pass.subpasses.get(subpass).map_or(0, |s| s.view_mask) {
            0 => u64::from(self.pass.layers.max(1)),
            mask => u64::from(mask.count_ones()),
        }
    }

    /// Samples per pixel that a subpass renders with: those of its colour and depth/stencil attachments, or those that exist on chip only.
    pub fn samples(&self, subpass: &Subpass) -> u32 {
        let samples = subpass.targets().filter_map(|t| self.attachment(t.attachment)).map(|a| a.samples);
        samples.max().unwrap_or(1).max(subpass.samples).max(1)
    }

    /// Samples per pixel that an attachment takes on chip: its own, or more where a subpass renders to it with samples that exist on chip
    /// only.
    pub fn samples_on_chip(&self, attachment: u32) -> u32 {
        let own = self.attachment(attachment).map_or(1, |a| a.samples);
        let renders = |s: &&Subpass| s.samples > 1 && s.targets().any(|t| t.attachment == attachment);
        self.pass.subpasses.iter().filter(renders).map(|s| s.samples).max().unwrap_or(1).max(own).max(1)
    }

    /// The render area clipped to the framebuffer.
    fn area(&self) -> (Span, Span) {
        let span = |start: i32, size: u32, limit: u32| {
            let end = (i64::from(start) + i64::from(size)).clamp(0, i64::from(limit));
            (i64::from(start).clamp(0, end) as u64, end as u64)
        };
        let (area, extent) = (self.pass.render_area, self.pass.extent);
        (span(area.x, area.extent.width, extent.width), span(area.y, area.extent.height, extent.height))
    }

    /// First pixel and the pixel behind the last one of the render area, clipped to the framebuffer.
    pub fn area_corners(&self) -> [(u64, u64); 2] {
        let (x, y) = self.area();
        [(x.0, y.0), (x.1, y.1)]
    }

    /// Whether the render area is empty.
    pub fn is_empty(&self) -> bool {
        let (x, y) = self.area();
        x.0 == x.1 || y.0 == y.1
    }

    /// Texels of a map of the pass (density, shading rate) that stand for pixels of the render area, per layer. `texel` is how many pixels one
    /// stands for in x and y, as a fraction.
    pub fn map_texels(&self, map: &Attachment, texel: [(u32, u32); 2]) -> u64 {
        if self.is_empty() {
            return 0;
        }
        let (x, y) = self.area();
        let extent = self.view_extent(map);
        let along = |(start, end): Span, (pixels, texels): (u32, u32), limit: u32| {
            let (pixels, texels) = (u64::from(pixels.max(1)), u64::from(texels.max(1)));
            let (first, last) = (start.saturating_mul(texels) / pixels, end.saturating_mul(texels).div_ceil(pixels));
            last.min(u64::from(limit)).saturating_sub(first)
        };
        along(x, texel[0], extent.width).saturating_mul(along(y, texel[1], extent.height))
    }

    /// Pixels of an attachment that a load or store of the pass moves per layer: the render area rounded out to
    /// `granularity` and clipped to the view.
    pub fn pixels(&self, attachment: &Attachment, granularity: Extent2D) -> u64 {
        if self.is_empty() {
            return 0;
        }
        let (x, y) = self.area();
        let out = [round_out(x, granularity.width), round_out(y, granularity.height)];
        self.covered(attachment, Cover::Clipped(out))
    }

    /// What loads and stores cover that move whole multiples of `granularity`.
    pub fn cover(&self, granularity: Extent2D, edge: Edge) -> Cover {
        let (x, y) = self.area();
        if self.is_empty() {
            return Cover::Padded(0);
        }
        match edge {
            Edge::Padded => Cover::Padded(self.tiles(granularity).saturating_mul(granularity.pixels())),
            Edge::Clipped => {
                let largest = self.largest();
                let along = |span: Span, step: u32, limit: u32| {
                    let (start, end) = round_out(span, step);
                    (start, end.min(u64::from(limit)))
                };
                Cover::Clipped([
                    along(x, granularity.width, largest.width),
                    along(y, granularity.height, largest.height),
                ])
            }
        }
    }

    /// Pixels per layer of an attachment of the pass that lie under a cover.
    pub fn covered(&self, attachment: &Attachment, cover: Cover) -> u64 {
        match cover {
            Cover::Padded(pixels) => pixels,
            Cover::Clipped([x, y]) => {
                let view = self.view_extent(attachment);
                let along = |(start, end): Span, limit: u32| end.min(u64::from(limit)).saturating_sub(start);
                along(x, view.width).saturating_mul(along(y, view.height))
            }
        }
    }

    /// Width of the widest and height of the highest view.
    fn largest(&self) -> Extent2D {
        *self.largest.get_or_init(|| {
            let views = self.pass.attachments.iter().map(|attachment| self.view_extent(attachment));
            views.fold(self.pass.extent, |most, view| {
                Extent2D::new(most.width.max(view.width), most.height.max(view.height))
            })
        })
    }

    /// Tiles that the render area touches, per layer.
    pub fn tiles(&self, tile: Extent2D) -> u64 {
        if self.is_empty() {
            return 0;
        }
        let along = |span: Span, step: u32| {
            let (start, end) = round_out(span, step);
            (end - start) / u64::from(step.max(1))
        };
        let (x, y) = self.area();
        along(x, tile.width).saturating_mul(along(y, tile.height))
    }

    /// Whether rounding the render area out to `granularity` covers pixels of the framebuffer that it does not name.
    pub fn is_rounded(&self, granularity: Extent2D) -> bool {
        let along = |span: Span, step: u32, limit: u32| {
            let (start, end) = round_out(span, step);
            (start, end.min(u64::from(limit))) != span
        };
        let ((x, y), extent) = (self.area(), self.pass.extent);
        !self.is_empty() && (along(x, granularity.width, extent.width) || along(y, granularity.height, extent.height))
    }
}

fn round_out((start, end): Span, step: u32) -> Span {
    let step = u64::from(step.max(1));
    (start / step * step, end.div_ceil(step) * step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::ImageRef;
    use crate::units::{Extent3D, Rect2D};

    fn pass(area: [i64; 4], extent: [u32; 2]) -> Pass {
        Pass { render_area: Rect2D::from(area), extent: extent.into(), layers: 1, ..Pass::default() }
    }

    #[test]
    fn the_area_is_rounded_out_and_clipped_to_the_mip_level_of_the_view() {
        let images = [Image { extent: Extent3D { width: 40, height: 30, depth: 1 }, ..Image::default() }];
        let mut attachment = Attachment { image: Some(ImageRef(0)), ..Attachment::default() };
        let pass = pass([5, 5, 10, 10], [20, 15]);
        let view = PassView::new(&pass, &images);
        assert_eq!(view.pixels(&attachment, Extent2D::new(1, 1)), 100);
        assert_eq!(view.pixels(&attachment, Extent2D::new(16, 4)), 16 * 12);
        attachment.range.base_mip = 1;
        assert_eq!(view.pixels(&attachment, Extent2D::new(32, 32)), 20 * 15);
        assert!(view.is_rounded(Extent2D::new(16, 4)));
    }

    #[test]
    fn an_area_that_reaches_the_edge_is_not_rounded() {
        let pass = pass([0, 0, 2220, 1080], [2220, 1080]);
        let view = PassView::new(&pass, &[]);
        assert!(!view.is_rounded(Extent2D::new(16, 16)));
        assert_eq!(view.tiles(Extent2D::new(16, 16)), 139 * 68);
    }

    #[test]
    fn no_size_overflows() {
        let most = i64::from(u32::MAX);
        let pass = pass([i64::from(i32::MIN), i64::from(i32::MAX), most, most], [u32::MAX, u32::MAX]);
        let view = PassView::new(&pass, &[]);
        assert!(view.pixels(&Attachment::default(), Extent2D::new(16, 16)) > 0);
        assert!(view.tiles(Extent2D::new(0, 0)) > 0);
    }
}
