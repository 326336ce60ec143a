//! The end of a hardware render: what its attachments started from and what leaves the chip
//! (Mesa 25.0.7, src/imagination/vulkan/pvr_hw_pass.c).

use super::join::MOST_OUTPUTS;
use super::render::{Render, Resolve, Store};
use super::schedule::{Builder, resolve_of};
use super::storage::Storage;
use crate::frame::LoadOp;
use alloc::vec::Vec;

/// Closes the open render, if there is one.
pub fn close(builder: &mut Builder<'_>) {
    if !builder.open {
        return;
    }
    initialise(builder);
    store_depth(builder);
    let storage = core::mem::take(&mut builder.storage);
    if let Some(render) = builder.render() {
        render.registers = storage.depth.max(1).next_power_of_two();
        render.tile_buffers = storage.tile_buffers();
    }
    // Copies of depth are not written: the depth buffer itself is.
    for state in builder.attachments.iter_mut().filter(|state| state.copied) {
        state.place = None;
    }
    store_colors(builder);
    for state in &mut builder.attachments {
        (state.place, state.first_use, state.copied) = (None, None, false);
    }
    builder.storage = Storage::default();
    (builder.open, builder.depth) = (false, None);
}

/// Loads and clears go to the start of the render where depth, or all dwords of a colour, are used for the first time in it.
fn initialise(builder: &mut Builder<'_>) {
    let states = &builder.attachments;
    let Some(render) = builder.schedule.renders.last_mut() else { return };
    let mut used = Storage::default();
    let Render { slots, depth, depth_init, stencil_init, color_init, late_init, .. } = render;
    let mut first_depth = true;
    for (at, slot) in slots.iter_mut().enumerate() {
        if first_depth && (slot.depth_init == LoadOp::Clear || slot.stencil_clear) {
            *depth = slot.depth;
            if slot.depth_init == LoadOp::Clear {
                *depth_init = LoadOp::Clear;
            }
            if slot.stencil_clear {
                *stencil_init = LoadOp::Clear;
            }
        }
        first_depth &= slot.depth.is_none();
        let Some(subpass) = builder.pass.subpasses.get(slot.subpass) else { continue };
        for ((color, place), op) in subpass.color.iter().zip(&slot.color).zip(&slot.color_init) {
            let (Some(color), Some(place)) = (color, place) else { continue };
            let Some(state) = states.get(color.attachment as usize).filter(|s| s.first_use == Some(at)) else {
                continue;
            };
            // All its dwords are marked, whichever were used before.
            let fresh = used.is_free(*place, state.dwords);
            used.mark(*place, state.dwords);
            match *op {
                LoadOp::DontCare | LoadOp::None => {}
                op if fresh => color_init.push((color.attachment, op)),
                op => late_init.push((slot.subpass, color.attachment, op)),
            }
        }
    }
}

/// Depth and stencil are stored if there are uses left.
fn store_depth(builder: &mut Builder<'_>) {
    let Some(depth) = builder.depth else { return };
    let Some(state) = builder.attachments.get_mut(depth as usize) else { return };
    let (stores, stores_stencil) = (state.remaining > 0, state.stencil && state.stencil_remaining > 0);
    (state.load, state.stencil_load) = (LoadOp::Load, LoadOp::Load);
    let Some(render) = builder.schedule.renders.last_mut() else { return };
    (render.depth_store, render.stencil_store) = (stores, stores_stencil);
    if stores || stores_stencil {
        (render.depth, render.depth_target) = (Some(depth), Some(depth));
        builder.schedule.in_memory.insert(depth);
    }
    builder.schedule.in_memory.extend(render.depth_resolve);
}

/// Colours with uses left are stored, resolves are made by the PBE where it can and has an output left.
fn store_colors(builder: &mut Builder<'_>) {
    let Some(render) = builder.schedule.renders.last_mut() else { return };
    let (states, memory) = (&mut builder.attachments, &mut builder.schedule.in_memory);
    let pairs: Vec<(u32, Option<u32>)> = render
        .slots
        .iter()
        .filter_map(|slot| builder.pass.subpasses.get(slot.subpass))
        .flat_map(|subpass| {
            let color = subpass.color.iter().enumerate();
            color.filter_map(move |(slot, used)| Some(((*used)?.attachment, resolve_of(subpass, slot))))
        })
        .collect();
    let mut stored: Vec<u32> = Vec::new();
    for (color, resolve) in &pairs {
        let Some(state) = states.get(*color as usize) else { continue };
        // The resolve is one of the uses left.
        let stays = state.place.is_some() && state.remaining > u32::from(resolve.is_some());
        if stays && !stored.contains(color) {
            stored.push(*color);
        }
    }
    let mut outputs = 0;
    // Resolves that wait for an output to be left.
    let mut waiting = Vec::new();
    for (color, resolve) in pairs {
        let Some(state) = states.get_mut(color as usize) else { continue };
        let (place, downscalable) = (state.place, state.downscalable);
        if let Some(target) = resolve {
            state.remaining = state.remaining.saturating_sub(1);
            let alone = state.remaining == 0;
            memory.insert(target);
            if let Some(target) = states.get_mut(target as usize) {
                target.load = LoadOp::Load;
            }
            let how = if downscalable { Resolve::Pbe } else { Resolve::Transfer };
            if downscalable && alone {
                outputs += 1;
            } else if downscalable {
                waiting.push(render.stores.len());
            }
            render.stores.push(Store { attachment: target, place, resolve: Some((color, how)) });
        }
        if let Some(at) = stored.iter().position(|stored| *stored == color) {
            stored.swap_remove(at);
            memory.insert(color);
            render.stores.push(Store { attachment: color, place, resolve: None });
            outputs += 1;
        }
    }
    for at in waiting {
        if outputs < MOST_OUTPUTS {
            outputs += 1;
        } else if let Some(Store { resolve: Some((_, how)), .. }) = render.stores.get_mut(at) {
            *how = Resolve::Transfer;
        }
    }
}
