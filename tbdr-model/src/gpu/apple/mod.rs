//! Apple: up to 32 KiB of tile memory per tile, shared by all colour targets. Depth and stencil have memory of their own.
//!
//! The layout of a sample is Mesa's (`layout`). Loads and stores are those that Metal documents, or those of Mesa's honeykrisp
//! (`honeykrisp`); neither merges subpasses.

mod compression;
mod honeykrisp;
mod layout;

pub use layout::{Hardware, Layout, tile_format};

use super::{AttachmentRules, DataError, Figures, Grouping, MergeStatus, Plan, Tiler};
use crate::frame::AttachmentUse;
use crate::model::{Attachments, Movement, PassView, Walk};
use crate::report;
use crate::units::Extent2D;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Whose loads and stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfers {
    /// As Metal documents them.
    Metal,
    /// Mesa's honeykrisp.
    Honeykrisp,
}

/// An Apple GPU.
#[derive(Clone, Debug)]
pub struct Apple {
    /// Its hardware.
    pub hardware: Hardware,
    /// Whether it compresses images without loss.
    pub lossless: bool,
    /// Its driver.
    pub transfers: Transfers,
    rules: AttachmentRules,
}

/// Reads a profile.
pub(super) fn read(figures: &Figures<'_>) -> Result<Arc<dyn Tiler>, DataError> {
    let side = |key| {
        let pair = figures.pair_in(key, "pixels", 1..=256)?;
        let whole = pair.iter().all(|side| side.is_power_of_two());
        if whole { Ok(Extent2D::from(pair)) } else { Err(figures.refuse(key, "write powers of two")) }
    };
    let hardware = Hardware {
        tile_bytes: figures.integer_in("tile_bytes", "bytes", 1024..=1 << 24)?,
        sample_bytes: figures.integer_in("sample_bytes", "bytes", 8..=4096)?,
        tile_max: side("tile_max")?,
        tile_min: side("tile_min")?,
    };
    if hardware.tile_min.width > hardware.tile_max.width || hardware.tile_min.height > hardware.tile_max.height {
        return Err(figures.refuse("tile_min", "write a tile that is not larger than `tile_max`"));
    }
    let transfers = [("metal", Transfers::Metal), ("honeykrisp", Transfers::Honeykrisp)];
    Ok(Arc::new(Apple {
        hardware,
        lossless: figures.flag("lossless", "flag")?,
        transfers: figures.word("transfers", "rule", &transfers)?,
        rules: AttachmentRules::read(figures)?,
    }))
}

impl Tiler for Apple {
    fn grouping(&self, view: &PassView<'_>) -> Arc<Grouping> {
        let note = "subpasses are never merged: each is a render pass of its own";
        Grouping::apart(view, MergeStatus::Unspecified, note)
    }

    fn merges(&self) -> bool {
        false
    }

    fn plan(&self, view: &PassView<'_>, group: &[usize]) -> Plan {
        /// Colour slots of this subpass as they are kept in tile memory.
        #[derive(PartialEq)]
        struct Slots(usize);
        let mut plan = Plan {
            budget_bits_per_pixel: Some(self.hardware.budget_bits_per_pixel()),
            granularity: self.hardware.tile_max,
            ..Plan::default()
        };
        let Some((index, subpass)) = group.first().and_then(|s| Some((*s, view.pass.subpasses.get(*s)?))) else {
            return plan;
        };
        let slots: Option<Arc<[_]>> = view.shape().by(Slots(index), |_| {
            let bytes = |index: u32| view.format(index).and_then(tile_format);
            let slot = |target: &Option<AttachmentUse>| target.map_or(Some(None), |t| bytes(t.attachment).map(Some));
            subpass.color.iter().map(slot).collect()
        });
        let Some(slots) = slots else {
            plan.notes.push("tile size unknown: the format of a colour attachment is unknown".into());
            return plan;
        };
        let samples = view.samples(subpass);
        let layout = self.hardware.lay_out(&slots, samples);
        let bits = layout.sample_size.saturating_mul(u64::from(samples)).saturating_mul(8);
        plan.tile = Some(layout.tile);
        plan.tiles = Some(view.tiles(layout.tile));
        plan.granularity = layout.tile;
        plan.bits_per_pixel = Some(bits);
        let full = self.hardware.tile_max;
        if layout.tile != full {
            let note = format!(
                "tile of {}x{} instead of {}x{}: {bits} colour bits per pixel",
                layout.tile.width, layout.tile.height, full.width, full.height
            );
            plan.notes.push(note.into());
        }
        if layout.total_bytes > self.hardware.tile_bytes {
            plan.notes.push("more bytes per pixel than the smallest tile can hold".into());
        }
        for (slot, target) in subpass.color.iter().enumerate() {
            if let (Some(target), Some(true)) = (target, layout.spilled.get(slot)) {
                plan.spilled.insert(target.attachment);
                let note = format!("color {slot} finds no room in tile memory: every access goes to memory");
                plan.notes.push(note.into());
            }
        }
        plan
    }

    fn rules(&self) -> AttachmentRules {
        self.rules
    }

    fn operations(&self, walk: &Walk<'_>) -> Arc<[Movement]> {
        /// honeykrisp's; of a render area that is incomplete or not.
        #[derive(PartialEq)]
        struct Honeykrisp(AttachmentRules, bool);
        match self.transfers {
            Transfers::Metal => walk.specified(self.rules),
            Transfers::Honeykrisp => {
                let honeykrisp = Honeykrisp(self.rules, honeykrisp::is_incomplete(walk.view));
                walk.by(honeykrisp, |Honeykrisp(rules, incomplete)| honeykrisp::operations(walk, *rules, *incomplete))
            }
        }
    }

    fn compression(&self, attachments: &Attachments<'_>) -> Arc<[report::Compression]> {
        /// Whether the GPU has the scheme, and which attachments' images are too small for it.
        #[derive(PartialEq)]
        struct Lossless(bool, Vec<bool>);
        let view = attachments.view;
        let small = |a| view.image(a).is_some_and(compression::is_small);
        let small = view.pass.attachments.iter().map(small).collect();
        attachments.by(Lossless(self.lossless, small), |index, _, facts| {
            facts.push(compression::fact(self.lossless, view, index));
        })
    }
}
