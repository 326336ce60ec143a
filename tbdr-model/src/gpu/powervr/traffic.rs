//! What hardware renders move: loads at first use, stores of what is still to be used, resolves, input attachments that are not
//! on chip, and the colour that found no output registers and lies in tile buffers.

use super::format::dwords;
use super::render::{Access, Render, Resolve, Slot};
use super::schedule::Schedule;
use super::storage::Place;
use crate::format::Info;
use crate::frame::{Aspects, LoadOp};
use crate::model::{AspectUses, Movement, Walk};
use crate::report::{Basis, Direction};
use alloc::vec::Vec;

/// The movements of the renders that the views of `walk` take part in.
pub fn movements(schedule: &Schedule, walk: &Walk<'_>) -> Vec<Movement> {
    let mut found = Vec::new();
    for (index, render) in schedule.renders.iter().enumerate() {
        if walk.uses.iter().any(|used| used.uses.contains_key(&index)) {
            let mut traffic = Traffic { walk, index, render, found: &mut found };
            traffic.colors();
            traffic.depth();
            traffic.inputs();
            traffic.tile_buffers();
        }
    }
    found
}

struct Traffic<'a> {
    walk: &'a Walk<'a>,
    index: usize,
    render: &'a Render,
    found: &'a mut Vec<Movement>,
}

impl Traffic<'_> {
    /// The uses of one aspect of an attachment.
    fn uses(&self, attachment: u32, aspect: Aspects) -> Option<&AspectUses> {
        self.walk.uses.iter().find(|used| used.attachment == attachment && used.aspect == aspect)
    }

    fn add(&mut self, attachment: u32, aspect: Aspects, direction: Direction, cause: &'static str, basis: Basis) {
        if let Some(used) = self.uses(attachment, aspect) {
            self.found.push(Movement::new(self.index, used, direction, cause, basis));
        }
    }

    /// Whether anything ran in a subpass that writes its targets.
    fn writes(&self, slot: &Slot) -> bool {
        let subpass = self.walk.view.pass.subpasses.get(slot.subpass);
        subpass.is_some_and(|subpass| subpass.drawn || !subpass.clears.is_empty())
    }

    fn colors(&mut self) {
        let (read, write, color, exact) = (Direction::Read, Direction::Write, Aspects::COLOR, Basis::Exact);
        let render = self.render;
        let late = render.late_init.iter().map(|(_, attachment, op)| (*attachment, *op));
        for (attachment, _) in render.color_init.iter().copied().chain(late).filter(|(_, op)| *op == LoadOp::Load) {
            self.add(attachment, color, read, "load", exact);
        }
        for store in &render.stores {
            match store.resolve {
                None => self.add(store.attachment, color, write, "store", exact),
                Some((source, how)) => {
                    if how == Resolve::Transfer {
                        self.add(source, color, read, "resolve_read", exact);
                    }
                    self.add(store.attachment, color, write, "resolve", exact);
                }
            }
        }
    }

    fn depth(&mut self) {
        let render = self.render;
        let packed = |a: u32| self.walk.view.format(a).is_some_and(Info::packs_depth_stencil);
        // Half a word of memory moves with the other half or not.
        let basis = |a: u32, same: bool| if packed(a) && !same { Basis::Estimate } else { Basis::Exact };
        let mut moves = Vec::new();
        if let Some(source) = render.depth_source {
            let loads = [render.depth_init, render.stencil_init].map(|op| op == LoadOp::Load);
            moves.push((source, loads, Direction::Read, "load", basis(source, loads[0] == loads[1])));
        }
        if let Some(target) = render.depth_target {
            let stores = [render.depth_store, render.stencil_store];
            moves.push((target, stores, Direction::Write, "store", basis(target, stores[0] == stores[1])));
        }
        for (attachment, which, direction, cause, basis) in moves {
            for (aspect, _) in [Aspects::DEPTH, Aspects::STENCIL].into_iter().zip(which).filter(|(_, moves)| *moves) {
                self.add(attachment, aspect, direction, cause, basis);
            }
        }
        for slot in &render.slots {
            let Some(subpass) = self.walk.view.pass.subpasses.get(slot.subpass) else { continue };
            let resolves = [(Aspects::DEPTH, &subpass.depth_resolve), (Aspects::STENCIL, &subpass.stencil_resolve)];
            for (aspect, target) in resolves {
                if let (Some(source), Some(target)) = (slot.depth, target.filter(|t| t.mode != 0)) {
                    self.add(source, aspect, Direction::Read, "resolve_read", Basis::Exact);
                    self.add(target.attachment, aspect, Direction::Write, "resolve", Basis::Exact);
                }
            }
        }
    }

    fn inputs(&mut self) {
        for slot in &self.render.slots {
            let Some(subpass) = self.walk.view.pass.subpasses.get(slot.subpass).filter(|s| s.drawn) else { continue };
            for (input, access) in subpass.input.iter().zip(&slot.input) {
                let (Some(input), Some(Access::Memory)) = (input, access) else { continue };
                for aspect in [Aspects::COLOR, Aspects::DEPTH, Aspects::STENCIL] {
                    let reads = |used: &AspectUses| used.uses.get(&self.index).is_some_and(|here| here.reads);
                    if self.uses(input.attachment, aspect).is_some_and(reads) {
                        // Once per pixel: overdraw and caches pull in opposite directions.
                        self.add(input.attachment, aspect, Direction::Read, "input", Basis::Estimate);
                    }
                }
            }
        }
    }

    /// Each subpass that draws to a value in a tile buffer writes it once, each that reads it as input and the store at the end
    /// read it once.
    fn tile_buffers(&mut self) {
        let in_buffer = |place: &Option<Place>| place.is_some_and(Place::is_tile_buffer);
        let mut moves: Vec<(u32, Aspects, Direction)> = Vec::new();
        for slot in &self.render.slots {
            let Some(subpass) = self.walk.view.pass.subpasses.get(slot.subpass) else { continue };
            let colors = subpass.color.iter().zip(&slot.color).filter(|(_, place)| in_buffer(place));
            for used in colors.filter_map(|(used, _)| *used).filter(|_| self.writes(slot)) {
                moves.push((used.attachment, Aspects::COLOR, Direction::Write));
            }
            if let (Some(depth), true) = (slot.depth, slot.copies_depth && self.writes(slot)) {
                if self.copy_of(depth).is_some_and(Place::is_tile_buffer) {
                    moves.push((depth, Aspects::DEPTH, Direction::Write));
                }
            }
            for (input, access) in subpass.input.iter().zip(&slot.input).filter(|_| subpass.drawn) {
                let Some(input) = input else { continue };
                match access {
                    Some(Access::OnChip(place)) if place.is_tile_buffer() => {
                        moves.push((input.attachment, Aspects::COLOR, Direction::Read));
                    }
                    Some(Access::DepthCopy(place)) if place.is_tile_buffer() => {
                        moves.push((input.attachment, Aspects::DEPTH, Direction::Read));
                    }
                    _ => {}
                }
            }
        }
        for store in self.render.stores.iter().filter(|store| in_buffer(&store.place)) {
            match store.resolve {
                None => moves.push((store.attachment, Aspects::COLOR, Direction::Read)),
                Some((source, Resolve::Pbe)) => moves.push((source, Aspects::COLOR, Direction::Read)),
                Some((_, Resolve::Transfer)) => {}
            }
        }
        for (attachment, aspect, direction) in moves {
            let dwords = self.walk.view.format(attachment).and_then(dwords).unwrap_or(0);
            let Some(used) = self.uses(attachment, aspect) else { continue };
            let movement = Movement::new(self.index, used, direction, "tile_buffer", Basis::Estimate);
            self.found.push(Movement { sample_bytes: Some(dwords.saturating_mul(4)), ..movement });
        }
    }

    /// Where the copy of a depth attachment lies in the render.
    fn copy_of(&self, depth: u32) -> Option<Place> {
        let accesses = self.render.slots.iter().flat_map(|slot| {
            let inputs = self.walk.view.pass.subpasses.get(slot.subpass).map_or(&[][..], |s| &s.input);
            inputs.iter().zip(&slot.input)
        });
        let copies = accesses.filter_map(|(input, access)| match access {
            Some(Access::DepthCopy(place)) if input.is_some_and(|i| i.attachment == depth) => Some(*place),
            _ => None,
        });
        copies.into_iter().next()
    }
}
