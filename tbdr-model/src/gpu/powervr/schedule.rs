//! How pvr builds hardware renders: subpass by subpass in the order of their dependencies, each added to the open render if it can be.
//!
//! An attachment keeps its storage on chip from its first use in a render to its last; STORE counts as a use after the end. What
//! is still to be used when a render closes goes to memory. Rules as in Mesa 25.0.7, src/imagination/vulkan/pvr_hw_pass.c.

use super::close::close;
use super::format::{dwords, is_downscalable};
use super::join::refusal;
use super::render::{Access, Render, Slot};
use super::storage::{Place, Room, Storage};
use crate::format::Info;
use crate::frame::{Aspects, LoadOp, Pass, SUBPASS_EXTERNAL, StoreOp, Subpass};
use crate::gpu::merge::{MergeStatus, Verdict};
use crate::gpu::stages::is_framebuffer_local;
use crate::model::PassView;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// A render pass as hardware renders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The renders, in order of execution.
    pub renders: Vec<Render>,
    /// Why each subpass opens a render; `None` for those that join one.
    pub refusals: Vec<Option<Verdict>>,
    /// Attachments that need memory.
    pub in_memory: BTreeSet<u32>,
}

/// An attachment while renders are built.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// Dwords per sample on chip.
    pub dwords: u32,
    /// Has a stencil aspect.
    pub stencil: bool,
    /// The PBE resolves it.
    pub downscalable: bool,
    /// What its next first use does.
    pub load: LoadOp,
    /// The same for stencil.
    pub stencil_load: LoadOp,
    /// Uses to come.
    pub remaining: u32,
    /// Uses of stencil to come.
    pub stencil_remaining: u32,
    /// The last subpass that reads it, the number of subpasses if it is stored.
    pub last_read: Option<usize>,
    /// Where it lies on chip.
    pub place: Option<Place>,
    /// The slot of the open render that used it first.
    pub first_use: Option<usize>,
    /// The last render that resolved from it.
    pub resolved_in: Option<usize>,
    /// The last render that resolves into it.
    pub resolves_in: Option<usize>,
    /// Its depth is copied to colour storage.
    pub copied: bool,
}

/// Renders being built.
pub(super) struct Builder<'a> {
    pub room: Room,
    pub pass: &'a Pass,
    pub attachments: Vec<State>,
    pub schedule: Schedule,
    pub storage: Storage,
    /// A render is open: the last one.
    pub open: bool,
    /// The attachment in the depth buffer.
    pub depth: Option<u32>,
    /// Where each subpass has gone.
    pub render_of: Vec<Option<usize>>,
}

/// Storage for a subpass.
pub(super) struct Allocation {
    pub storage: Storage,
    pub color: Vec<Option<Place>>,
    pub depth_copies: Vec<(u32, Place)>,
}

/// The renders of a pass.
pub fn schedule(room: Room, view: &PassView<'_>) -> Schedule {
    let pass = view.pass;
    let count = pass.subpasses.len();
    let mut builder = Builder {
        room,
        pass,
        attachments: (0..pass.attachments.len() as u32).map(|a| state(view, a)).collect(),
        schedule: Schedule { refusals: alloc::vec![None; count], ..Schedule::default() },
        storage: Storage::default(),
        open: false,
        depth: None,
        render_of: alloc::vec![None; count],
    };
    for _ in 0..count {
        // A pass whose dependencies go round in circles is invalid and gets the order recorded.
        let waits = |s: usize| predecessors(pass, s).any(|(before, _)| builder.render_of[before].is_none());
        let mut left = (0..count).filter(|s| builder.render_of[*s].is_none());
        let Some(lowest) = left.clone().next() else { break };
        let next = left.find(|s| !waits(*s)).unwrap_or(lowest);
        builder.add(next);
    }
    close(&mut builder);
    builder.schedule
}

/// Subpasses that `subpass` depends on, and whether each dependency can be met pixel by pixel.
pub(super) fn predecessors(pass: &Pass, subpass: usize) -> impl Iterator<Item = (usize, bool)> + '_ {
    let dependencies = pass.dependencies.iter().filter(move |d| d.dst as usize == subpass && d.src != d.dst);
    let sources = dependencies.filter(|d| d.src != SUBPASS_EXTERNAL && d.dst != SUBPASS_EXTERNAL);
    sources.map(|d| (d.src as usize, is_framebuffer_local(d))).filter(|(src, _)| *src < pass.subpasses.len())
}

/// An attachment before the first subpass.
fn state(view: &PassView<'_>, index: u32) -> State {
    let (Some(attachment), format) = (view.attachment(index), view.format(index)) else { return State::default() };
    // What is neither loaded nor cleared needs no operation.
    let plain = |op| if op == LoadOp::None { LoadOp::DontCare } else { op };
    let mut state = State {
        dwords: format.and_then(dwords).unwrap_or(0),
        stencil: format.is_some_and(|f: &Info| f.aspects().contains(Aspects::STENCIL)),
        downscalable: format.is_some_and(is_downscalable),
        load: plain(attachment.load),
        stencil_load: plain(attachment.stencil_load),
        ..State::default()
    };
    for (at, subpass) in view.pass.subpasses.iter().enumerate() {
        let colors = subpass.color.iter().enumerate().filter(|(_, c)| c.is_some_and(|c| c.attachment == index));
        let resolves = colors.clone().filter(|(slot, _)| resolve_of(subpass, *slot).is_some()).count();
        let inputs = subpass.input.iter().flatten().filter(|i| i.attachment == index).count();
        let used = colors.count() + resolves + inputs;
        if used > 0 {
            state.last_read = Some(at);
        }
        state.remaining += used as u32 + u32::from(depth_of(subpass) == Some(index));
    }
    state.stencil_remaining = state.remaining + u32::from(attachment.stencil_store == StoreOp::Store);
    if attachment.store == StoreOp::Store {
        state.remaining += 1;
        state.last_read = Some(view.pass.subpasses.len());
    }
    state
}

/// The depth/stencil attachment of a subpass.
pub(super) fn depth_of(subpass: &Subpass) -> Option<u32> {
    subpass.depth.or(subpass.stencil).map(|used| used.attachment)
}

/// The resolve target of a colour slot.
pub(super) fn resolve_of(subpass: &Subpass, slot: usize) -> Option<u32> {
    subpass.resolve.get(slot)?.map(|target| target.attachment)
}

/// Whether a subpass reads the attachment as input.
pub(super) fn is_input(subpass: &Subpass, attachment: u32) -> bool {
    subpass.input.iter().flatten().any(|input| input.attachment == attachment)
}

/// Colour attachments of a subpass.
pub(super) fn colors(subpass: &Subpass) -> impl Iterator<Item = u32> + '_ {
    subpass.color.iter().flatten().map(|used| used.attachment)
}

impl Builder<'_> {
    /// The state of an attachment, for indices that exist.
    pub fn state(&self, attachment: u32) -> Option<&State> {
        self.attachments.get(attachment as usize)
    }

    /// The same, to be changed.
    pub fn state_mut(&mut self, attachment: u32) -> Option<&mut State> {
        self.attachments.get_mut(attachment as usize)
    }

    /// The open render, or the last one closed.
    pub fn render(&mut self) -> Option<&mut Render> {
        self.schedule.renders.last_mut()
    }

    /// Samples that a subpass renders with: those of its depth/stencil attachment, else of its first colour.
    pub fn samples(&self, subpass: &Subpass) -> u32 {
        let first = depth_of(subpass).or_else(|| colors(subpass).next());
        first.and_then(|a| self.pass.attachments.get(a as usize)).map_or(1, |a| a.samples.max(1)).max(subpass.samples)
    }

    /// Puts a subpass into the open render or a new one.
    fn add(&mut self, index: usize) {
        let pass = self.pass;
        let Some(subpass) = pass.subpasses.get(index) else { return };
        let joined = if self.open { refusal(self, index) } else { Err(Verdict::first()) };
        let allocation = joined.unwrap_or_else(|why| {
            self.schedule.refusals[index] = Some(why);
            close(self);
            let samples = self.samples(subpass);
            let mut render = Render { samples, view_mask: subpass.view_mask, ..Render::default() };
            (render.depth_init, render.stencil_init) = (LoadOp::DontCare, LoadOp::DontCare);
            let allocation = self.allocate(subpass).unwrap_or_else(|_| {
                render.overflows = true;
                Allocation { storage: self.storage.clone(), color: Vec::new(), depth_copies: Vec::new() }
            });
            self.schedule.renders.push(render);
            self.open = true;
            allocation
        });
        self.enter(index, subpass, allocation);
        self.leave(subpass);
    }

    /// Finds room for the colours of a subpass and for copies of depth that it reads.
    pub fn allocate(&self, subpass: &Subpass) -> Result<Allocation, Verdict> {
        let full = |note| Verdict::new(MergeStatus::InsufficientStorage, note);
        let mut storage = self.storage.clone();
        let mut color: Vec<Option<Place>> = Vec::new();
        for (at, slot) in subpass.color.iter().enumerate() {
            let attachment = slot.map(|used| used.attachment);
            let before = |a: &u32| subpass.color.iter().take(at).flatten().any(|used| used.attachment == *a);
            let new = attachment.filter(|a| !before(a));
            let Some((attachment, state)) =
                new.and_then(|a| Some((a, self.state(a)?))).filter(|(_, s)| s.place.is_none())
            else {
                color.push(None);
                continue;
            };
            let place = storage.take(self.room, state.dwords);
            match place {
                None => {
                    let (dwords, n) = (state.dwords, self.room.registers);
                    let note = alloc::format!(
                        "attachment {attachment} needs {dwords} dwords: neither the {n} output registers nor a tile buffer have them"
                    );
                    return Err(full(note));
                }
                // Tile buffers lie in memory: to merge would cost more than it saves.
                Some(place) if self.open && place.is_tile_buffer() => {
                    let (dwords, n) = (state.dwords, self.room.registers);
                    let note = alloc::format!(
                        "attachment {attachment} needs {dwords} dwords that the {n} output registers do not have free"
                    );
                    return Err(full(note));
                }
                place => color.push(place),
            }
        }
        let mut depth_copies = Vec::new();
        let own = depth_of(subpass).filter(|d| self.depth != Some(*d));
        for depth in self.depth.into_iter().chain(own).filter(|d| is_input(subpass, *d)) {
            let Some(state) = self.state(depth).filter(|state| !state.copied) else { continue };
            // The copy has to be there from the first subpass on that writes depth.
            let mut united = storage.clone();
            let slots = self.open.then(|| self.schedule.renders.last()).flatten().map_or(&[][..], |r| &r.slots);
            for slot in slots.iter().skip_while(|slot| slot.depth != Some(depth)) {
                united.unite(&slot.storage);
            }
            let place = united.take(self.room, state.dwords).ok_or_else(|| {
                full(alloc::format!(
                    "no room for the copy of depth attachment {depth} that is read as input attachment"
                ))
            })?;
            storage.mark(place, state.dwords);
            depth_copies.push((depth, place));
        }
        Ok(Allocation { storage, color, depth_copies })
    }

    /// Adds a subpass to the open render.
    fn enter(&mut self, index: usize, subpass: &Subpass, allocation: Allocation) {
        let render_index = self.schedule.renders.len() - 1;
        let at = self.schedule.renders[render_index].slots.len();
        let depth = depth_of(subpass);
        let mut slot = Slot { subpass: index, depth, storage: allocation.storage.clone(), ..Slot::default() };
        self.render_of[index] = Some(render_index);
        // Depth that is in the buffer cannot be read there: it is copied to colour storage.
        let own = depth.filter(|d| self.depth != Some(*d));
        let copied = [self.depth, own].map(|depth| depth.filter(|d| is_input(subpass, *d)));
        if let Some(depth) = depth.filter(|d| self.depth != Some(*d)) {
            self.start_depth(depth, &mut slot);
        }
        for (used, place) in subpass.color.iter().zip(allocation.color.iter().chain(core::iter::repeat(&None))) {
            let attachment = used.map(|used| used.attachment);
            let Some(state) = attachment.and_then(|a| self.attachments.get_mut(a as usize)) else {
                slot.color_init.push(LoadOp::DontCare);
                slot.color.push(None);
                continue;
            };
            let first = state.first_use.is_none();
            slot.color_init.push(if first { state.load } else { LoadOp::DontCare });
            if first {
                if state.load == LoadOp::Load {
                    self.schedule.in_memory.extend(attachment);
                }
                // Once written, it has to be loaded wherever it is used next.
                state.load = LoadOp::Load;
                (state.place, state.first_use) = (*place, Some(at));
            }
            slot.color.push(state.place);
        }
        self.schedule.renders[render_index].slots.push(slot);
        for depth in copied.into_iter().flatten() {
            let place = allocation.depth_copies.iter().find(|(d, _)| *d == depth).map(|(_, place)| *place);
            self.copy_depth(depth, place, at);
        }
        let access = |used: u32| match self.state(used) {
            Some(State { place: Some(place), copied: true, .. }) => Access::DepthCopy(*place),
            Some(State { place: Some(place), .. }) => Access::OnChip(*place),
            _ => Access::Memory,
        };
        let input = subpass.input.iter().map(|used| used.map(|used| access(used.attachment))).collect();
        let render = &mut self.schedule.renders[render_index];
        render.dwords = render.dwords.max(allocation.storage.taken());
        render.slots[at].input = input;
        self.storage = allocation.storage;
    }

    /// A new attachment comes into the depth buffer.
    fn start_depth(&mut self, depth: u32, slot: &mut Slot) {
        let Some(state) = self.attachments.get(depth as usize).cloned() else { return };
        let Some(render) = self.schedule.renders.last_mut() else { return };
        slot.depth_init = state.load;
        let mut loads = false;
        if state.load == LoadOp::Load {
            (render.depth_init, loads) = (LoadOp::Load, true);
        }
        if state.stencil && state.stencil_load == LoadOp::Load {
            (render.stencil_init, loads) = (LoadOp::Load, true);
        }
        slot.stencil_clear = state.stencil && state.stencil_load == LoadOp::Clear;
        if loads {
            (render.depth, render.depth_source) = (Some(depth), Some(depth));
            self.schedule.in_memory.insert(depth);
        }
        self.depth = Some(depth);
    }

    /// From its first subpass in the render on, depth is copied to colour storage.
    fn copy_depth(&mut self, depth: u32, place: Option<Place>, last: usize) {
        let Some(state) = self.attachments.get_mut(depth as usize) else { return };
        let Some(render) = self.schedule.renders.last_mut() else { return };
        let first = render.slots.iter().position(|slot| slot.depth == Some(depth)).unwrap_or(last);
        for slot in render.slots.iter_mut().skip(first).filter(|slot| slot.depth == Some(depth)) {
            slot.copies_depth = true;
        }
        if let (false, Some(place)) = (state.copied, place) {
            for slot in render.slots.iter_mut().take(last).skip(first) {
                slot.storage.mark(place, state.dwords);
            }
            (state.place, state.first_use, state.copied) = (Some(place), Some(first), true);
        }
    }

    /// Takes one use of an attachment off; frees its storage at the last one.
    fn release(&mut self, attachment: u32) {
        let Some(state) = self.attachments.get_mut(attachment as usize) else { return };
        state.remaining = state.remaining.saturating_sub(1);
        if state.remaining == 0 {
            if let Some(place) = state.place.take() {
                self.storage.free(place, state.dwords);
            }
        }
        if state.stencil {
            state.stencil_remaining = state.stencil_remaining.saturating_sub(1);
        }
    }

    /// What is over with a subpass.
    fn leave(&mut self, subpass: &Subpass) {
        let render = self.schedule.renders.len() - 1;
        for attachment in colors(subpass).chain(subpass.input.iter().flatten().map(|input| input.attachment)) {
            self.release(attachment);
        }
        if let Some(depth) = depth_of(subpass) {
            self.leave_depth(depth, subpass);
        }
        let end = self.pass.subpasses.len();
        for (slot, source) in subpass.color.iter().enumerate() {
            let (Some(source), Some(target)) = (source.map(|s| s.attachment), resolve_of(subpass, slot)) else {
                continue;
            };
            if let Some(state) = self.state_mut(target) {
                state.resolves_in = Some(render);
            }
            let Some(state) = self.state_mut(source) else { continue };
            state.resolved_in = Some(render);
            if !state.downscalable && state.last_read.is_none_or(|last| last < end) {
                // A transfer resolves it from memory, so it has to be stored.
                state.last_read = Some(end);
                state.remaining += 1;
            }
        }
    }

    /// One use of the depth buffer is over.
    fn leave_depth(&mut self, depth: u32, subpass: &Subpass) {
        let mode = |target: &Option<crate::frame::ResolveUse>| target.filter(|t| t.mode != 0).map(|t| t.attachment);
        let (to_depth, to_stencil) = (mode(&subpass.depth_resolve), mode(&subpass.stencil_resolve));
        if let Some(render) = self.render() {
            render.depth_resolve = to_depth.or(to_stencil).or(render.depth_resolve);
        }
        let Some(state) = self.attachments.get_mut(depth as usize) else { return };
        state.remaining = state.remaining.saturating_sub(1);
        if state.remaining == 0 && state.copied {
            if let Some(place) = state.place.take() {
                self.storage.free(place, state.dwords);
            }
        }
        if state.stencil {
            state.stencil_remaining = state.stencil_remaining.saturating_sub(1);
        }
        (state.load, state.stencil_load) = (LoadOp::Load, LoadOp::Load);
        // A transfer resolves depth from memory.
        state.remaining += u32::from(to_depth.is_some());
        state.stencil_remaining += u32::from(to_stencil.is_some());
    }
}
