//! The accesses of a frame to its images, in execution order.
//!
//! A render pass accesses an attachment's aspects at its beginning (layout transition, load) and at its end (store); what lies
//! between stays on chip or is no business of other passes. Attachments that no subpass uses are left alone, as the
//! specification says. What its shaders reach lies in between; density maps and shading rate images are read.

use super::order::execution_order;
use super::{Rect, touched};
use crate::format;
use crate::frame::{
    AccessKind, Aspects, Attachment, Barrier, FrameStructure, HOST_QUEUE, Image, ImageAccess, ImageRef, Layout, LoadOp,
    Op, Output, Pass, ShaderAccess, Side, StoreOp, SubresourceRange, Transfer, TransferKind,
};
use crate::model::PassView;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Which of an attachment's operations, or what a transfer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// loadOp.
    Load,
    /// storeOp.
    Store,
    /// What a transfer writes.
    Write,
}

/// Who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reader {
    /// A render pass that loads it, reads it as input or in its shaders, by its number in the frame.
    Pass(u32),
    /// A transfer, by its number in the frame.
    Transfer(u32),
    /// Shaders of work outside render passes, by the number of the operation in the frame.
    Shader(u32),
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
    /// A barrier that moves the image from one queue family to another: the release on the queue of the one, or the acquire on the other's.
    Ownership {
        /// The family that gives it away.
        from: u32,
        /// The family that gets it.
        to: u32,
    },
    /// storeOp STORE of attachment `attachment` of pass `pass`: new contents.
    Store {
        /// Number of the pass.
        pass: u32,
        /// Its attachment.
        attachment: u32,
    },
}

/// What of a frame makes an access, where somebody may want to name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Maker {
    /// Barriers, outputs, maps; operations that keep what is there.
    #[default]
    Other,
    /// A loadOp that clears or drops contents, of which it is not known for which layers: others may be read later.
    Unsure,
    /// The loadOp of an attachment.
    LoadOp {
        /// Number of the pass.
        pass: u32,
        /// Its attachment.
        attachment: u32,
    },
    /// A storeOp that stores nothing though the pass discards or may have changed what is there: DONT_CARE, or NONE after a write.
    Discard {
        /// Number of the pass.
        pass: u32,
        /// Its attachment.
        attachment: u32,
    },
    /// A transfer, by its number in the frame.
    Transfer(u32),
    /// A shader.
    Shader {
        /// What it does.
        kind: AccessKind,
        /// Whether it names exactly this descriptor.
        certain: bool,
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
    /// Queue on which it happens; [`HOST_QUEUE`] for outputs, whose reader waits for the frame.
    pub queue: u32,
    /// Index of the submission it belongs to; [`NO_SUBMISSION`] for outputs.
    pub submission: u32,
    /// Number of the operation in the frame, in submission order.
    pub op: u32,
    /// What happens.
    pub event: Event,
    /// What makes it happen.
    pub by: Maker,
}

/// [`Access::submission`] of what belongs to none.
pub const NO_SUBMISSION: u32 = u32::MAX;

/// Shaders ran of which it is not known what they reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// Number of accesses in the list before it.
    pub before: usize,
    /// Index of its submission.
    pub submission: u32,
}

/// The accesses of a frame, and where others are possible that are not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// What is known, in execution order.
    pub list: Vec<Access>,
    /// Shaders run that may reach any image with a usage for it.
    pub unseen: Vec<Unseen>,
    /// Indices of the submissions, in the order in which they execute.
    pub order: Vec<usize>,
}

/// The accesses of a frame.
pub fn accesses(frame: &FrameStructure) -> Accesses {
    let order = execution_order(frame);
    let mut build = Builder {
        frame,
        queue: HOST_QUEUE,
        submission: NO_SUBMISSION,
        op: 0,
        by: Maker::Other,
        found: Vec::new(),
        unseen: Vec::new(),
    };
    build.outputs(&frame.early_outputs);
    let starts = Numbers::of(frame);
    for &index in &order {
        let (Some(submission), Some(start)) = (frame.submissions.get(index), starts.get(index)) else { continue };
        let Numbers { mut pass, mut transfer, op } = *start;
        (build.queue, build.submission, build.op) = (submission.queue, index as u32, op);
        for op in &submission.ops {
            match op {
                Op::Pass(instance) => {
                    build.pass(instance, pass);
                    pass += 1;
                }
                Op::Transfer(command) => {
                    build.transfer(command, transfer);
                    transfer += 1;
                }
                Op::Barrier(barrier) => build.barrier(barrier),
                Op::Event(_) => {}
                Op::Dispatch(dispatch) => build.shaders(&dispatch.shader, Reader::Shader(build.op)),
                Op::Opaque(opaque) => build.shaders(&opaque.shader, Reader::Shader(build.op)),
            }
            build.op += 1;
        }
    }
    (build.queue, build.submission) = (HOST_QUEUE, NO_SUBMISSION);
    build.op = frame.ops().count() as u32;
    build.outputs(&frame.outputs);
    Accesses { list: build.found, unseen: build.unseen, order }
}

/// Numbers of the first pass, transfer and operation of a submission.
#[derive(Clone, Copy, Default)]
struct Numbers {
    pass: u32,
    transfer: u32,
    op: u32,
}

impl Numbers {
    /// Of each submission of a frame.
    fn of(frame: &FrameStructure) -> Vec<Self> {
        let next = |at: &mut Self, submission: &crate::frame::Submission| {
            let start = *at;
            at.op += submission.ops.len() as u32;
            at.pass += submission.ops.iter().filter(|op| matches!(op, Op::Pass(_))).count() as u32;
            at.transfer += submission.ops.iter().filter(|op| matches!(op, Op::Transfer(_))).count() as u32;
            Some(start)
        };
        frame.submissions.iter().scan(Self::default(), next).collect()
    }
}

/// All mip levels and layers of an image.
fn everything(image: &Image) -> SubresourceRange {
    SubresourceRange { mips: image.mips, layers: image.layers, ..SubresourceRange::default() }
}

/// The aspects that an image has.
pub fn aspects_of(image: &Image) -> Aspects {
    format::info(image.format).map_or(Aspects::COLOR, format::Info::aspects)
}

/// VK_IMAGE_TYPE_3D.
const VOLUME: u32 = 2;
/// VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT.
const ARRAY_COMPATIBLE: u32 = 0x20;

/// Layers of a view of a volume as slices in its depth. Copies and whole-image accesses name depth themselves.
fn slices(range: SubresourceRange, rect: Rect) -> (SubresourceRange, Rect) {
    let single = SubresourceRange { base_layer: 0, layers: 1, ..range };
    if rect.from[2] != 0 || rect.to[2] != u64::MAX || rect == Rect::ALL {
        return (single, rect);
    }
    let from = u64::from(range.base_layer);
    let mut rect = rect;
    (rect.from[2], rect.to[2]) = (from, from.saturating_add(u64::from(range.layers)));
    (single, rect)
}

struct Builder<'a> {
    frame: &'a FrameStructure,
    queue: u32,
    submission: u32,
    op: u32,
    by: Maker,
    found: Vec<Access>,
    unseen: Vec<Unseen>,
}

impl Builder<'_> {
    fn push(&mut self, image: ImageRef, aspect: Aspects, range: SubresourceRange, rect: Rect, event: Event) {
        let (queue, submission, op, by) = (self.queue, self.submission, self.op, self.by);
        let (range, rect) = match self.frame.images.get(image.0 as usize) {
            // The layers of a view of a volume are its slices; a volume has one array layer.
            Some(volume) if volume.dimension == VOLUME => slices(range, rect),
            _ => (range, rect),
        };
        self.found.push(Access { image, aspect, range, rect, queue, submission, op, event, by });
    }

    /// Outputs read all of their images.
    fn outputs(&mut self, outputs: &[Output]) {
        for output in outputs {
            let Some(image) = self.frame.images.get(output.image.0 as usize) else { continue };
            self.whole(Some(output.image), everything(image), Aspects(u32::MAX), Event::Read(Reader::Output));
        }
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

    /// Contents become undefined. Of a volume whose slices can be rendered to, the range may name slices (VK_KHR_maintenance9) or all of it:
    /// only what both mean is believed to be lost.
    fn transition(&mut self, image: Option<ImageRef>, range: SubresourceRange) {
        let Some((image, described)) = image.and_then(|i| Some((i, self.frame.images.get(i.0 as usize)?))) else {
            return;
        };
        let (mut part, mut rect) = (range, Rect::ALL);
        if described.dimension == VOLUME && described.flags & ARRAY_COMPATIBLE != 0 {
            part = SubresourceRange { base_layer: 0, layers: 1, ..range };
            rect.from[2] = u64::from(range.base_layer);
            rect.to[2] = rect.from[2].saturating_add(u64::from(range.layers));
        }
        for aspect in each(Aspects(range.aspects.0 & aspects_of(described).0)) {
            self.push(image, aspect, part, rect, Event::Transition);
        }
    }

    /// Image barriers: ownership moves, contents of UNDEFINED go.
    fn barrier(&mut self, barrier: &Barrier) {
        for image in &barrier.images {
            if let Some((from, to)) = image.families {
                self.whole(image.image, image.range, image.range.aspects, Event::Ownership { from, to });
            }
            // Equal layouts are no transition, whatever they are: contents stay (synchronization 2).
            if image.old_layout == Layout::UNDEFINED && image.new_layout != Layout::UNDEFINED {
                self.transition(image.image, image.range);
            }
        }
    }

    /// What shaders may reach: reads first, since a write may be of what others have read.
    fn shaders(&mut self, shader: &ShaderAccess, reader: Reader) {
        let unseen = Unseen { before: self.found.len(), submission: self.submission };
        if !shader.known && self.unseen.last() != Some(&unseen) {
            self.unseen.push(unseen);
        }
        let by = |access: &ImageAccess| Maker::Shader { kind: access.kind, certain: access.certain };
        for access in shader.images.iter().filter(|a| a.kind.reads()) {
            self.by = by(access);
            self.whole(access.image, access.range, access.range.aspects, Event::Read(reader));
        }
        for access in shader.images.iter().filter(|a| a.kind.writes()) {
            self.by = by(access);
            self.whole(access.image, access.range, access.range.aspects, Event::Touch);
        }
        self.by = Maker::Other;
    }

    fn pass(&mut self, pass: &Pass, number: u32) {
        let view = PassView::new(pass, &self.frame.images);
        if view.is_empty() {
            return;
        }
        let used = Roles::of(pass);
        self.maps(&view, number);
        // Load operations belong to the first subpass that uses the attachment and store operations to the last: the shaders of other
        // subpasses may run before the one and after the other. Which of them do is not worked out.
        let several = pass.subpasses.len() > 1;
        if several {
            self.draws(pass, number);
        }
        for ((attachment, aspect), role) in &used.0 {
            let Some(described) = view.attachment(*attachment) else { continue };
            let Some((image, range, sure)) = place(&view, described) else { continue };
            if !aspects_of(&self.frame.images[image.0 as usize]).contains(*aspect) {
                continue;
            }
            self.by = Maker::LoadOp { pass: number, attachment: *attachment };
            let before = match described.stencil_initial_layout {
                Some(layout) if *aspect == Aspects::STENCIL => layout,
                _ => described.initial_layout,
            };
            if before == Layout::UNDEFINED && !pass.dynamic && sure {
                // Of a volume only the slices that the view shows are believed to be lost.
                let volume = self.frame.images[image.0 as usize].dimension == VOLUME;
                let lost = if volume { area(&view) } else { Rect::ALL };
                self.push(image, *aspect, range, lost, Event::Transition);
            }
            let rect = area(&view);
            let load = if *aspect == Aspects::STENCIL { described.stencil_load } else { described.load };
            match load {
                _ if !sure => {
                    if load != LoadOp::Load {
                        self.by = Maker::Unsure;
                    }
                    self.push(image, *aspect, range, rect, Event::Read(Reader::Pass(number)));
                }
                LoadOp::Load if role.rendered => {
                    self.push(image, *aspect, range, rect, Event::Load { pass: number, attachment: *attachment });
                }
                LoadOp::Load => self.push(image, *aspect, range, rect, Event::Read(Reader::Pass(number))),
                LoadOp::Clear => self.push(image, *aspect, range, rect, Event::Overwrite),
                LoadOp::DontCare => self.push(image, *aspect, range, rect, Event::DontCare),
                LoadOp::None if role.read => {
                    self.push(image, *aspect, range, rect, Event::Read(Reader::Pass(number)));
                }
                LoadOp::None => {}
            }
        }
        self.by = Maker::Other;
        self.draws(pass, number);
        for ((attachment, aspect), role) in &used.0 {
            let Some(described) = view.attachment(*attachment) else { continue };
            let Some((image, range, sure)) = place(&view, described) else { continue };
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
            let discard = Maker::Discard { pass: number, attachment: *attachment };
            match store {
                _ if !sure => self.push(image, *aspect, range, rect, Event::Touch),
                StoreOp::Store if writes => {
                    self.push(image, *aspect, range, rect, Event::Store { pass: number, attachment: *attachment });
                }
                // Only read as input: what is stored is what was there.
                StoreOp::Store => self.push(image, *aspect, range, rect, Event::Touch),
                StoreOp::DontCare => {
                    self.by = discard;
                    self.push(image, *aspect, range, rect, Event::DontCare);
                }
                // Contents that were written and are not stored are undefined. A clear is sure to write, a draw may discard all of it.
                StoreOp::None if load == LoadOp::Clear && role.rendered => {
                    self.by = discard;
                    self.push(image, *aspect, range, rect, Event::DontCare);
                }
                StoreOp::None if role.written || role.resolved || load == LoadOp::Clear => {
                    self.by = discard;
                    self.push(image, *aspect, range, rect, Event::Touch);
                }
                // Nothing was written: contents are kept.
                StoreOp::None => {}
            }
            self.by = Maker::Other;
        }
        if several {
            self.draws(pass, number);
        }
    }

    /// What the shaders of a pass may reach.
    fn draws(&mut self, pass: &Pass, number: u32) {
        for subpass in pass.subpasses.iter().filter(|s| s.drawn) {
            self.shaders(&subpass.shader, Reader::Pass(number));
        }
    }

    /// What decides how densely the pass shades is read.
    fn maps(&mut self, view: &PassView<'_>, number: u32) {
        let rates = view.pass.subpasses.iter().filter_map(|s| s.shading_rate).map(|rate| rate.attachment);
        for index in view.pass.density_map.iter().map(|map| map.attachment).chain(rates) {
            if let Some(map) = view.attachment(index) {
                self.whole(map.image, map.range, Aspects::COLOR, Event::Read(Reader::Pass(number)));
            }
        }
    }

    fn transfer(&mut self, transfer: &Transfer, number: u32) {
        // What the host copies to its own memory has left the GPU's work.
        let host = transfer.kind == TransferKind::CopyImageToMemory;
        let reader = if host { Reader::Output } else { Reader::Transfer(number) };
        self.by = Maker::Transfer(number);
        for region in &transfer.regions {
            if let Some(Side::Image(side)) = &region.src {
                self.region(side, Event::Read(reader));
            }
        }
        for region in &transfer.regions {
            if let Some(Side::Image(side)) = &region.dst {
                // A blit may be clipped by its source, and between block sizes the region is in the source's texels; every other
                // command writes each texel of its region.
                let same_texels = match &region.src {
                    Some(Side::Image(source)) => self.block(source) == self.block(side),
                    _ => true,
                };
                let covers = transfer.kind != TransferKind::Blit && same_texels;
                self.region(side, if covers { Event::Overwrite } else { Event::Touch });
            }
        }
        self.by = Maker::Other;
    }

    /// Texels of a block of the image's format.
    fn block(&self, side: &crate::frame::ImageRegion) -> Option<[u32; 3]> {
        let image = self.frame.images.get(side.image?.0 as usize)?;
        format::info(image.format).map(|info| info.block)
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
        if described.dimension != VOLUME {
            (rect.from[2], rect.to[2]) = (0, u64::MAX);
        }
        let level = described.extent.mip(side.mip);
        if rect.from == [0; 3] && rect.to[0] >= u64::from(level.width) && rect.to[1] >= u64::from(level.height) {
            let deep = described.dimension != VOLUME || rect.to[2] >= u64::from(level.depth);
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
    /// A draw or a clear command may have changed it.
    written: bool,
    resolved: bool,
    /// Shaders read it, as input attachment or by sampling it.
    read: bool,
}

struct Roles(BTreeMap<(u32, Aspects), Role>);

impl Roles {
    fn of(pass: &Pass) -> Self {
        let mut roles: BTreeMap<(u32, Aspects), Role> = BTreeMap::new();
        for subpass in &pass.subpasses {
            for (slot, used) in subpass.color.iter().enumerate() {
                let Some(used) = used else { continue };
                let role = roles.entry((used.attachment, Aspects::COLOR)).or_default();
                role.rendered = true;
                role.read |= used.feedback;
                role.written |= touched::color(subpass, slot).writes;
            }
            for (used, aspect) in [(subpass.depth, Aspects::DEPTH), (subpass.stencil, Aspects::STENCIL)] {
                if let Some(used) = used {
                    let role = roles.entry((used.attachment, aspect)).or_default();
                    role.rendered = true;
                    role.read |= used.feedback;
                    role.written |= touched::depth_stencil(subpass, aspect, used.layout).writes;
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
                        roles.entry((used.attachment, aspect)).or_default().read = true;
                    }
                }
            }
        }
        Self(roles)
    }
}

/// The image behind an attachment and the subresources that the pass renders to, and whether these are known for sure: a view may
/// have more layers than the framebuffer or the view mask, and show one plane of its image, or its blocks as texels.
fn place(view: &PassView<'_>, attachment: &Attachment) -> Option<(ImageRef, SubresourceRange, bool)> {
    view.image(attachment)?;
    let (image, mut range) = (attachment.image?, attachment.range);
    let whole = |f| format::info(f).filter(|info| info.planes.is_empty() && info.block == [1, 1, 1]);
    let viewed =
        whole(view.image(attachment)?.format).is_some() || format::info(view.image(attachment)?.format).is_none();
    let sure = viewed && view.pass.view_areas.is_empty();
    let masks: Vec<u32> = view.pass.subpasses.iter().map(|s| s.view_mask).collect();
    let mask = masks.iter().fold(0, |all, mask| all | mask);
    if mask == 0 {
        range.layers = range.layers.min(view.pass.layers.max(1));
        return Some((image, range, sure));
    }
    let first = mask.trailing_zeros();
    let count = mask.count_ones();
    // Views with gaps between them, or subpasses with views of their own: everything may be read and nothing is proved.
    let contiguous = u64::from(mask >> first) == (1u64 << count) - 1 && masks.iter().all(|m| *m == mask);
    if contiguous && first.saturating_add(count) <= range.layers {
        range.base_layer = range.base_layer.saturating_add(first);
        range.layers = count;
    }
    Some((image, range, contiguous && sure))
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
