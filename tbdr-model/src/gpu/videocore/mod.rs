//! Broadcom VideoCore VI and VII (Raspberry Pi 4 and 5) under v3dv: a job per set of attachments, whole tiles moved.
//!
//! Decisions as in Mesa 25.0.7, src/broadcom: tile sizes and internal formats in `tile`, jobs and their operations in `jobs`.

mod jobs;
mod tile;

pub use jobs::{JobOperation, Resolve, is_tile_aligned, operations};
pub use tile::{Hardware, Internal, SIZES, Tile, internal, supertile, tiles};

use super::{AttachmentRules, DataError, Edge, Figures, Grouping, Plan, Tiler};
use crate::frame::LoadOp;
use crate::model::{Movement, PassView, Walk};
use crate::units::Extent2D;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A VideoCore GPU.
#[derive(Clone, Debug)]
pub struct VideoCore {
    /// Its hardware.
    pub hardware: Hardware,
    /// Whether a clear of one half of D24S8 beside a load of the other has to be a draw (defect GFXH-1461).
    pub clears_half_by_draw: bool,
    rules: AttachmentRules,
}

/// Reads a profile.
pub(super) fn read(figures: &Figures<'_>) -> Result<Arc<dyn Tiler>, DataError> {
    let hardware = match figures.text("tile_rule", "rule")? {
        "table" => Hardware::Table,
        "budget" => Hardware::Budget {
            color: figures.power_of_two("color_buffer", "bytes", 1024..=1 << 20)?,
            depth: figures.power_of_two("depth_buffer", "bytes", 1024..=1 << 20)?,
        },
        _ => return Err(figures.refuse("tile_rule", "write \"table\" or \"budget\"")),
    };
    let clears_half_by_draw = figures.flag("clears_half_by_draw", "flag")?;
    Ok(Arc::new(VideoCore { hardware, clears_half_by_draw, rules: AttachmentRules::read(figures)? }))
}

impl VideoCore {
    /// Remarks on a job of the subpasses `group`.
    fn remarks(&self, view: &PassView<'_>, group: &[usize], plan: &mut Plan) {
        let subpasses = || group.iter().filter_map(|s| view.pass.subpasses.get(*s));
        if !is_tile_aligned(view.pass, plan.granularity) {
            let (w, h) = (plan.granularity.width, plan.granularity.height);
            let note = format!(
                "the render area is not a multiple of the tile of {w}x{h}: what is stored is loaded first, clears are draws"
            );
            plan.notes.push(note.into());
        }
        let half = |a: u32| {
            let Some((attachment, format)) = view.attachment(a).zip(view.format(a)) else { return false };
            let ops = [attachment.load, attachment.stencil_load];
            format.packs_depth_stencil() && ops.contains(&LoadOp::Clear) && ops.contains(&LoadOp::Load)
        };
        if self.clears_half_by_draw && subpasses().flat_map(|s| s.depth.or(s.stencil)).any(|u| half(u.attachment)) {
            plan.notes.push("a clear of depth or stencil beside a load of the other is a draw".into());
        }
        if subpasses().any(|s| !s.barriers.is_empty()) {
            plan.notes.push(
                "a barrier inside the subpass ends the job; loads and stores of the parts are not counted".into(),
            );
        }
    }
}

impl Tiler for VideoCore {
    fn grouping(&self, view: &PassView<'_>) -> Arc<Grouping> {
        #[derive(PartialEq)]
        struct Jobs;
        view.shape().by(Jobs, |_| Arc::new(jobs::grouping(view)))
    }

    fn plan(&self, view: &PassView<'_>, group: &[usize]) -> Plan {
        let full = SIZES[0];
        let mut plan = Plan {
            budget_bits_per_pixel: self.hardware.budget_bits_per_pixel(),
            granularity: full,
            edge: Edge::Padded,
            ..Plan::default()
        };
        // All subpasses of a job have the same attachments.
        let Some(subpass) = group.first().and_then(|s| view.pass.subpasses.get(*s)) else { return plan };
        let mut slots = Vec::new();
        for slot in &subpass.color {
            let bits = slot.map(|used| view.format(used.attachment).and_then(internal).map(|i| i.bits));
            if bits == Some(None) {
                plan.notes.push("tile size unknown: a colour attachment has a format that is not rendered to".into());
                return plan;
            }
            slots.push(bits.flatten());
        }
        let multisampled = view.samples(subpass) > 1;
        let tile = self.hardware.tile(&slots, multisampled, false);
        let samples = if multisampled { 4 } else { 1 };
        let bits = slots.iter().flatten().fold(0u64, |sum, bits| sum.saturating_add(u64::from(*bits))) * samples;
        plan.tile = Some(tile.size);
        plan.tiles = Some(view.tiles(tile.size));
        plan.granularity = tile.size;
        plan.bits_per_pixel = Some(bits);
        if tile.size != full {
            let (w, h) = (tile.size.width, tile.size.height);
            let why = match self.hardware {
                Hardware::Table => format!(
                    "{} colour slots, {} samples, at most {} bits per sample",
                    slots.len(),
                    samples,
                    slots.iter().flatten().max().unwrap_or(&32)
                ),
                Hardware::Budget { .. } => format!("{bits} colour bits and {samples} depth samples per pixel"),
            };
            let note = format!("tile of {w}x{h} instead of {}x{}: {why}", full.width, full.height);
            plan.notes.push(note.into());
        }
        if tile.overflows {
            plan.notes.push("more bytes per pixel than the smallest tile can hold".into());
        }
        self.remarks(view, group, &mut plan);
        plan
    }

    fn rules(&self) -> AttachmentRules {
        self.rules
    }

    fn operations(&self, walk: &Walk<'_>) -> Arc<[Movement]> {
        /// Whether the render area covers whole tiles of each job.
        #[derive(PartialEq)]
        struct Aligned(Vec<bool>);
        let aligned = |plan: &Plan| is_tile_aligned(walk.view.pass, plan.granularity);
        walk.by(Aligned(walk.plans.iter().map(aligned).collect()), |_| jobs::movements(walk))
    }

    fn loads_beside(&self, view: &PassView<'_>) -> Option<Extent2D> {
        // Jobs of one pass may have tiles of different sizes: the largest suits all, since each side is a power of two.
        let tiles = (0..view.pass.subpasses.len()).map(|subpass| self.plan(view, &[subpass]).granularity);
        let around =
            |one: Extent2D, other: Extent2D| Extent2D::new(one.width.max(other.width), one.height.max(other.height));
        tiles.reduce(around).filter(|tile| !is_tile_aligned(view.pass, *tile))
    }

    fn not_modelled(&self) -> &'static [&'static str] {
        &[
            "VideoCore: jobs that a barrier, a query or a full command list splits inside a subpass",
            "VideoCore: supertiles, in which a render area smaller than the framebuffer is rendered",
        ]
    }
}
