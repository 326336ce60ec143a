//! TL505.

use super::between::{Beside, Between};
use super::orders::{self, Orders, named, stages_of};
use super::{Candidate, Evidence, Gather, Sighting, Structure, Worth, narrower, rule};
use crate::frame::{Barrier, ImageBarrier, ImageRef, Layout, Op, SubresourceRange};
use crate::report::{Basis, Quantity};
use crate::schedule::order::Narrowed;
use crate::schedule::stages::{self, Class, Classes, Reading};
use crate::schedule::touches::{self, Resource};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// An image barrier that changes no layout and makes nothing visible that a barrier before it has not made visible to the same stages and
    /// accesses, while the images were at most read since, and without which no two accesses lose their order.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Every barrier is a point at which the slot for vertices and compute and the slot for fragments may have to wait for each other, and
    /// caches may be cleaned.
    ///
    /// ## Bad
    /// One barrier from `COLOR_ATTACHMENT_OUTPUT` to `FRAGMENT_SHADER` after an image was rendered, and the like of it before each pass that
    /// samples it.
    ///
    /// ## Good
    /// The first of them alone.
    ///
    /// ## How much
    /// The number of barriers that can go.
    ///
    /// ## When to ignore
    /// If the barrier stands in code that does not know what came before it. A note never fails a check.
    ///
    /// ## Known limits
    /// Only image barriers of images that can be attachments, all uses of which are known, and only where the barrier that covers them stands
    /// in the same frame, after the last write. A barrier that carries visibility to another stage or access, that orders a write after
    /// reads, moves ownership, or has to do with the host or with aliased memory is needed and not spoken of. Silent with events, with
    /// several queues and with more than three distinct frames. It holds with all advice of TL501, TL502 and TL503 followed, too.
    ///
    /// ## References
    /// Vulkan specification, "Execution and Memory Dependencies". Khronos Vulkan-Samples, performance/pipeline_barriers.
    REDUNDANT_BARRIER {
        code: "TL505",
        name: "redundant-barrier",
        category: Scheduling,
        level: Note,
        since: "0.1.0",
        speaks_before: &[],
        counts: ["barrier", "barriers"],
        check: check,
    }
}

/// How often barriers without which an order would be lost are dropped before all are.
const ROUNDS: usize = 8;

/// VkAccessFlags2: MEMORY_READ, MEMORY_WRITE, SHADER_READ, SHADER_WRITE and what the latter two stand for.
const MEMORY_READ: u64 = 0x8000;
const MEMORY_WRITE: u64 = 0x1_0000;
const SHADER_READ: u64 = 0x20;
const SHADER_WRITE: u64 = 0x40;
const SAMPLED_READ: u64 = 0x1_0000_0000;
const STORAGE_READ: u64 = 0x2_0000_0000;
const STORAGE_WRITE: u64 = 0x4_0000_0000;
/// Every access that writes.
const WRITES: u64 = MEMORY_WRITE | SHADER_WRITE | STORAGE_WRITE | 0x100 | 0x400 | 0x1000 | 0x4000;

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let Some(orders) = Orders::of(evidence) else { return Vec::new() };
    let writers = Writers::of(evidence);
    let mut all: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, structure) in &evidence.structures {
        let covered = covered(evidence, &writers, (*number, structure));
        if !covered.is_empty() {
            all.insert(*number, covered);
        }
    }
    // Whoever follows all advice on barriers at once has to be as safe.
    let mut others: BTreeMap<u32, Narrowed> = BTreeMap::new();
    for other in evidence.narrower() {
        others.entry(other.structure).or_default().insert(other.op, other.could_be);
    }
    for _ in 0..ROUNDS {
        all.retain(|_, ops| !ops.is_empty());
        if all.is_empty() {
            break;
        }
        let mut changes = others.clone();
        for (number, ops) in &all {
            changes.entry(*number).or_default().extend(ops.iter().map(|op| (*op, (0, 0))));
        }
        match orders.broken(&changes) {
            None => return told(evidence, &all),
            Some(shares) => {
                for (number, ops) in &mut all {
                    ops.retain(|op| !shares(*number, *op));
                }
            }
        }
    }
    Vec::new()
}

/// The submission of a barrier, and how many commands that are not called the same stand before it.
type Place = (usize, usize);

/// What a barrier is called: its neighbour, images, stages and layouts.
type Called<'a> = (Option<Beside>, Vec<&'a str>, Option<(u64, u64)>, Vec<(Layout, Layout)>);

fn told(evidence: &Evidence<'_>, all: &BTreeMap<u32, Vec<u32>>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for (number, ops) in all {
        let Some(structure) = evidence.structures.get(number) else { continue };
        let between = Between::of(structure.frame);
        // Barriers of one name, with the submission, how many other commands stand before each, and whether it can go.
        let mut groups: BTreeMap<Called<'_>, Vec<(Place, bool)>> = BTreeMap::new();
        let submissions = structure.frame.submissions.iter().enumerate();
        let commands = submissions.flat_map(|(at, submission)| submission.ops.iter().map(move |command| (at, command)));
        for (op, (submission, command)) in (0u32..).zip(commands) {
            let Op::Barrier(barrier) = command else { continue };
            let layouts = barrier.images.iter().map(|image| (image.old_layout, image.new_layout)).collect();
            let called = (between.beside(op), named(structure, barrier), stages_of(barrier), layouts);
            let known = groups.entry(called).or_default();
            known.push(((submission, op as usize - known.len()), ops.contains(&op)));
        }
        let mut by_pass: BTreeMap<Beside, (u64, Vec<String>)> = BTreeMap::new();
        for ((beside, images, stages, _), barriers) in groups {
            let (Some(beside), Some((source, destination))) = (beside, stages) else { continue };
            let go = barriers.iter().filter(|(_, goes)| *goes).count();
            // Of several that are told apart by nothing some may go only if it does not matter which: if they follow each other.
            let same_place = barriers.windows(2).all(|pair| pair[0].0 == pair[1].0);
            if go == 0 || go < barriers.len() && !same_place {
                continue;
            }
            let which = if barriers.len() == 1 {
                "the barrier".to_string()
            } else {
                format!("{go} of the {} barriers", barriers.len())
            };
            let (source, destination) = (narrower::words(source), narrower::words(destination));
            let (count, words) = by_pass.entry(beside).or_default();
            *count += go as u64;
            words.push(format!("{which} of {} from {source} to {destination}", images.join(", ")));
        }
        for (beside, (value, words)) in by_pass {
            gather.add(Sighting { structure: *number, pass: beside.pass, ..Sighting::default() }, || Candidate {
                worth: Worth::Amount { quantity: Quantity::Count, value, basis: Basis::Exact },
                fix: format!("Leave out, {}: {}", beside.words(structure), words.join("; ")),
                why: "a barrier before has made the same visible, nothing was written since, and no order rests on it"
                    .to_string(),
                ..Candidate::default()
            });
        }
    }
    gather.everywhere()
}

/// By which classes each image is written in any frame.
#[derive(Default)]
struct Writers<'a> {
    images: BTreeMap<&'a str, Classes>,
    /// What may write any image.
    any: Classes,
}

impl<'a> Writers<'a> {
    fn of(evidence: &Evidence<'a>) -> Self {
        let mut writers = Self::default();
        for structure in evidence.structures.values() {
            let touches = structure.frame.ops().flat_map(|op| touches::of(structure.frame, op));
            for touch in touches.filter(|touch| touch.writes) {
                let known = match touch.resource {
                    Resource::Image(image) => writers.images.entry(structure.image_id(ImageRef(image))).or_default(),
                    Resource::All => &mut writers.any,
                    Resource::Elsewhere => continue,
                };
                *known = known.with(Classes::of(touch.class));
            }
        }
        writers
    }

    fn all_of(&self, image: &str) -> Classes {
        self.images.get(image).copied().unwrap_or_default().with(self.any)
    }
}

/// Barriers that make nothing visible which is not visible already.
fn covered(evidence: &Evidence<'_>, writers: &Writers<'_>, (number, structure): (u32, &Structure<'_>)) -> Vec<u32> {
    let frame = structure.frame;
    let mut images: BTreeMap<u32, History<'_>> = BTreeMap::new();
    let mut found = Vec::new();
    for (op, command) in (0u32..).zip(frame.ops()) {
        if let Op::Barrier(barrier) = command {
            let covers = |image: &ImageBarrier| {
                let alone = |image: &ImageRef| orders::is_alone(evidence, number, structure, *image);
                let history = image.image.filter(alone).and_then(|image| images.get(&image.0));
                let writers = image.image.map_or(Classes::ALL, |image| writers.all_of(structure.image_id(image)));
                history.is_some_and(|history| history.covers(image, writers))
            };
            if stages_of(barrier).is_some() && barrier.images.iter().all(covers) {
                found.push(op);
            } else {
                remember(&mut images, barrier);
            }
        }
        for touch in touches::of(frame, command) {
            match touch.resource {
                Resource::Image(image) if touch.writes => {
                    let history = images.entry(image).or_default();
                    history.barriers.clear();
                    history.written = history.written.with(Classes::of(touch.class));
                }
                // Whatever may be written is not known to be visible.
                Resource::All if touch.writes => images.clear(),
                _ => {}
            }
        }
        if let Op::Pass(pass) = command {
            // A render pass changes layouts, and with them what is visible to whom.
            let attached = pass.attachments.iter().filter_map(|attachment| attachment.image);
            attached.for_each(|image| images.entry(image.0).or_default().barriers.clear());
        }
    }
    found
}

fn remember<'a>(images: &mut BTreeMap<u32, History<'a>>, barrier: &'a Barrier) {
    for image in &barrier.images {
        match image.image {
            Some(number) => images.entry(number.0).or_default().barrier(image),
            None => images.clear(),
        }
    }
}

/// What has happened to an image in the frame.
#[derive(Default)]
struct History<'a> {
    /// By what it was written.
    written: Classes,
    /// Barriers since the last write.
    barriers: Vec<&'a ImageBarrier>,
}

impl<'a> History<'a> {
    fn barrier(&mut self, barrier: &'a ImageBarrier) {
        if barrier.old_layout != barrier.new_layout || barrier.families.is_some() {
            // A transition writes: what barriers before it made visible is another state of the image.
            self.barriers.clear();
        }
        // It makes visible what it waits for and whose writes it names, and nothing else.
        let waits = writing(self.written) & !stages::accessing(barrier.scope.src_stages) == 0;
        if self.written != Classes::NONE && waits && names_writes(barrier.scope.src_access, self.written) {
            self.barriers.push(barrier);
        }
    }

    /// Whether another barrier adds nothing to what one of these does.
    fn covers(&self, other: &ImageBarrier, writers: Classes) -> bool {
        let plain = other.old_layout == other.new_layout && other.families.is_none();
        plain && self.barriers.iter().any(|barrier| covers(barrier, other, writers))
    }
}

fn covers(earlier: &ImageBarrier, later: &ImageBarrier, writers: Classes) -> bool {
    // What it makes visible is visible to the stages that it names, and to none after them.
    let unnamed = |mask: u64, earlier: u64| stages::accessing(mask) & !stages::accessing(earlier);
    let (is, was) = (Reading::WIDEST.of(&later.scope).1, Reading::NARROWEST.of(&earlier.scope).1);
    let stages = is.0 & !was.0 == 0 && unnamed(later.scope.dst_stages, earlier.scope.dst_stages) == 0;
    let accesses = later.scope.dst_access & !seen(earlier.scope.dst_access) == 0;
    // Whoever writes next needs what it waits for: TL505 is about reads.
    let reads = later.scope.dst_access & WRITES == 0;
    // What it makes available the earlier one has to make available, too: it may have been written in an earlier frame.
    let available = later.scope.src_access & WRITES;
    let earlier_writes = if earlier.scope.src_access & MEMORY_WRITE != 0 { WRITES } else { earlier.scope.src_access };
    let (after, waited) = (Reading::WIDEST.of(&later.scope).0, Reading::NARROWEST.of(&earlier.scope).0);
    // Work that is not modelled writes at any stage.
    let written = if writers == Classes::ALL { u64::MAX } else { writing(writers) };
    let not_available = unnamed(later.scope.src_stages, earlier.scope.src_stages) & written;
    let waits = after.0 & !waited.0 == 0 && not_available == 0;
    let writes = available == 0 || available & !earlier_writes == 0 && waits;
    let same = earlier.new_layout == later.old_layout && earlier.image == later.image;
    stages && accesses && reads && writes && same && holds(&earlier.range, &later.range)
}

/// The accesses that some accesses stand for.
fn seen(access: u64) -> u64 {
    let shader = if access & SHADER_READ != 0 { SAMPLED_READ | STORAGE_READ } else { 0 };
    if access & MEMORY_READ != 0 { !WRITES } else { access | shader }
}

/// The stages that write images in these classes.
fn writing(classes: Classes) -> u64 {
    let of = |class: Class| match class {
        Class::Indirect => 0,
        // Every shader before the rasterizer: which of them writes is not told.
        Class::Geometry => 0x8 | 0x10 | 0x20 | 0x40 | 0x8_0000 | 0x10_0000,
        Class::EarlyTests => 0x100,
        Class::Fragment => 0x80,
        Class::LateTests => 0x200,
        Class::Color => 0x400,
        Class::Compute => 0x800,
        Class::Transfer => 0x1000,
    };
    classes.each().fold(0, |all, class| all | of(class))
}

/// Whether accesses name what these classes write.
fn names_writes(access: u64, written: Classes) -> bool {
    let names = |class: Class| match class {
        Class::Color => 0x100,
        Class::EarlyTests | Class::LateTests => 0x400,
        Class::Transfer => 0x1000,
        _ => SHADER_WRITE | STORAGE_WRITE,
    };
    written.each().all(|class| access & (names(class) | MEMORY_WRITE) != 0)
}

fn holds(outer: &SubresourceRange, inner: &SubresourceRange) -> bool {
    let within = |from: u32, count: u32, other: u32, others: u32| {
        from <= other && other.saturating_add(others) <= from.saturating_add(count)
    };
    outer.aspects.contains(inner.aspects)
        && within(outer.base_mip, outer.mips, inner.base_mip, inner.mips)
        && within(outer.base_layer, outer.layers, inner.base_layer, inner.layers)
}
