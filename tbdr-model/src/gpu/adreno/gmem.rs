//! How turnip divides GMEM among attachments and the framebuffer into bins.
//!
//! All attachments of a VkRenderPass share GMEM for the whole pass. Rules as in Mesa 25.0.7, src/freedreno/vulkan/tu_pass.cc
//! (GMEM), tu_util.cc (bins and visibility pipes).

use crate::gpu::round_up;
use crate::units::Extent2D;
use alloc::vec::Vec;

/// Facts of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hardware {
    /// Bytes of on-chip memory.
    pub gmem: u64,
    /// Bins are multiples of this.
    pub bin_align: Extent2D,
    /// Largest bin.
    pub bin_max: Extent2D,
    /// Colour cache units.
    pub ccus: u64,
    /// Bytes of colour cache per unit.
    pub ccu_color_cache: u64,
    /// The share of it that lies in GMEM, as a right shift.
    pub ccu_gmem_shift: u32,
    /// Visibility stream pipes.
    pub vsc_pipes: u64,
    /// Bytes of GMEM that vertex attributes take.
    pub vpc_attributes: u64,
    /// Whether loads and stores of untouched bins are never skipped.
    pub generic_clear: bool,
}

/// Whether the colour caches keep their part of GMEM during the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GmemLayout {
    /// Attachments have all of GMEM.
    Full,
    /// The colour caches keep theirs, which some stores and resolves need.
    AvoidCcu,
}

/// Bytes per pixel of an attachment in GMEM, all samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cpp {
    /// Colour, depth, or depth and stencil in one word.
    pub main: u64,
    /// A stencil plane of its own.
    pub stencil: Option<u64>,
}

/// GMEM divided among the attachments of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Alignment of bins, widened where an attachment has one byte per pixel.
    pub bin_align: Extent2D,
    /// Pixels that fit at once; 0 if the pass cannot be binned.
    pub pixels: u64,
    /// Smallest bytes per pixel of an attachment.
    pub min_cpp: u64,
    /// Sum of all bytes per pixel.
    pub total_cpp: u64,
    /// Offset in GMEM of each attachment; 0 for those that are not in it.
    pub offsets: Vec<u64>,
}

/// The framebuffer divided into bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bins {
    /// Size of a bin.
    pub size: Extent2D,
    /// Bins in x and y.
    pub count: Extent2D,
}

/// Bins divided among visibility pipes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipes {
    /// Bins per pipe in x and y.
    pub size: Extent2D,
    /// Pipes in x and y.
    pub count: Extent2D,
    /// Whether the hardware can sort geometry into these bins.
    pub binning_possible: bool,
    /// Whether turnip has it do so.
    pub binning: bool,
}

impl Hardware {
    /// Bytes that attachments may use.
    pub fn usable(&self, layout: GmemLayout) -> u64 {
        let full = self.gmem.saturating_sub(self.vpc_attributes);
        match layout {
            GmemLayout::Full => full,
            GmemLayout::AvoidCcu => {
                let share = self.ccu_color_cache.checked_shr(self.ccu_gmem_shift).unwrap_or(0);
                full.saturating_sub(self.ccus.saturating_mul(share))
            }
        }
    }

    /// Divides GMEM; `None` stands for an attachment that is not kept in it.
    pub fn allocate(&self, attachments: &[Option<Cpp>], layout: GmemLayout) -> Allocation {
        let align = self.bin_align;
        let block = 8 * align.pixels().max(1);
        let planes = || attachments.iter().flatten().flat_map(|a| core::iter::once(a.main).chain(a.stencil));
        let total_cpp = planes().fold(0, u64::saturating_add);
        let mut width = align.width;
        let mut shift = 3u32;
        for attachment in attachments.iter().flatten() {
            // A byte per pixel makes the bins wider, so that each plane still has a whole number of blocks.
            let one_byte = attachment.main == 1 || attachment.stencil == Some(1);
            if one_byte && width % 64 != 0 {
                width = width.saturating_mul(2);
                shift = shift.saturating_sub(1);
            }
        }
        let mut allocation = Allocation {
            bin_align: Extent2D::new(width, align.height),
            pixels: 0,
            min_cpp: planes().min().unwrap_or(0),
            total_cpp,
            offsets: alloc::vec![0; attachments.len()],
        };
        if total_cpp == 0 {
            allocation.pixels = 1 << 20;
            return allocation;
        }
        let (mut blocks, mut left) = (self.usable(layout) / block, total_cpp);
        let (mut offset, mut pixels) = (0, u64::MAX);
        let mut possible = true;
        for (index, attachment) in attachments.iter().enumerate() {
            let Some(Cpp { main, stencil }) = *attachment else { continue };
            allocation.offsets[index] = offset;
            let unit = (main >> shift).max(1);
            let share = blocks.saturating_mul(main) / left.max(1);
            let mut take = (share & !(unit - 1)).max(unit);
            for (plane, cpp) in core::iter::once(main).chain(stencil).enumerate() {
                if plane == 1 {
                    take = blocks.saturating_mul(cpp) / left.max(1);
                }
                if take > blocks {
                    possible = false;
                    break;
                }
                blocks -= take;
                left = left.saturating_sub(cpp);
                offset += take * block;
                pixels = pixels.min(take.saturating_mul(block) / cpp.max(1));
            }
            if !possible {
                break;
            }
        }
        allocation.pixels = if possible { pixels } else { 0 };
        allocation
    }

    /// Width and height that bins are multiples of, for so many layers or views.
    fn steps(allocation: &Allocation, layers: u64) -> (u64, u64) {
        let step = u64::from(allocation.bin_align.width.max(1));
        let mut align = u64::from(allocation.bin_align.height.max(1));
        let line = align.saturating_mul(step).saturating_mul(allocation.min_cpp);
        // Every layer starts at a multiple of 4 KiB.
        if layers > 1 && line != 0 && line % 4096 != 0 {
            align <<= 12 - line.trailing_zeros();
        }
        (step, align)
    }

    /// Whether [`Self::bins`] has an answer: it has if the narrowest bin fits, which may be the highest.
    pub fn has_bins(&self, allocation: &Allocation, framebuffer: Extent2D, layers: u64) -> bool {
        let (step, align) = Self::steps(allocation, layers.max(1));
        let room = (allocation.pixels / step.saturating_mul(layers.max(1))).min(u64::from(self.bin_max.height));
        framebuffer.pixels() > 0 && step <= u64::from(self.bin_max.width) && room >= align
    }

    /// Divides a framebuffer of this size and number of layers or views; `None` where no bin fits.
    pub fn bins(&self, allocation: &Allocation, framebuffer: Extent2D, layers: u64) -> Option<Bins> {
        if !self.has_bins(allocation, framebuffer, layers) {
            return None;
        }
        let (width, height) = (u64::from(framebuffer.width), u64::from(framebuffer.height));
        let layers = layers.max(1);
        let (step, align) = Self::steps(allocation, layers);
        let max_width = u64::from(self.bin_max.width).min(round_up(width, step));
        let max_height = u64::from(self.bin_max.height).min(round_up(height, align));
        // Fewest bins first, then the squarest.
        let mut best = (u64::MAX, u64::MAX);
        let mut chosen = None;
        let mut w = step;
        while w <= max_width {
            let room = allocation.pixels / w.saturating_mul(layers);
            let h = room.min(max_height) / align * align;
            if h > 0 {
                let (across, down) = (width.div_ceil(w), height.div_ceil(h));
                let count = across.saturating_mul(down);
                if count <= best.0 {
                    let h = round_up(height.div_ceil(down), align);
                    let rank = (count, w.abs_diff(h));
                    if rank < best {
                        (best, chosen) = (rank, Some(((w, h), (across, down))));
                    }
                }
            }
            w += step;
        }
        let extent = |(x, y): (u64, u64)| Some(Extent2D::new(x.try_into().ok()?, y.try_into().ok()?));
        let (size, count) = chosen?;
        Some(Bins { size: extent(size)?, count: extent(count)? })
    }

    /// Divides bins among the visibility pipes: a pipe grows downwards and to the right in turn until there are enough pipes.
    pub fn pipes(&self, bins: Extent2D) -> Pipes {
        let grown = |steps: u64| {
            let side = |grown: u64| u32::try_from(grown + 1).unwrap_or(u32::MAX);
            let size = Extent2D::new(side(steps / 2), side(steps.div_ceil(2)));
            (size, Extent2D::new(bins.width.div_ceil(size.width), bins.height.div_ceil(size.height)))
        };
        // A pipe that has grown more needs no more of them, so the first size that does is found by halves.
        let (mut short, mut enough) = (0, 2 * u64::from(bins.width.max(bins.height)));
        while short < enough {
            let steps = short + (enough - short) / 2;
            if grown(steps).1.pixels() > self.vsc_pipes.max(1) { short = steps + 1 } else { enough = steps }
        }
        let (size, count) = grown(enough);
        let binning_possible = size.pixels() <= 32;
        Pipes { size, count, binning_possible, binning: binning_possible && bins.pixels() > 2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A650: Hardware = Hardware {
        gmem: 1_179_648,
        bin_align: Extent2D::new(96, 16),
        bin_max: Extent2D::new(1024, 1008),
        ccus: 3,
        ccu_color_cache: 65536,
        ccu_gmem_shift: 2,
        vsc_pipes: 32,
        vpc_attributes: 0,
        generic_clear: false,
    };

    #[test]
    fn every_pixel_is_in_a_bin_and_every_bin_fits_gmem() {
        let attachments = [Some(Cpp { main: 4, stencil: None }), Some(Cpp { main: 4, stencil: Some(1) })];
        for layout in [GmemLayout::Full, GmemLayout::AvoidCcu] {
            let allocation = A650.allocate(&attachments, layout);
            let bins = A650.bins(&allocation, Extent2D::new(2220, 1080), 1).unwrap();
            assert!(bins.size.pixels() * 9 <= A650.usable(layout));
            assert!(u64::from(bins.size.width) * u64::from(bins.count.width) >= 2220);
            assert!(u64::from(bins.size.height) * u64::from(bins.count.height) >= 1080);
        }
    }

    #[test]
    fn more_bytes_per_pixel_than_gmem_holds_make_binning_impossible() {
        let huge = [Some(Cpp { main: u64::MAX, stencil: None }); 2];
        assert_eq!(A650.allocate(&huge, GmemLayout::Full).pixels, 0);
        assert_eq!(A650.allocate(&[], GmemLayout::Full).pixels, 1 << 20);
    }

    #[test]
    fn absurd_framebuffers_have_an_answer() {
        let allocation = A650.allocate(&[Some(Cpp { main: 4, stencil: None })], GmemLayout::Full);
        for extent in [Extent2D::new(0, 5), Extent2D::new(u32::MAX, u32::MAX)] {
            for layers in [1, 6, u64::from(u32::MAX)] {
                let bins = A650.bins(&allocation, extent, layers);
                assert_eq!(bins.is_some(), A650.has_bins(&allocation, extent, layers));
                if let Some(bins) = bins {
                    A650.pipes(bins.count);
                }
            }
        }
        assert!(A650.bins(&allocation, Extent2D::new(u32::MAX, u32::MAX), 1).is_some());
    }
}
