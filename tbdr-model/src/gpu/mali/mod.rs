//! Arm Mali: square tiles whose area follows from the colour and depth that a pixel needs on chip.
//!
//! The same hardware runs under three drivers: Arm's own, by its documents; Mesa's panvk as of 25.0.7, which merges nothing and
//! stores everything; and later panvk, which merges. A [`Policy`] says which decisions a profile takes; `tile`, `merge`,
//! `panvk`, `operations` and `compression` take them.

mod compression;
pub mod hierarchy;
mod merge;
mod operations;
mod panvk;
mod tile;

pub use panvk::{Limits, grouping as panvk_grouping};
pub use tile::{Hardware, Tile, is_blendable, shape, tile_buffer_bytes};

use super::{AttachmentRules, Choices, DataError, Figures, Grouping, MergeStatus, OverBudget, Plan, Tiler};
use crate::format::{self, Numeric};
use crate::frame::Subpass;
use crate::model::{Attachments, Movement, PassView, Walk};
use crate::report;
use crate::units::Extent2D;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// What a driver makes of the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// What limits a tile.
    pub tiles: TileRule,
    /// Which subpasses share a tile pass.
    pub merging: Merging,
    /// Whose loads and stores.
    pub transfers: Transfers,
    /// Whether everything is stored, whatever storeOp says.
    pub stores_everything: bool,
    /// Unless the render area is a multiple of this, every attachment is loaded first; [1, 1] where that never happens.
    pub preload_alignment: Extent2D,
    /// Whose AFBC.
    pub compression: Afbc,
    /// Which multisampled formats blend at less than full rate.
    pub slow_blending: SlowBlending,
}

/// Which multisampled formats blend at less than full rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowBlending {
    /// Those of floating-point numbers.
    Float,
    /// Not known.
    Unknown,
}

/// What limits a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileRule {
    /// The colour and the depth buffer (Mesa main).
    ColorAndDepth,
    /// The colour buffer alone (Mesa 25.0.7).
    Color,
}

/// Which subpasses share a tile pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// By Arm's documented rules.
    Arm,
    /// By the rules of later panvk, with this many colour attachments.
    Panvk,
    /// None.
    Never,
}

/// Whose loads and stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfers {
    /// Arm's documented ones.
    Arm,
    /// panvk's: resolves are rendering of their own, tiles without geometry are left alone.
    Panvk,
}

/// What is known of a driver's use of AFBC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Afbc {
    /// Arm's documented conditions.
    Arm,
    /// Off unless a debugging variable turns it on.
    Off,
    /// Not known.
    Unknown,
}

/// A Mali GPU.
#[derive(Clone, Debug)]
pub struct Mali {
    /// Its hardware.
    pub hardware: Hardware,
    /// Its driver.
    pub policy: Policy,
    over_budget: OverBudget,
    rules: AttachmentRules,
}

/// What is said of a tile pass that does not fit at all: no driver lets it come to that.
pub const TOO_LARGE: &str = "more bytes per pixel than the smallest tile can hold";

/// Colour attachments of a tile pass under panvk.
const PANVK_COLOR_ATTACHMENTS: usize = 8;

/// Reads a profile.
pub(super) fn read(figures: &Figures<'_>) -> Result<Arc<dyn Tiler>, DataError> {
    let buffer = |key| figures.power_of_two(key, "bytes", 1024..=1 << 20);
    let hardware = Hardware {
        architecture: figures.integer_in("architecture", "generation", 4..=13)?,
        color_buffer: buffer("color_buffer")?,
        depth_buffer: buffer("depth_buffer")?,
        merge_bits: figures.integer_in("merge_bits", "bits", 32..=8192)?,
    };
    let policy = Policy {
        tiles: figures.word(
            "tile_rule",
            "rule",
            &[("color-and-depth", TileRule::ColorAndDepth), ("color", TileRule::Color)],
        )?,
        merging: figures.word(
            "merging",
            "rule",
            &[("arm", Merging::Arm), ("panvk", Merging::Panvk), ("never", Merging::Never)],
        )?,
        transfers: figures.word("transfers", "rule", &[("arm", Transfers::Arm), ("panvk", Transfers::Panvk)])?,
        stores_everything: figures.flag("stores_everything", "rule")?,
        preload_alignment: figures.pair_in("preload_alignment", "pixels", 1..=1024)?.into(),
        compression: figures.word(
            "afbc",
            "rule",
            &[("arm", Afbc::Arm), ("off", Afbc::Off), ("unknown", Afbc::Unknown)],
        )?,
        slow_blending: figures.word(
            "multisampled_blend_slow",
            "rule",
            &[("float", SlowBlending::Float), ("unknown", SlowBlending::Unknown)],
        )?,
    };
    let over_budget = OverBudget::default();
    Ok(Arc::new(Mali { hardware, policy, over_budget, rules: AttachmentRules::read(figures)? }))
}

/// What a tile pass asks of the tile buffer.
struct Demand {
    /// Bytes per pixel of each colour slot: those of a lone subpass as they are, unused ones included; of several subpasses each attachment
    /// once. `None` if a format is unknown.
    slots: Option<Vec<Option<u64>>>,
    /// Samples per pixel.
    samples: u32,
}

impl Demand {
    /// That of the subpasses `group`: no driver has a say in it.
    fn of(view: &PassView<'_>, group: &[usize]) -> Arc<Self> {
        struct Group(Vec<usize>);
        view.shape().known(|known: &Group| known.0 == group).unwrap_or_else(|| {
            let members: Vec<&Subpass> = group.iter().filter_map(|s| view.pass.subpasses.get(*s)).collect();
            let samples = members.iter().map(|s| view.samples(s)).max().unwrap_or(1);
            view.shape().keep(|| Group(group.to_vec()), Arc::new(Self { slots: slots(view, &members), samples }))
        })
    }
}

fn slots(view: &PassView<'_>, members: &[&Subpass]) -> Option<Vec<Option<u64>>> {
    let [single] = members else { return Some(merge::color_bytes(view, members)?.into_iter().map(Some).collect()) };
    let bytes = |index: u32| {
        let samples = u64::from(view.samples_on_chip(index));
        Some(tile_buffer_bytes(view.format(index)?).saturating_mul(samples))
    };
    single.color.iter().map(|slot| slot.map_or(Some(None), |used| bytes(used.attachment).map(Some))).collect()
}

impl Mali {
    /// Whether the driver loads every attachment because of the render area.
    fn preloads_everything(&self, view: &PassView<'_>) -> bool {
        let [(x1, y1), (x2, y2)] = view.area_corners();
        let step = self.policy.preload_alignment;
        let aligned = |start: u64, end: u64, step: u32, limit: u32| {
            let step = u64::from(step.max(1));
            start % step == 0 && (end % step == 0 || end == u64::from(limit))
        };
        let extent = view.pass.extent;
        !(aligned(x1, x2, step.width, extent.width) && aligned(y1, y2, step.height, extent.height))
    }
}

impl Tiler for Mali {
    fn grouping(&self, view: &PassView<'_>) -> Arc<Grouping> {
        match self.policy.merging {
            Merging::Arm => merge::grouping(self.hardware, self.over_budget, view),
            Merging::Panvk => {
                let budget = self.hardware.budget(self.hardware.color_buffer);
                let limits = Limits { budget, color_attachments: PANVK_COLOR_ATTACHMENTS };
                view.shape().by(limits, |limits| Arc::new(panvk::grouping(*limits, view)))
            }
            Merging::Never => {
                let note = "the driver never merges: each subpass is a render pass of its own";
                Grouping::apart(view, MergeStatus::Unspecified, note)
            }
        }
    }

    fn merges(&self) -> bool {
        self.policy.merging != Merging::Never
    }

    fn plan(&self, view: &PassView<'_>, group: &[usize]) -> Plan {
        let full = shape(self.hardware.full_tile());
        let mut plan = Plan {
            budget_bits_per_pixel: Some(self.hardware.budget_bits_per_pixel()),
            granularity: full,
            ..Plan::default()
        };
        let demand = Demand::of(view, group);
        let Demand { slots: Some(slots), samples } = &*demand else {
            plan.notes.push("tile size unknown: the format of a colour attachment is unknown".into());
            return plan;
        };
        let tile = match self.policy.tiles {
            TileRule::ColorAndDepth => self.hardware.tile(slots, *samples),
            TileRule::Color => self.hardware.tile_by_color(slots),
        };
        let extent = shape(tile.pixels);
        plan.tile = Some(extent);
        plan.tiles = Some(view.tiles(extent));
        plan.granularity = extent;
        plan.bits_per_pixel = Some(tile.bytes_per_pixel.saturating_mul(8));
        if tile.pixels < self.hardware.full_tile() {
            let why = if tile.limited_by_depth {
                format!("{samples} depth samples per pixel")
            } else {
                format!("{} colour bits per pixel", tile.bytes_per_pixel.saturating_mul(8))
            };
            let (small, large) = ((extent.width, extent.height), (full.width, full.height));
            let note = format!("tile of {}x{} instead of {}x{}: {why}", small.0, small.1, large.0, large.1);
            plan.notes.push(note.into());
        }
        if !tile.pipelined {
            plan.notes.push("one tile at a time: the tile buffer has no room for a second one".into());
        }
        if tile.overflows {
            plan.notes.push(TOO_LARGE.into());
        }
        if self.preloads_everything(view) {
            let Extent2D { width, height } = self.policy.preload_alignment;
            let note = format!("the render area is no multiple of {width}x{height}: every attachment is loaded first");
            plan.notes.push(note.into());
        }
        plan
    }

    fn rules(&self) -> AttachmentRules {
        self.rules
    }

    fn operations(&self, walk: &Walk<'_>) -> Arc<[Movement]> {
        let rules = self.rules;
        match self.policy.transfers {
            Transfers::Arm => walk.by(operations::Arm { rules }, |arm| arm.movements(walk)),
            Transfers::Panvk => {
                let (stores_everything, preloads) =
                    (self.policy.stores_everything, self.preloads_everything(walk.view));
                walk.by(operations::Panvk { rules, stores_everything, preloads }, |panvk| panvk.movements(walk))
            }
        }
    }

    fn loads_beside(&self, view: &PassView<'_>) -> Option<Extent2D> {
        let panvk = self.policy.transfers == Transfers::Panvk;
        (panvk && self.preloads_everything(view)).then_some(self.policy.preload_alignment)
    }

    fn compression(&self, attachments: &Attachments<'_>) -> Arc<[report::Compression]> {
        compression::facts(self.policy.compression, self.hardware.architecture, attachments)
    }

    fn blends_samples_slowly(&self, format: &format::Info) -> bool {
        let float = |c: &format::Component| matches!(c.numeric, Numeric::Sfloat | Numeric::Ufloat);
        self.policy.slow_blending == SlowBlending::Float && format.components.iter().any(float)
    }

    fn choosing(&self, choices: &Choices) -> Option<Arc<dyn Tiler>> {
        let over_budget = choices.over_budget;
        (self.policy.merging == Merging::Arm && self.over_budget != over_budget)
            .then(|| Arc::new(Self { over_budget, ..self.clone() }) as Arc<dyn Tiler>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Pass;
    use crate::gpu::builtin;
    use crate::units::Rect2D;

    #[test]
    fn panvk_loads_everything_unless_the_area_is_aligned_or_reaches_the_edge() {
        let profile = builtin().into_iter().find(|p| p.id == "mali-g610-panvk-25.0").unwrap();
        let noted = |area: [i64; 4]| {
            let mut pass = Pass { render_area: Rect2D::from(area), extent: Extent2D::new(100, 100), ..Pass::default() };
            pass.subpasses.push(Subpass::default());
            profile.tiler.plan(&PassView::new(&pass, &[]), &[0]).notes.iter().any(|n| n.contains("loaded first"))
        };
        assert!(!noted([0, 0, 100, 100]) && !noted([32, 64, 32, 36]));
        assert!(noted([0, 0, 99, 100]) && noted([16, 0, 84, 100]));
    }
}
