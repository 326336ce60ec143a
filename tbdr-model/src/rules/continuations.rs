//! Passes that could go on where an earlier one stopped: what TL009 and TL010 rest on.
//!
//! Input: a frame. Output: pairs of passes of which the second renders to attachments of the first, loads what that stored, and reads
//! nothing that lies between. What the queue does in between can be recorded before the first pass, because it does not wait
//! for it: a dispatch or a transfer that no barrier orders behind a pass may run before that pass as it is, and a pass that shares no
//! image with it, and by the barriers no buffer, may be moved. What only the second renders to can be attached from the start where nothing
//! has touched it since: its contents, or none, are there already. Who depends on a pass ends what could have continued in it, so that
//! all pairs of a frame can be merged together. What is not known ends it as well.

use super::Structure;
use crate::format;
use crate::frame::{
    Aspects, Attachment, AttachmentUse, Barrier, Dependency, HOST_QUEUE, Image, ImageAccess, ImageRef, Layout, LoadOp,
    Op, Pass, SUBPASS_EXTERNAL, Scope, ShaderAccess, Side, StoreOp, Subpass, Transfer, TransferKind,
};
use crate::graph::liveness::{may_be_read_unseen, may_share_memory};
use crate::graph::touched;
use crate::model::{PassView, is_read_only};
use crate::whatif::merge_passes;
use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// An aspect of an attachment of a pass: number of the pass, index of the attachment, aspect.
pub type Place = (u32, u32, Aspects);

/// A pass that could continue in an earlier one.
#[derive(Clone, Debug, Default)]
pub struct Continuation {
    /// The pass before it: itself perhaps the continuation of another.
    pub first: u32,
    /// The pass that could continue there.
    pub second: u32,
    /// Passes that would have to be one before: those from which on all attachments of the second that any of them has are there.
    pub through: Vec<u32>,
    /// What it loads, each with the store that would go.
    pub loads: Vec<(Place, Place)>,
    /// What its loads clear, which commands would have to clear.
    pub clears: Vec<Place>,
    /// What it renders to and none of the passes before does: indices of its attachments.
    pub added: Vec<u32>,
    /// Passes between the two.
    pub between: Vec<u32>,
    /// Whether dispatches or transfers lie between the two.
    pub commands_between: bool,
    /// Whether barriers lie between the two.
    pub barriers_between: bool,
    /// Whether the two are submitted apart.
    pub apart: bool,
}

/// Passes that are open for continuation at a time. Frames come back to a target soon or not at all, and each pass is compared with all.
const OPEN: usize = 16;

/// Passes that are looked back at for one with all attachments.
const LOOK_BACK: usize = 16;

/// All continuations of a frame, in order of the second pass.
pub fn continuations(structure: &Structure<'_>) -> Vec<Continuation> {
    let frame = structure.frame;
    let one_queue = frame.submissions.windows(2).all(|pair| pair[0].queue == pair[1].queue);
    let (mut open, mut found, mut number): (Vec<Chain<'_>>, Vec<Continuation>, u32) = (Vec::new(), Vec::new(), 0);
    for submission in &frame.submissions {
        // What the host writes once it has waited, the second pass may need and the first must not see.
        if !one_queue || submission.queue == HOST_QUEUE || !submission.unwaited {
            open.clear();
        }
        open.iter_mut().for_each(|chain| (chain.apart, chain.spread) = (true, true));
        for op in &submission.ops {
            match op {
                Op::Barrier(barrier) => open.retain_mut(|chain| chain.barrier(barrier, &frame.images)),
                Op::Dispatch(dispatch) => open.retain_mut(|chain| chain.dispatch(&dispatch.shader)),
                Op::Transfer(transfer) => open.retain_mut(|chain| chain.transfer(transfer)),
                Op::Event(_) | Op::Opaque(_) => open.clear(),
                Op::Pass(pass) => {
                    found.extend(take_in(&mut open, number, pass, &frame.images));
                    number += 1;
                }
            }
        }
    }
    found
}

/// A pass joins the newest chain that it continues, and ends those that it depends on; else it begins one.
fn take_in<'a>(open: &mut Vec<Chain<'a>>, number: u32, pass: &'a Pass, images: &[Image]) -> Option<Continuation> {
    let view = PassView::new(pass, images);
    let mut joined = None;
    for at in (0..open.len()).rev() {
        joined = open[at].continuation(number, pass, images).map(|found| (at, found));
        if joined.is_some() {
            break;
        }
    }
    let own = joined.as_ref().map(|(at, _)| *at);
    let mut at = 0;
    open.retain_mut(|chain| {
        at += 1;
        own == Some(at - 1) || chain.pass(number, pass, images)
    });
    match joined {
        Some((_, (found, merged))) => {
            let chain = open.iter_mut().find(|chain| chain.last == found.first)?;
            chain.join(number, pass, merged);
            // The newest is looked at first, and stays longest.
            let at = open.iter().position(|chain| chain.last == number)?;
            let chain = open.remove(at);
            open.push(chain);
            Some(found)
        }
        None => {
            if !view.is_empty() && is_plain(pass) {
                if open.len() == OPEN {
                    open.remove(0);
                }
                open.push(Chain::begin(number, pass));
            }
            None
        }
    }
}

/// Whether nothing about the pass is out of the ordinary.
fn is_plain(pass: &Pass) -> bool {
    pass.view_areas.is_empty() && pass.tile_memory == 0 && pass.tile_shading.is_none() && pass.density_map.is_none()
}

/// A pass with what continues in it, while nothing depends on it yet.
struct Chain<'a> {
    last: u32,
    /// Its passes.
    members: Vec<(u32, &'a Pass)>,
    /// All of it as one pass.
    pass: Cow<'a, Pass>,
    /// Images that it has as attachments.
    attached: BTreeSet<ImageRef>,
    /// Images that its shaders reach, and those of them that they may write.
    reached: BTreeSet<ImageRef>,
    written: BTreeSet<ImageRef>,
    known: bool,
    /// Stages that wait for it.
    ordered: u64,
    /// A barrier may carry what its shaders write to shaders that follow, or keep these from writing too early.
    tied: bool,
    /// Who stored an aspect of its attachments last.
    stored: BTreeMap<(u32, Aspects), Place>,
    between: Vec<u32>,
    commands_between: bool,
    barriers_between: bool,
    apart: bool,
    /// Whether it has begun in an earlier submission.
    spread: bool,
    /// Images that other work has touched since it began, and those that lost their contents by a barrier.
    touched: BTreeSet<ImageRef>,
    lost: BTreeSet<ImageRef>,
}

/// The images that a pass has as attachments.
fn attached(pass: &Pass) -> impl Iterator<Item = ImageRef> + '_ {
    pass.attachments.iter().filter_map(|a| a.image)
}

/// What the shaders of a pass reach: images, and whether that is all.
fn reached(pass: &Pass) -> (impl Iterator<Item = &ImageAccess>, bool) {
    let drawn = || pass.subpasses.iter().filter(|s| s.drawn);
    // An image that is not known may be any.
    let known = drawn().all(|s| s.shader.known && s.shader.images.iter().all(|access| access.image.is_some()));
    (drawn().flat_map(|s| &s.shader.images), known)
}

impl<'a> Chain<'a> {
    fn begin(number: u32, pass: &'a Pass) -> Self {
        let mut chain = Self {
            last: number,
            members: Vec::new(),
            pass: Cow::Borrowed(pass),
            attached: BTreeSet::new(),
            reached: BTreeSet::new(),
            written: BTreeSet::new(),
            known: true,
            ordered: 0,
            tied: false,
            stored: BTreeMap::new(),
            between: Vec::new(),
            commands_between: false,
            barriers_between: false,
            apart: false,
            spread: false,
            touched: BTreeSet::new(),
            lost: BTreeSet::new(),
        };
        chain.take(number, pass);
        chain
    }

    /// Takes in what a pass that belongs to it does.
    fn take(&mut self, number: u32, pass: &'a Pass) {
        self.members.push((number, pass));
        self.attached.extend(attached(pass));
        let (images, known) = reached(pass);
        for access in images {
            self.reached.extend(access.image);
            self.written.extend(access.image.filter(|_| access.kind.writes()));
        }
        self.known &= known;
        for (index, attachment) in (0u32..).zip(&pass.attachments) {
            let Some(own) = self.pass.attachments.iter().position(|a| merge_passes::is_same_view(a, attachment)) else {
                continue;
            };
            for aspect in [Aspects::COLOR, Aspects::DEPTH, Aspects::STENCIL] {
                if targets(pass, index, aspect) && store(attachment, aspect) == StoreOp::Store {
                    self.stored.insert((own as u32, aspect), (number, index, aspect));
                }
            }
        }
        for dependency in pass.dependencies.iter().filter(|d| d.dst == SUBPASS_EXTERNAL) {
            self.order(&scope(dependency));
        }
    }

    fn join(&mut self, number: u32, pass: &'a Pass, merged: Pass) {
        self.pass = Cow::Owned(merged);
        self.last = number;
        self.take(number, pass);
        self.between.clear();
        (self.commands_between, self.barriers_between, self.apart) = (false, false, false);
    }

    /// A dependency: `true` if work of the chain comes first.
    fn order(&mut self, scope: &Scope) -> bool {
        let follows = scope.src_stages & stage::OF_A_PASS != 0 || scope.src_stages & expanded(self.ordered) != 0;
        if follows {
            self.ordered |= scope.dst_stages;
            self.tied |= ties(scope);
        }
        follows
    }

    /// Whether it stays open.
    fn barrier(&mut self, barrier: &Barrier, images: &[Image]) -> bool {
        let with = |own: &Scope| Scope {
            src_stages: own.src_stages | barrier.stages.src_stages,
            dst_stages: own.dst_stages | barrier.stages.dst_stages,
            ..*own
        };
        self.barriers_between = true;
        self.order(&barrier.stages);
        for memory in &barrier.memory {
            self.order(&with(memory));
        }
        for buffer in &barrier.buffers {
            if buffer.families.is_some() {
                return false;
            }
            self.order(&with(&buffer.scope));
        }
        for image in &barrier.images {
            let Some(reference) = image.image else { return false };
            let scope = with(&image.scope);
            if image.families.is_some() {
                return false;
            }
            if image.old_layout == Layout::UNDEFINED {
                self.lost.insert(reference);
            }
            if self.attached.contains(&reference) {
                // Its accesses are those of its passes, but its contents may go.
                if image.old_layout == Layout::UNDEFINED && image.new_layout != Layout::UNDEFINED {
                    return false;
                }
                self.order(&Scope { src_access: 0, dst_access: 0, ..scope });
            } else if self.reached.contains(&reference) && image.old_layout != image.new_layout {
                return false;
            } else if self.order(&scope) {
                // A transition that waits for it: its shaders may use the image as it was.
                let listed = images.get(reference.0 as usize).is_some_and(is_listed);
                if !(listed && self.known && !self.reached.contains(&reference)) {
                    return false;
                }
            }
        }
        true
    }

    fn dispatch(&mut self, shader: &ShaderAccess) -> bool {
        self.commands_between = true;
        self.touched.extend(shader.images.iter().filter_map(|access| access.image));
        let touches = |access: &ImageAccess, image: ImageRef| {
            self.attached.contains(&image) || access.kind.writes() && self.reached.contains(&image)
        };
        let apart = shader.known && shader.images.iter().all(|a| a.image.is_some_and(|image| !touches(a, image)));
        apart && expanded(self.ordered) & stage::COMPUTE == 0
    }

    fn transfer(&mut self, transfer: &Transfer) -> bool {
        self.commands_between = true;
        let image = |side: &Option<Side>| match side {
            Some(Side::Image(side)) => Some(side.image),
            _ => None,
        };
        let sides = transfer.regions.iter().flat_map(|region| [&region.src, &region.dst]);
        self.touched.extend(sides.filter_map(image).flatten());
        let apart = |image: Option<ImageRef>| image.is_some_and(|image| !self.attached.contains(&image));
        let unread = |image: Option<ImageRef>| image.is_some_and(|image| !self.reached.contains(&image));
        let apart = transfer.regions.iter().all(|region| {
            let to = image(&region.dst);
            image(&region.src).is_none_or(apart) && to.is_none_or(apart) && to.is_none_or(unread)
        });
        // Queries wait for the passes that they are about without a barrier.
        apart && transfer.kind != TransferKind::CopyQueryResults && expanded(self.ordered) & stage::TRANSFER == 0
    }

    /// A pass that does not belong to it: whether the chain stays open, because the pass can be moved before it.
    fn pass(&mut self, number: u32, pass: &Pass, images: &[Image]) -> bool {
        self.between.push(number);
        let (mut accesses, known) = reached(pass);
        // Where memory is shared, other contents may lie where the pass would render too early.
        let own = |image: &ImageRef| images.get(image.0 as usize).is_some_and(|image| !may_share_memory(image));
        let apart = known
            && self.known
            && attached(pass).all(|image| !self.attached.contains(&image) && !self.reached.contains(&image))
            && pass.attachments.iter().all(|a| a.image.as_ref().is_some_and(own))
            && accesses.all(|access| self.is_apart(access));
        self.touched.extend(attached(pass).chain(reached(pass).0.filter_map(|access| access.image)));
        let open = apart && !self.is_tied(pass);
        // What waits for the pass waits for what the pass waits for.
        for dependency in pass.dependencies.iter().filter(|d| d.src == SUBPASS_EXTERNAL) {
            self.order(&scope(dependency));
        }
        for dependency in pass.dependencies.iter().filter(|d| d.dst == SUBPASS_EXTERNAL) {
            let scope = scope(dependency);
            if scope.src_stages & expanded(self.ordered) != 0 {
                self.ordered |= scope.dst_stages;
                self.tied |= ties(&scope);
            }
        }
        open
    }

    /// Whether what shaders of other work reach is nothing that the chain renders to, and neither side writes what the other reaches.
    fn is_apart(&self, access: &ImageAccess) -> bool {
        access.image.is_some_and(|image| {
            let written = self.written.contains(&image) || access.kind.writes() && self.reached.contains(&image);
            !self.attached.contains(&image) && !written
        })
    }

    /// Whether shaders of a pass may depend on those of the chain.
    fn is_tied(&self, pass: &Pass) -> bool {
        let into = pass.dependencies.iter().filter(|d| d.src == SUBPASS_EXTERNAL).map(scope);
        let follows = |s: &Scope| s.src_stages & (stage::OF_A_PASS | expanded(self.ordered)) != 0;
        self.tied || into.filter(follows).any(|scope| ties(&scope))
    }

    /// The pass as a continuation, and all of it as one pass then.
    fn continuation(&self, number: u32, pass: &Pass, images: &[Image]) -> Option<(Continuation, Pass)> {
        let chain: &Pass = &self.pass;
        let (last, [added]) = (chain.subpasses.last()?, pass.subpasses.as_slice()) else { return None };
        let same = (chain.dynamic, chain.extent, chain.render_area, chain.layers)
            == (pass.dynamic, pass.extent, pass.render_area, pass.layers)
            && (last.view_mask, last.flags, last.samples) == (added.view_mask, added.flags, added.samples);
        let plain = is_plain(pass) && added.barriers.is_empty() && last.barriers.is_empty();
        let loops = last.targets().chain(added.targets()).any(|used| used.feedback);
        if !same || !plain || loops || self.is_tied(pass) || !self.is_free_of(pass, images) {
            return None;
        }
        let merged = merge_passes::merged(chain, pass)?;
        let mut found = Continuation {
            first: self.last,
            second: number,
            through: self.through(pass)?,
            between: self.between.clone(),
            commands_between: self.commands_between,
            barriers_between: self.barriers_between,
            apart: self.apart,
            ..Continuation::default()
        };
        for (index, attachment) in (0u32..).zip(&pass.attachments) {
            let own = chain.attachments.iter().position(|a| merge_passes::is_same_view(a, attachment));
            for aspect in [Aspects::COLOR, Aspects::DEPTH, Aspects::STENCIL] {
                if !targets(pass, index, aspect) || !has(attachment, aspect) {
                    continue;
                }
                // What is written and not stored is undefined: that is another matter.
                let written = touched::in_pass(pass, index, aspect).is_none_or(|touch| touch.writes);
                let Some(own) = own.map(|own| own as u32) else {
                    let lost = attachment.image.is_none_or(|image| self.lost.contains(&image));
                    match (load(attachment, aspect), store(attachment, aspect)) {
                        (LoadOp::None, _) => return None,
                        (_, StoreOp::None) if written => return None,
                        (LoadOp::Load, _) if lost => return None,
                        _ if found.added.last() == Some(&index) => {}
                        _ => found.added.push(index),
                    }
                    continue;
                };
                // Not read as input by the draws it would join.
                let place = (number, index, aspect);
                if last.input.iter().flatten().any(|used| used.attachment == own) {
                    return None;
                }
                match (load(attachment, aspect), store(attachment, aspect)) {
                    (LoadOp::Load, StoreOp::None) if written => return None,
                    (LoadOp::Load, _) => {
                        let seen = images.get(attachment.image?.0 as usize).filter(|i| !may_be_read_unseen(i));
                        let kept = store(chain.attachments.get(own as usize)?, aspect) == StoreOp::Store;
                        let stored = self.stored.get(&(own, aspect)).filter(|_| kept && seen.is_some())?;
                        found.loads.push((place, *stored));
                    }
                    (LoadOp::None, _) | (_, StoreOp::None) => return None,
                    (LoadOp::Clear, _) => found.clears.push(place),
                    (LoadOp::DontCare, _) => {}
                }
            }
        }
        (!found.loads.is_empty() && resolves_stay(chain, last, pass, added)).then_some((found, merged))
    }

    /// The newest passes of the chain, from the one on that brings the last attachment which the chain shares with `pass`.
    fn through(&self, pass: &Pass) -> Option<Vec<u32>> {
        let has = |of: &Pass, a: &Attachment| of.attachments.iter().any(|own| merge_passes::is_same_view(own, a));
        let mut missing: Vec<&Attachment> = pass.attachments.iter().filter(|a| has(&self.pass, a)).collect();
        let newest = self.members.iter().rev().take(LOOK_BACK);
        let back = newest.clone().position(|(_, member)| {
            missing.retain(|a| !has(member, a));
            missing.is_empty()
        })?;
        Some(newest.take(back + 1).map(|(number, _)| *number).collect::<Vec<_>>().into_iter().rev().collect())
    }

    /// Whether the shaders of a pass reach nothing of the chain, and what only the pass has as attachment is nothing to the chain and as
    /// it was when that began.
    fn is_free_of(&self, pass: &Pass, images: &[Image]) -> bool {
        let (mut accesses, known) = reached(pass);
        if !known || !accesses.all(|access| self.is_apart(access)) {
            return false;
        }
        // What the chain samples as well (under a read-only layout) could not be written while it is an attachment of all of it.
        if attached(pass).any(|image| self.reached.contains(&image)) || !self.known && has_read_only_target(&self.pass)
        {
            return false;
        }
        let own = |a: &Attachment| self.pass.attachments.iter().any(|of_chain| merge_passes::is_same_view(of_chain, a));
        pass.attachments.iter().filter(|a| !own(a)).all(|a| {
            let new = |image: &ImageRef| {
                let met = [&self.attached, &self.reached, &self.touched].into_iter().any(|met| met.contains(image));
                // Somebody who is not recorded, or whom a later submission waits for, may still have it when the chain begins.
                !met && images.get(image.0 as usize).is_some_and(|image| !may_be_read_unseen(image))
            };
            self.known && !self.spread && a.image.as_ref().is_some_and(new)
        })
    }
}

/// Whether shaders may sample a target of the pass, since no draw writes it there.
fn has_read_only_target(pass: &Pass) -> bool {
    let aspects = [Aspects::DEPTH, Aspects::STENCIL];
    let mut targets = pass.subpasses.iter().flat_map(|s| [s.depth, s.stencil]).flatten();
    targets.any(|used| aspects.iter().any(|aspect| is_read_only(used.layout, *aspect)))
}

/// Whether what the chain resolves is resolved at the end of all of it just as well.
fn resolves_stay(chain: &Pass, last: &Subpass, pass: &Pass, added: &Subpass) -> bool {
    let same = |a: u32, b: u32| {
        let views = chain.attachments.get(a as usize).zip(pass.attachments.get(b as usize));
        views.is_some_and(|(a, b)| merge_passes::is_same_view(a, b))
    };
    let color = last.color.iter().zip(&last.resolve).filter_map(|(used, resolve)| Some(((*used)?, (*resolve)?)));
    let colors_stay = color.into_iter().all(|(used, resolve)| {
        let continued = added.color.iter().position(|own| own.is_some_and(|o| same(used.attachment, o.attachment)));
        continued.is_none_or(|slot| {
            let own = added.resolve.get(slot).copied().flatten();
            own.is_some_and(|own| own.mode == resolve.mode && same(resolve.attachment, own.attachment))
        })
    });
    let of = |used: Option<AttachmentUse>, resolve: Option<crate::frame::ResolveUse>| used.zip(resolve);
    let pairs = [
        (of(last.depth, last.depth_resolve), added.depth, added.depth_resolve),
        (of(last.stencil, last.stencil_resolve), added.stencil, added.stencil_resolve),
    ];
    let depths_stay = pairs.into_iter().all(|(of_chain, used, own)| match (of_chain, used) {
        (Some((_, resolve)), Some(_)) => {
            own.is_some_and(|own| own.mode == resolve.mode && same(resolve.attachment, own.attachment))
        }
        _ => true,
    });
    colors_stay && depths_stay
}

/// Whether a subpass renders to this aspect of an attachment.
fn targets(pass: &Pass, attachment: u32, aspect: Aspects) -> bool {
    let is_it = |used: &Option<AttachmentUse>| used.is_some_and(|used| used.attachment == attachment);
    pass.subpasses.iter().any(|s| match aspect {
        Aspects::COLOR => s.color.iter().any(is_it),
        Aspects::DEPTH => is_it(&s.depth),
        _ => is_it(&s.stencil),
    })
}

fn has(attachment: &Attachment, aspect: Aspects) -> bool {
    format::info(attachment.format).is_none_or(|info| info.aspects().contains(aspect))
}

fn load(attachment: &Attachment, aspect: Aspects) -> LoadOp {
    if aspect == Aspects::STENCIL { attachment.stencil_load } else { attachment.load }
}

fn store(attachment: &Attachment, aspect: Aspects) -> StoreOp {
    if aspect == Aspects::STENCIL { attachment.stencil_store } else { attachment.store }
}

/// Whether what shaders reach of an image is recorded: those that can be attachments.
fn is_listed(image: &Image) -> bool {
    use crate::frame::usage::{COLOR_ATTACHMENT, DEPTH_STENCIL_ATTACHMENT, INPUT_ATTACHMENT, TRANSIENT_ATTACHMENT};
    image.all_usage() & (COLOR_ATTACHMENT | DEPTH_STENCIL_ATTACHMENT | INPUT_ATTACHMENT | TRANSIENT_ATTACHMENT) != 0
}

fn scope(dependency: &Dependency) -> Scope {
    let Dependency { src_stages, src_access, dst_stages, dst_access, .. } = *dependency;
    Scope { src_stages, src_access, dst_stages, dst_access }
}

/// VkPipelineStageFlagBits2, in groups.
mod stage {
    /// TOP_OF_PIPE, ALL_COMMANDS: as a destination everything.
    pub const EVERYTHING: u64 = 0x1 | 0x1_0000;
    /// DRAW_INDIRECT, which comes before the shaders of a dispatch, and COMPUTE_SHADER.
    pub const COMPUTE: u64 = 0x2 | 0x800;
    /// ALL_TRANSFER, COPY, RESOLVE, BLIT, CLEAR.
    pub const TRANSFER: u64 = 0x1000 | 0xf_0000_0000;
    /// DRAW_INDIRECT to FRAGMENT_SHADER, ALL_GRAPHICS, CONDITIONAL_RENDERING, TASK and MESH_SHADER, TRANSFORM_FEEDBACK, INDEX_INPUT,
    /// VERTEX_ATTRIBUTE_INPUT, PRE_RASTERIZATION_SHADERS: what may reach memory other than attachments.
    pub const REACHES_MEMORY: u64 = 0xfe | 0x8000 | 0x4_0000 | 0x8_0000 | 0x10_0000 | 0x100_0000 | 0x70_0000_0000;
    /// These, the tests, COLOR_ATTACHMENT_OUTPUT, BOTTOM_OF_PIPE, ALL_COMMANDS, the shading rate and the density map: as a source
    /// work of a pass.
    pub const OF_A_PASS: u64 = REACHES_MEMORY | 0x700 | 0x2000 | 0x1_0000 | 0xc0_0000;
}

/// The stages that wait, with those that come after them.
fn expanded(stages: u64) -> u64 {
    if stages & stage::EVERYTHING != 0 { u64::MAX } else { stages }
}

/// Whether a dependency may carry to shaders what shaders wrote, or keep them from writing what others still read. Which buffers shaders
/// write is not recorded.
pub fn ties(scope: &Scope) -> bool {
    /// SHADER_WRITE, MEMORY_WRITE, the writes of transform feedback, SHADER_STORAGE_WRITE.
    const WRITES: u64 = 0x40 | 0x1_0000 | 0x200_0000 | 0x800_0000 | 0x4_0000_0000;
    // Accesses of attachments, transfers and the host: COLOR_ATTACHMENT_READ to HOST_WRITE.
    const ELSEWHERE: u64 = 0x7f80;
    let waits = expanded(scope.dst_stages) & stage::REACHES_MEMORY != 0;
    let carries = scope.src_access & WRITES != 0 && scope.dst_access & !ELSEWHERE != 0;
    // Execution alone is what keeps a write behind a read: accesses need not be named.
    let order_alone = scope.src_access == 0 && scope.dst_access == 0 && scope.src_stages & stage::REACHES_MEMORY != 0;
    waits && (carries || order_alone || scope.dst_access & WRITES != 0)
}

#[cfg(test)]
mod simulated;
