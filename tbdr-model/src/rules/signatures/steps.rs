//! What happens to each image of a frame, as far as signatures of its tiles are concerned.
//!
//! Commands of one queue execute in the order of their submission as far as an image is concerned; an image that several queues use is
//! not followed.

use crate::frame::{
    Attachment, AttachmentUse, Barrier, FrameStructure, HOST_QUEUE, ImageRef, Layout, LoadOp, Op, Pass, ShaderAccess,
    Side, StoreOp, Transfer, TransferKind,
};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// VK_IMAGE_LAYOUT_GENERAL.
pub const GENERAL: Layout = Layout(1);
/// VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL.
pub const COLOR_ATTACHMENT: Layout = Layout(2);
/// VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL.
pub const SHADER_READ_ONLY: Layout = Layout(5);
/// VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL.
pub const TRANSFER_SRC: Layout = Layout(6);
/// VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL.
pub const TRANSFER_DST: Layout = Layout(7);
/// VK_IMAGE_LAYOUT_PRESENT_SRC_KHR.
pub const PRESENT_SRC: Layout = Layout(1_000_001_002);
/// Layouts in which signatures are kept.
pub const SAFE: [Layout; 4] = [COLOR_ATTACHMENT, SHADER_READ_ONLY, TRANSFER_SRC, PRESENT_SRC];

/// Something that happens to an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A pass renders to it as colour and stores it.
    Rendered {
        /// Number of the pass.
        pass: u32,
        /// Its attachment.
        attachment: u32,
        /// In VK_IMAGE_LAYOUT_GENERAL.
        general: bool,
        /// The pass loads what was there.
        loads: bool,
    },
    /// It is in this layout from here on.
    In(Layout),
    /// Its layout is given as UNDEFINED; of swapchains this is not said.
    Undefined,
    /// A blit writes it.
    Blit,
    /// Something that signatures do not survive and that could not easily be otherwise, or that is not known.
    Other,
}

/// The steps of an image in a frame, in order, and the queue that makes the first of them.
pub type Steps = (Vec<Step>, Option<u32>);

/// The steps of each image of a frame.
pub fn of(frame: &FrameStructure) -> Vec<Steps> {
    let mut build = Build {
        frame,
        all: alloc::vec![Vec::new(); frame.images.len()],
        queues: alloc::vec![None; frame.images.len()],
        queue: 0,
    };
    let mut number = 0;
    for submission in &frame.submissions {
        build.queue = submission.queue;
        for op in &submission.ops {
            match op {
                Op::Pass(pass) => {
                    build.pass(pass, number);
                    number += 1;
                }
                Op::Transfer(transfer) => build.transfer(transfer),
                Op::Barrier(barrier) => build.barrier(barrier),
                Op::Event(_) => {}
                Op::Dispatch(dispatch) => build.shaders(&dispatch.shader),
                Op::Opaque(opaque) => build.shaders(&opaque.shader),
            }
        }
    }
    build.all.into_iter().zip(build.queues).collect()
}

struct Build<'f> {
    frame: &'f FrameStructure,
    all: Vec<Vec<Step>>,
    /// Queue that uses each image.
    queues: Vec<Option<u32>>,
    queue: u32,
}

impl Build<'_> {
    fn add(&mut self, image: Option<ImageRef>, step: Step) {
        let Some(at) = image.map(|image| image.0 as usize) else { return };
        let (Some(steps), Some(queue)) = (self.all.get_mut(at), self.queues.get_mut(at)) else { return };
        if *queue.get_or_insert(self.queue) != self.queue {
            steps.push(Step::Other);
        }
        steps.push(step);
    }

    fn undefined(&mut self, image: Option<ImageRef>) {
        let described = image.and_then(|image| self.frame.images.get(image.0 as usize));
        // What is acquired from a swapchain keeps its signatures.
        if described.is_some_and(|image| image.swapchain.is_none()) {
            self.add(image, Step::Undefined);
        }
    }

    fn layout(&mut self, image: Option<ImageRef>, layout: Layout) {
        if layout == Layout::UNDEFINED { self.undefined(image) } else { self.add(image, Step::In(layout)) }
    }

    fn barrier(&mut self, barrier: &Barrier) {
        for named in &barrier.images {
            if named.families.is_some_and(|(from, to)| from != to) {
                self.add(named.image, Step::Other);
            }
            // Equal layouts are no transition.
            if named.old_layout != named.new_layout {
                self.layout(named.image, named.old_layout);
                self.add(named.image, Step::In(named.new_layout));
            }
        }
    }

    fn transfer(&mut self, transfer: &Transfer) {
        // What the host can read lies in the layouts that it knows.
        let by_host = self.queue == HOST_QUEUE;
        for region in &transfer.regions {
            if let Some(Side::Image(side)) = region.src.as_ref().filter(|_| by_host) {
                self.add(side.image, Step::Other);
            }
            if let Some(Side::Image(side)) = &region.dst {
                let blit = transfer.kind == TransferKind::Blit && !by_host;
                self.add(side.image, if blit { Step::Blit } else { Step::Other });
            }
        }
    }

    /// To sample an image changes nothing of it; whatever else shaders do may, or needs a layout of its own.
    fn shaders(&mut self, shader: &ShaderAccess) {
        let others = shader.images.iter().filter(|access| access.kind != crate::frame::AccessKind::Sampled);
        others.for_each(|access| self.add(access.image, Step::Other));
    }

    fn pass(&mut self, pass: &Pass, number: u32) {
        let mut shown: BTreeMap<ImageRef, u32> = BTreeMap::new();
        for image in pass.attachments.iter().filter_map(|a| a.image) {
            *shown.entry(image).or_default() += 1;
        }
        // What one subpass renders to and another samples.
        let sampled = pass.subpasses.iter().filter(|s| s.drawn).flat_map(|s| &s.shader.images);
        let sampled: BTreeSet<ImageRef> = sampled.filter_map(|access| access.image).collect();
        self.draws(pass);
        for (index, attachment) in (0u32..).zip(&pass.attachments) {
            let alone = |image: ImageRef| shown.get(&image) == Some(&1) && !sampled.contains(&image);
            match Role::of(pass, index, attachment) {
                _ if !attachment.image.is_some_and(alone) => {
                    self.add(attachment.image, Step::Other);
                }
                Role::Other => self.add(attachment.image, Step::Other),
                Role::Input(layouts) => self.through(pass, attachment, &layouts, None),
                Role::Color(layouts, general) => {
                    let loads = attachment.load == LoadOp::Load;
                    let rendered = Step::Rendered { pass: number, attachment: index, general, loads };
                    self.through(pass, attachment, &layouts, Some(rendered));
                }
            }
        }
        self.draws(pass);
    }

    fn draws(&mut self, pass: &Pass) {
        pass.subpasses.iter().filter(|s| s.drawn).for_each(|s| self.shaders(&s.shader));
        let maps = pass.subpasses.iter().filter_map(|s| s.shading_rate).map(|rate| rate.attachment);
        for map in maps.chain(pass.density_map.map(|map| map.attachment)) {
            let image = pass.attachments.get(map as usize).and_then(|attachment| attachment.image);
            self.add(image, Step::Other);
        }
    }

    /// The layouts of an attachment in a pass.
    fn through(&mut self, pass: &Pass, attachment: &Attachment, layouts: &[Layout], rendered: Option<Step>) {
        if !pass.dynamic {
            self.layout(attachment.image, attachment.initial_layout);
        }
        layouts.iter().for_each(|layout| self.add(attachment.image, Step::In(*layout)));
        if let Some(rendered) = rendered {
            self.add(attachment.image, rendered);
        }
        if !pass.dynamic {
            self.add(attachment.image, Step::In(attachment.final_layout));
        }
    }
}

/// What a pass does with one of its attachments.
enum Role {
    /// It renders to it as colour and stores it; the layouts in which it uses it, and whether it renders to it in GENERAL.
    Color(Vec<Layout>, bool),
    /// It only reads it as input attachment, in these layouts.
    Input(Vec<Layout>),
    /// Anything else, or what is not known.
    Other,
}

impl Role {
    fn of(pass: &Pass, index: u32, attachment: &Attachment) -> Self {
        let is_it = |used: &&AttachmentUse| used.attachment == index;
        let mut colors = Vec::new();
        let mut inputs = Vec::new();
        for subpass in &pass.subpasses {
            let color: Vec<&AttachmentUse> = subpass.color.iter().flatten().filter(is_it).collect();
            let input: Vec<&AttachmentUse> = subpass.input.iter().flatten().filter(is_it).collect();
            let depth = [&subpass.depth, &subpass.stencil].into_iter().flatten().any(|used| is_it(&used));
            let resolves = subpass.resolve.iter().chain([&subpass.depth_resolve, &subpass.stencil_resolve]).flatten();
            let resolved = resolves.into_iter().any(|target| target.attachment == index);
            // Read while it is rendered to, sampled or as input.
            let feedback = color.iter().any(|used| used.feedback) || !color.is_empty() && !input.is_empty();
            if depth || resolved || feedback {
                return Self::Other;
            }
            colors.extend(color.iter().map(|used| used.layout));
            inputs.extend(input.iter().map(|used| used.layout));
        }
        let known = colors.iter().chain(&inputs).all(|layout| *layout != Layout::UNDEFINED);
        let kept = matches!(attachment.load, LoadOp::Load | LoadOp::None);
        match (colors.is_empty(), inputs.is_empty()) {
            _ if !known => Self::Other,
            (true, false) if kept => Self::Input(inputs),
            (false, _) if attachment.store == StoreOp::Store => {
                let general = colors.contains(&GENERAL);
                colors.extend(inputs);
                Self::Color(colors, general)
            }
            _ => Self::Other,
        }
    }
}
