//! Imagination PowerVR Rogue under Mesa's pvr: subpasses are put into hardware renders while output registers last.
//!
//! Decisions as in Mesa 25.0.7, src/imagination/vulkan: accumulation formats in `format`, tiles in `tile`, colour storage in
//! `storage`, the building of renders in `schedule`, `join` and `close`, and what follows for memory in `traffic`.

mod close;
mod format;
mod join;
mod render;
mod schedule;
mod storage;
mod tile;
mod traffic;

pub use format::{accumulation_bytes, dwords, is_downscalable};
pub use join::MOST_OUTPUTS;
pub use render::{Access, Render, Resolve, Slot, Store};
pub use schedule::{Schedule, schedule};
pub use storage::{MOST_REGISTERS, Place, Room};
pub use tile::Tiling;

use super::{AttachmentRules, DataError, Figures, Grouping, MergeStatus, Plan, Tiler, Verdict};
use crate::model::{Movement, PassView, Walk};
use alloc::format as text;
use alloc::sync::Arc;

/// Facts of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hardware {
    /// Tiles.
    pub tiling: Tiling,
    /// Colour storage.
    pub room: Room,
    /// Bytes of a tile buffer in memory.
    pub tile_buffer_bytes: u64,
}

/// A PowerVR GPU.
#[derive(Clone, Debug)]
pub struct PowerVr {
    /// Its hardware.
    pub hardware: Hardware,
    rules: AttachmentRules,
}

/// Reads a profile.
pub(super) fn read(figures: &Figures<'_>) -> Result<Arc<dyn Tiler>, DataError> {
    let tiling = Tiling {
        size: figures.pair_in("tile", "samples", 1..=256)?.into(),
        isp_samples: figures.integer_in("isp_samples", "samples per pixel", 1..=8)?,
        pairs: figures.integer_in("simple_parameter_format", "version", 0..=2)? == 2,
    };
    let room = Room {
        registers: figures.integer_in("output_registers", "dwords per sample", 1..=u64::from(MOST_REGISTERS))? as u32,
        tile_buffers: figures.integer_in("tile_buffers", "buffers", 0..=64)? as u32,
        even: figures.flag("even_registers", "flag")?,
    };
    let partitions = figures.integer_in("max_partitions", "partitions", 1..=1024)?;
    let partition_dwords = if tiling.size == [16, 16].into() {
        figures.integer_in("min_output_registers", "dwords per sample", 1..=64)?.saturating_mul(tiling.size.pixels())
    } else {
        1024
    };
    let clusters = figures.integer_in("clusters", "units", 1..=1024)?.next_power_of_two();
    let units = clusters.saturating_mul(figures.integer_in("cores", "units", 1..=64)?);
    let tile_buffer_bytes = partitions.saturating_mul(partition_dwords).saturating_mul(4).saturating_mul(units);
    let hardware = Hardware { tiling, room, tile_buffer_bytes };
    Ok(Arc::new(PowerVr { hardware, rules: AttachmentRules::read(figures)? }))
}

/// The schedule of a pass, recalled where another core has as much room.
fn known_schedule(room: Room, view: &PassView<'_>) -> Arc<Schedule> {
    view.shape().again(room, |room| Arc::new(schedule(*room, view)))
}

/// The render that runs these subpasses.
fn render_of<'a>(schedule: &'a Schedule, group: &[usize]) -> Option<&'a Render> {
    schedule.renders.iter().find(|render| render.slots.iter().map(|slot| slot.subpass).eq(group.iter().copied()))
}

impl PowerVr {
    /// How one of the renders of a schedule runs.
    fn plan_of(&self, view: &PassView<'_>, schedule: &Schedule, group: &[usize]) -> Plan {
        let Hardware { tiling, room, tile_buffer_bytes } = self.hardware;
        let members = || group.iter().filter_map(|s| view.pass.subpasses.get(*s));
        let samples = members().map(|s| view.samples(s)).max().unwrap_or(1);
        let tile = tiling.pixels_per_tile(samples);
        let mut plan = Plan {
            tile: Some(tile),
            tiles: Some(tiling.tiles(view.pass.extent, samples).pixels()),
            budget_bits_per_pixel: Some(u64::from(room.registers) * 32),
            granularity: tile,
            ..Plan::default()
        };
        let full = tiling.size;
        if tile != full {
            let note = text!(
                "tile of {}x{} instead of {}x{}: {samples} samples per pixel",
                tile.width,
                tile.height,
                full.width,
                full.height
            );
            plan.notes.push(note.into());
        }
        let unknown = |a: u32| view.format(a).and_then(dwords).is_none();
        if members().flat_map(|s| s.color.iter().flatten()).any(|used| unknown(used.attachment)) {
            plan.notes.push("colour storage unknown: a colour attachment has a format that is not rendered to".into());
            return plan;
        }
        let Some(render) = render_of(schedule, group) else { return plan };
        plan.bits_per_pixel = Some(u64::from(render.dwords) * 32);
        if render.tile_buffers > 0 {
            let note = text!(
                "{} dwords of colour storage, {} are on chip: {} tile buffer(s) of {tile_buffer_bytes} bytes in memory",
                render.dwords,
                room.registers,
                render.tile_buffers
            );
            plan.notes.push(note.into());
        }
        if render.slots.iter().any(|slot| slot.copies_depth) {
            plan.notes.push("depth is read as input attachment: it is copied to colour storage".into());
        }
        if render.overflows {
            plan.notes.push("more colour than output registers and tile buffers can hold".into());
        }
        let earlier = schedule.renders.iter().take_while(|r| !core::ptr::eq(*r, render)).flat_map(|r| &r.slots);
        if earlier.map(|slot| slot.subpass).max() > group.iter().copied().min() {
            plan.notes.push("a subpass runs before one that was recorded earlier: its dependencies allow it".into());
        }
        plan
    }
}

impl Tiler for PowerVr {
    fn grouping(&self, view: &PassView<'_>) -> Arc<Grouping> {
        if view.pass.subpasses.len() <= 1 {
            return Grouping::apart(view, MergeStatus::SingleSubpass, "");
        }
        view.shape().by(self.hardware.room, |room| {
            let schedule = known_schedule(*room, view);
            let verdict = |why: &Option<Verdict>| why.clone().unwrap_or_else(Verdict::merged);
            Arc::new(Grouping {
                groups: schedule.renders.iter().map(|r| r.slots.iter().map(|slot| slot.subpass).collect()).collect(),
                verdicts: schedule.refusals.iter().map(verdict).collect(),
                ..Grouping::default()
            })
        })
    }

    fn plan(&self, view: &PassView<'_>, group: &[usize]) -> Plan {
        self.plan_of(view, &known_schedule(self.hardware.room, view), group)
    }

    fn rules(&self) -> AttachmentRules {
        self.rules
    }

    fn operations(&self, walk: &Walk<'_>) -> Arc<[Movement]> {
        walk.by(self.hardware.room, |room| traffic::movements(&known_schedule(*room, walk.view), walk))
    }

    fn not_modelled(&self) -> &'static [&'static str] {
        &["PowerVR: how often draws that blend read a tile buffer, and what caches keep of one"]
    }
}
