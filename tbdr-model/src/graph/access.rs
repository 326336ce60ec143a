//! The accesses of a frame to its images, in execution order.
//!
//! A render pass accesses an attachment's aspects at its beginning (layout transition, load) and at its end (store); what lies
//! between stays on chip or is no business of other passes. Attachments that no subpass uses are left alone, as the
//! specification says.

use super::Rect;
use crate::format;
use crate::frame::{
    Aspects, Attachment, FrameStructure, Image, ImageRef, Layout, LoadOp, Op, Pass, Side, StoreOp, SubresourceRange,
    Transfer, TransferKind,
};
use crate::model::PassView;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Which half of an attachment's operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// loadOp.
    Load,
    /// storeOp.
    Store,
}

/// Who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reader {
    /// A render pass that loads it or reads it as input, by its number in the frame.
    Pass(u32),
    /// A transfer, by its number in the frame.
    Transfer(u32),
    /// Whoever the frame's outputs are for.
    Output,
}

/// What happens to contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// They become undefined: a transition from VK_IMAGE_LAYOUT_UNDEFINED.
    Transition,
    /// They become undefined: loadOp or storeOp DONT_CARE.
    DontCare,
    /// They are read.
    Read(Reader),
    /// loadOp LOAD of attachment `attachment` of pass `pass`.
    Load {
        /// Number of the pass.
        pass: u32,
        /// Its attachment.
        attachment: u32,
    },
    /// Everything in the rectangle is overwritten.
    Overwrite,
    /// Something in the rectangle may be overwritten.
    Touch,
    /// storeOp STORE of attachment `attachment` of pass `pass`: new contents.
    Store {
        /// Number of the pass.
        pass: u32,
        /// Its attachment.
        attachment: u32,
    },
}

/// One access to one aspect of some mip levels and layers of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The image.
    pub image: ImageRef,
    /// One aspect.
    pub aspect: Aspects,
    /// Mip levels and layers.
    pub range: SubresourceRange,
    /// Texels of each.
    pub rect: Rect,
    /// Queue on which it happens.
    pub queue: u32,
    /// Number of the operation in the frame.
    pub op: u32,
    /// What happens.
    pub event: Event,
}

/// The accesses of a frame.
pub fn accesses(frame: &FrameStructure) -> Vec<Access> {
    let mut build = Builder { frame, queue: 0, op: 0, found: Vec::new() };
    let (mut pass_number, mut transfer_number) = (0, 0);
    for submission in &frame.submissions {
        build.queue = submission.queue;
        for op in &submission.ops {
            match op {
                Op::Pass(pass) => {
                    build.pass(pass, pass_number);
                    pass_number += 1;
                }
                Op::Transfer(transfer) => {
                    build.transfer(transfer, transfer_number);
                    transfer_number += 1;
                }
                Op::Barrier(barrier) => {
                    for image in barrier.images.iter().filter(|i| i.old_layout == Layout::UNDEFINED) {
                        build.whole(image.image, image.range, image.range.aspects, Event::Transition);
                    }
                }
                Op::Dispatch => {}
            }
            build.op += 1;
        }
    }
    for output in &frame.outputs {
        let Some(image) = frame.images.get(output.image.0 as usize) else { continue };
        build.whole(Some(output.image), everything(image), Aspects(u32::MAX), Event::Read(Reader::Output));
    }
    build.found
}

/// All mip levels and layers of an image.
fn everything(image: &Image) -> SubresourceRange {
    SubresourceRange { mips: image.mips, layers: image.layers, ..SubresourceRange::default() }
}

/// The aspects that an image has.
pub fn aspects_of(image: &Image) -> Aspects {
    format::info(image.format).map_or(Aspects::COLOR, format::Info::aspects)
}

struct Builder<'a> {
    frame: &'a FrameStructure,
    queue: u32,
    op: u32,
    found: Vec<Access>,
}

impl Builder<'_> {
    fn push(&mut self, image: ImageRef, aspect: Aspects, range: SubresourceRange, rect: Rect, event: Event) {
        let (queue, op) = (self.queue, self.op);
        self.found.push(Access { image, aspect, range, rect, queue, op, event });
    }

    /// An access to whole mip levels.
    fn whole(&mut self, image: Option<ImageRef>, range: SubresourceRange, aspects: Aspects, event: Event) {
        let Some((image, described)) = image.and_then(|i| Some((i, self.frame.images.get(i.0 as usize)?))) else {
            return;
        };
        for aspect in each(Aspects(aspects.0 & aspects_of(described).0)) {
            self.push(image, aspect, range, Rect::ALL, event);
        }
    }

    fn pass(&mut self, pass: &Pass, number: u32) {
        let view = PassView::new(pass, &self.frame.images);
        if view.is_empty() {
            return;
        }
        let used = Roles::of(pass);
        for ((attachment, aspect), role) in &used.0 {
            let Some(described) = view.attachment(*attachment) else { continue };
            let Some((image, range)) = place(&view, described) else { continue };
            if !aspects_of(&self.frame.images[image.0 as usize]).contains(*aspect) {
                continue;
            }
            if described.initial_layout == Layout::UNDEFINED && !pass.dynamic {
                self.push(image, *aspect, range, Rect::ALL, Event::Transition);
            }
            let rect = area(&view);
            let load = if *aspect == Aspects::STENCIL { described.stencil_load } else { described.load };
            match load {
                LoadOp::Load if role.rendered => {
                    self.push(image, *aspect, range, rect, Event::Load { pass: number, attachment: *attachment });
                }
                LoadOp::Load => self.push(image, *aspect, range, rect, Event::Read(Reader::Pass(number))),
                LoadOp::Clear => self.push(image, *aspect, range, rect, Event::Overwrite),
                LoadOp::DontCare => self.push(image, *aspect, range, rect, Event::DontCare),
                LoadOp::None if role.input => {
                    self.push(image, *aspect, range, rect, Event::Read(Reader::Pass(number)));
                }
                LoadOp::None => {}
            }
        }
        for ((attachment, aspect), role) in &used.0 {
            let Some(described) = view.attachment(*attachment) else { continue };
            let Some((image, range)) = place(&view, described) else { continue };
            if !aspects_of(&self.frame.images[image.0 as usize]).contains(*aspect) {
                continue;
            }
            let rect = area(&view);
            let stencil = *aspect == Aspects::STENCIL;
            let (load, store) = if stencil {
                (described.stencil_load, described.stencil_store)
            } else {
                (described.load, described.store)
            };
            let writes = role.rendered || role.resolved;
            match store {
                StoreOp::Store if writes => {
                    self.push(image, *aspect, range, rect, Event::Store { pass: number, attachment: *attachment });
                }
                // Only read as input: what is stored is what was there.
                StoreOp::Store => self.push(image, *aspect, range, rect, Event::Touch),
                StoreOp::DontCare => self.push(image, *aspect, range, rect, Event::DontCare),
                // Nothing is written back; whether the contents are kept depends on whether anything was written.
                StoreOp::None if writes || load == LoadOp::Clear => {
                    self.push(image, *aspect, range, rect, Event::Touch);
                }
                StoreOp::None => {}
            }
        }
    }

    fn transfer(&mut self, transfer: &Transfer, number: u32) {
        for region in &transfer.regions {
            if let Some(Side::Image(side)) = &region.src {
                self.region(side, Event::Read(Reader::Transfer(number)));
            }
        }
        for region in &transfer.regions {
            if let Some(Side::Image(side)) = &region.dst {
                // A blit may be clipped by its source; every other command writes each texel of its region.
                let event = if transfer.kind == TransferKind::Blit { Event::Touch } else { Event::Overwrite };
                self.region(side, event);
            }
        }
    }

    fn region(&mut self, side: &crate::frame::ImageRegion, event: Event) {
        let Some((image, described)) = side.image.and_then(|i| Some((i, self.frame.images.get(i.0 as usize)?))) else {
            return;
        };
        let axis = |offset: i32, size: u32| {
            let from = u64::from(offset.unsigned_abs());
            (from, from.saturating_add(u64::from(size)))
        };
        let [x, y, z] = side.offset;
        let spans = [axis(x, side.extent.width), axis(y, side.extent.height), axis(z, side.extent.depth)];
        let mut rect = Rect { from: spans.map(|s| s.0), to: spans.map(|s| s.1) };
        // A 2D image has one slice; copies between 2D layers and 3D slices name a depth.
        if described.dimension != 2 {
            (rect.from[2], rect.to[2]) = (0, u64::MAX);
        }
        let level = described.extent.mip(side.mip);
        if rect.from == [0; 3] && rect.to[0] >= u64::from(level.width) && rect.to[1] >= u64::from(level.height) {
            let deep = described.dimension != 2 || rect.to[2] >= u64::from(level.depth);
            if deep {
                rect = Rect::ALL;
            }
        }
        let range = SubresourceRange {
            base_mip: side.mip,
            mips: 1,
            base_layer: side.base_layer,
            layers: side.layers,
            ..SubresourceRange::default()
        };
        // Planes of multi-planar images are followed as one colour aspect: an overwrite of a plane is a touch of it.
        let own = aspects_of(described);
        let named = Aspects(side.aspects.0 & own.0);
        let (aspects, event) = match (named.0, event) {
            (0, Event::Overwrite) => (own, Event::Touch),
            (0, event) => (own, event),
            (_, event) => (named, event),
        };
        for aspect in each(aspects) {
            self.push(image, aspect, range, rect, event);
        }
    }
}

/// What a pass does with an aspect of an attachment.
#[derive(Clone, Copy, Default)]
struct Role {
    rendered: bool,
    resolved: bool,
    input: bool,
}

struct Roles(BTreeMap<(u32, Aspects), Role>);

impl Roles {
    fn of(pass: &Pass) -> Self {
        let mut roles: BTreeMap<(u32, Aspects), Role> = BTreeMap::new();
        for subpass in &pass.subpasses {
            for used in subpass.color.iter().flatten() {
                roles.entry((used.attachment, Aspects::COLOR)).or_default().rendered = true;
            }
            for (used, aspect) in [(subpass.depth, Aspects::DEPTH), (subpass.stencil, Aspects::STENCIL)] {
                if let Some(used) = used {
                    roles.entry((used.attachment, aspect)).or_default().rendered = true;
                }
            }
            for used in subpass.resolve.iter().flatten() {
                roles.entry((used.attachment, Aspects::COLOR)).or_default().resolved = true;
            }
            for (used, aspect) in [(subpass.depth_resolve, Aspects::DEPTH), (subpass.stencil_resolve, Aspects::STENCIL)]
            {
                if let Some(used) = used {
                    roles.entry((used.attachment, aspect)).or_default().resolved = true;
                }
            }
            for used in subpass.input.iter().flatten() {
                for aspect in [Aspects::COLOR, Aspects::DEPTH, Aspects::STENCIL] {
                    // Aspects that the format does not have are left out later.
                    if used.aspects.0 == 0 || used.aspects.contains(aspect) {
                        roles.entry((used.attachment, aspect)).or_default().input = true;
                    }
                }
            }
        }
        Self(roles)
    }
}

/// The image and the subresources behind an attachment.
fn place(view: &PassView<'_>, attachment: &Attachment) -> Option<(ImageRef, SubresourceRange)> {
    view.image(attachment)?;
    Some((attachment.image?, attachment.range))
}

/// The render area as a box; the whole of the view's level is everything.
fn area(view: &PassView<'_>) -> Rect {
    let [(x0, y0), (x1, y1)] = view.area_corners();
    Rect { from: [x0, y0, 0], to: [x1, y1, u64::MAX] }
}

/// The single aspects of a set.
pub fn each(aspects: Aspects) -> impl Iterator<Item = Aspects> {
    [Aspects::COLOR, Aspects::DEPTH, Aspects::STENCIL].into_iter().filter(move |a| aspects.contains(*a))
}
