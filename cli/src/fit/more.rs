//! What would still fit, found by trying: further 32-bit colour attachments are added to the pass until something gives way.

use super::attachment::Spec as Attached;
use super::pass::Request;
use super::subpass::Spec as Subspec;
use super::{COLORS, evaluate};
use serde::Serialize;
use std::collections::BTreeMap;
use tbdr_model::format;
use tbdr_model::gpu::Profile;
use tbdr_model::gpu::mali::TOO_LARGE;
use tbdr_model::report::{Basis, TilePass};
use tbdr_model::units::Extent2D;

/// The format that is tried.
const FORMAT: &str = "R8G8B8A8_UNORM";

/// How many further attachments fit. Each number is at most `tried`; what is `None` has no meaning for the GPU or the pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct More {
    /// Format of the attachments, which are cleared and not stored.
    pub format: &'static str,
    /// How many were tried: as many as make eight colour attachments.
    pub tried: usize,
    /// With the largest tile of the GPU; `None` where no tile is the largest.
    pub full_tile: Option<usize>,
    /// With as few tiles as now; `None` in immediate mode.
    pub same_tiles: Option<usize>,
    /// With everything on chip that is now, in as few tile passes as now; `None` in immediate mode.
    pub on_chip: Option<usize>,
}

/// How a GPU runs a pass, as far as a further attachment may spoil it.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    immediate: bool,
    passes: usize,
    /// Most tiles of a tile pass.
    tiles: u64,
    /// Pixels of the smallest tile.
    tile: u64,
    /// Movements of what found no room on chip.
    off_chip: usize,
    /// A tile pass is too large for any tile.
    too_large: bool,
}

impl Outcome {
    fn of(passes: &[TilePass]) -> Self {
        let tile = |pass: &TilePass| pass.tile.map_or(0, Extent2D::pixels);
        let off_chip = |pass: &TilePass| {
            let lost = |cause: &str| matches!(cause, "in_memory" | "tile_buffer");
            pass.entries.iter().filter(|e| e.basis == Basis::Undecided || lost(&e.cause)).count()
        };
        Self {
            immediate: passes.iter().any(|pass| pass.tile.is_none()),
            passes: passes.len(),
            tiles: passes.iter().filter_map(|pass| pass.tiles).max().unwrap_or(0),
            tile: passes.iter().map(tile).min().unwrap_or(0),
            off_chip: passes.iter().map(off_chip).sum(),
            too_large: passes.iter().flat_map(|pass| &pass.notes).any(|note| note == TOO_LARGE),
        }
    }

    fn stays_on_chip(&self, before: &Self) -> bool {
        !self.immediate && !self.too_large && self.passes <= before.passes && self.off_chip <= before.off_chip
    }
}

/// What would still fit, by GPU id.
pub fn more(profiles: &[Profile], request: &Request) -> BTreeMap<String, More> {
    let before = outcomes(profiles, request);
    let full = full_tiles(profiles);
    let tried = COLORS.saturating_sub(request.subpasses.get(place(request)).map_or(0, |s| s.color.len()));
    let mut found: BTreeMap<String, More> = BTreeMap::new();
    for (id, outcome) in &before {
        let zero = (!outcome.immediate).then_some(0);
        let full_tile = zero.filter(|_| full.contains_key(id));
        let more = More { format: FORMAT, tried, full_tile, same_tiles: zero, on_chip: zero };
        found.insert(id.clone(), more);
    }
    for count in 1..=tried {
        for (id, after) in outcomes(profiles, &with(request, count)) {
            let (Some(before), Some(more)) = (before.get(&id), found.get_mut(&id)) else { continue };
            // One that gave way stays given way: a larger pass that fits by chance promises nothing.
            let reach = |reached: &mut Option<usize>, fits: bool| {
                if fits && *reached == Some(count - 1) {
                    *reached = Some(count);
                }
            };
            let on_chip = after.stays_on_chip(before);
            let same_tiles = on_chip && after.tiles <= before.tiles;
            reach(&mut more.on_chip, on_chip);
            reach(&mut more.same_tiles, same_tiles);
            reach(&mut more.full_tile, on_chip && full.get(&id).is_some_and(|full| after.tile >= *full));
        }
    }
    found
}

fn outcomes(profiles: &[Profile], request: &Request) -> BTreeMap<String, Outcome> {
    let report = evaluate(profiles, request);
    let gpus = report.frames.into_iter().next().map(|frame| frame.gpus).unwrap_or_default();
    gpus.into_iter().map(|(id, gpu)| (id, Outcome::of(&gpu.passes))).collect()
}

/// Pixels of the largest tile of each GPU that has one: the tile of a pass with a single target, if the framebuffer has no say in it.
fn full_tiles(profiles: &[Profile]) -> BTreeMap<String, u64> {
    let Some(target) = target(1) else { return BTreeMap::new() };
    let single = |side: u32| Request {
        extent: Extent2D::new(side, side),
        layers: 1,
        attachments: vec![target.clone()],
        subpasses: vec![Subspec { color: vec![Some(0)], ..Subspec::default() }],
        settings: BTreeMap::new(),
    };
    let (small, large) = (outcomes(profiles, &single(64)), outcomes(profiles, &single(4096)));
    let same = |(id, outcome): (String, Outcome)| {
        let fixed = small.get(&id).is_some_and(|small| small.tile == outcome.tile);
        fixed.then_some((id, outcome.tile))
    };
    large.into_iter().filter_map(same).collect()
}

fn target(samples: u32) -> Option<Attached> {
    Some(Attached::dropped(format::by_name(FORMAT)?, samples))
}

/// The subpass that gets further attachments: the first that renders to colour.
fn place(request: &Request) -> usize {
    request.subpasses.iter().position(|s| !s.color.is_empty()).unwrap_or(0)
}

/// The pass with `count` more colour attachments, which later subpasses read if they read what their subpass renders to.
fn with(request: &Request, count: usize) -> Request {
    let mut larger = request.clone();
    let place = place(request);
    let Some(own) = request.subpasses.get(place) else { return larger };
    let written: Vec<u32> = own.written().collect();
    let samples = written.first().and_then(|index| request.attachments.get(*index as usize)).map_or(1, |a| a.samples);
    let Some(target) = target(samples) else { return larger };
    for _ in 0..count {
        let index = larger.attachments.len() as u32;
        larger.attachments.push(target.clone());
        for (at, subpass) in larger.subpasses.iter_mut().enumerate().skip(place) {
            if at == place {
                subpass.color.push(Some(index));
                if !subpass.resolve.is_empty() {
                    subpass.resolve.push(None);
                }
            } else if subpass.input.iter().flatten().any(|read| written.contains(read)) {
                subpass.input.push(Some(index));
            }
        }
    }
    larger
}
