//! Races of a frame that repeats, or of frames that follow each other, found by brute force: for every two accesses to an image of which one writes, every chain of barriers
//! between them is tried. Nothing of the model is used but the recorded frame itself.
//!
//! Semaphores are waited for where a submission begins and signalled where it ends. What others do to a swapchain's image comes before every
//! wait, and after every signal they may do anything. Whether all that came before is ordered by a wait depends on who signalled it: both are
//! tried.
//!
//! Knows passes by dynamic rendering with colour attachments, dispatches, and barriers of images: what the random frames are made of.

use std::collections::BTreeSet;
use tbdr_model::frame::{FrameStructure, Op};

const NAMES: [(&str, u64); 12] = [
    ("TOP_OF_PIPE", 0x1),
    ("DRAW_INDIRECT", 0x2),
    ("VERTEX_SHADER", 0x8),
    ("FRAGMENT_SHADER", 0x80),
    ("EARLY_FRAGMENT_TESTS", 0x100),
    ("LATE_FRAGMENT_TESTS", 0x200),
    ("COLOR_ATTACHMENT_OUTPUT", 0x400),
    ("COMPUTE_SHADER", 0x800),
    ("TRANSFER", 0x1000),
    ("BOTTOM_OF_PIPE", 0x2000),
    ("ALL_GRAPHICS", 0x8000),
    ("ALL_COMMANDS", 0x1_0000),
];

/// The stages that a finding names.
pub fn mask(words: &str) -> u64 {
    words
        .split(" | ")
        .map(|word| NAMES.iter().find(|(name, _)| *name == word.trim()).unwrap_or_else(|| panic!("{word}")).1)
        .sum()
}

/// The stages of a draw in their logical order, then the others.
const PIPELINE: [u64; 6] = [0x2, 0x8, 0x100, 0x80, 0x200, 0x400];
const OTHERS: [u64; 2] = [0x800, 0x1000];

/// How far DRAW_INDIRECT reaches: it comes before COMPUTE_SHADER for indirect dispatches alone, and scopes do not say which dispatches they
/// mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Indirect {
    /// Every dispatch, also where it is named as a part of ALL_GRAPHICS.
    EveryDispatch,
    /// Every dispatch where it is named itself.
    Named,
    /// No dispatch.
    Draws,
}

fn widened(mask: u64, all: u64, earlier: bool, indirect: Indirect) -> BTreeSet<u64> {
    let every = || PIPELINE.into_iter().chain(OTHERS).collect();
    if mask & (all | 0x1_0000) != 0 {
        return every();
    }
    let mut found: BTreeSet<u64> = OTHERS.into_iter().filter(|stage| mask & stage != 0).collect();
    for (at, stage) in PIPELINE.iter().enumerate() {
        if mask & (stage | 0x8000) != 0 {
            found.extend(if earlier { &PIPELINE[..=at] } else { &PIPELINE[at..] });
        }
    }
    if earlier && found.contains(&0x800) && indirect != Indirect::Draws {
        found.insert(0x2);
    }
    let reaches = match indirect {
        Indirect::EveryDispatch => 0x2 | 0x8000,
        Indirect::Named => 0x2,
        Indirect::Draws => 0,
    };
    if !earlier && mask & reaches != 0 {
        found.insert(0x800);
    }
    found
}

/// The stages whose accesses a mask names: none before or after them, and none at the ends of the pipe.
fn named(mask: u64) -> BTreeSet<u64> {
    let every = PIPELINE.into_iter().chain(OTHERS);
    let graphics = |stage: &u64| mask & 0x8000 != 0 && PIPELINE.contains(stage);
    every.filter(|stage| mask & (stage | 0x1_0000) != 0 || graphics(stage)).collect()
}

struct Dependency {
    place: usize,
    /// The image whose contents it makes available and visible.
    image: Option<u32>,
    source: BTreeSet<u64>,
    destination: BTreeSet<u64>,
    /// Stages whose writes it makes available, and those to which it makes them visible.
    available: BTreeSet<u64>,
    visible: BTreeSet<u64>,
}

impl Dependency {
    /// A semaphore: it does both for every access.
    fn semaphore(place: usize, source: BTreeSet<u64>, destination: BTreeSet<u64>) -> Self {
        let (available, visible) = (source.clone(), destination.clone());
        Self { place, image: None, source, destination, available, visible }
    }
}

/// An access, or a layout transition, which has no stage of its own.
#[derive(Clone)]
struct Access {
    place: usize,
    image: u32,
    stage: Option<u64>,
    writes: bool,
}

/// What is wrong between two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// The later one may come first.
    Unordered,
    /// The earlier one writes, and the later one may not see it.
    Invisible,
}

/// A race: what is wrong, image, and place and stage of both accesses.
pub type Race = (Wrong, u32, (usize, Option<u64>), (usize, Option<u64>));

enum Step<'a> {
    Wait(u64),
    Op(&'a Op),
    Signal(u64),
}

/// What the program signals itself orders all that came before (`own`), or the semaphores that it waits for are others'.
pub fn races(frame: &FrameStructure, own: bool, indirect: Indirect) -> BTreeSet<Race> {
    // Three times the same frame, one after the other.
    races_of(&[frame; 3], own, indirect)
}

/// The same of frames of the same images, one after the other and once each.
pub fn races_of(frames: &[&FrameStructure], own: bool, indirect: Indirect) -> BTreeSet<Race> {
    let images = &frames[0].images;
    let widened = |mask, all, earlier| widened(mask, all, earlier, indirect);
    let (mut accesses, mut dependencies) = (Vec::new(), Vec::new());
    let submissions = frames.iter().flat_map(|frame| &frame.submissions);
    let steps = submissions.flat_map(|submission| {
        let semaphores = submission.semaphores.expect("known");
        let ops = submission.ops.iter().map(Step::Op);
        [Step::Wait(semaphores.waits.any)].into_iter().chain(ops).chain([Step::Signal(semaphores.signals.any)])
    });
    let swapchain = |image: &u32| images[*image as usize].swapchain.is_some();
    for (place, step) in steps.enumerate() {
        let mut access = |image: u32, stage, writes| accesses.push(Access { place, image, stage, writes });
        let op = match step {
            Step::Wait(0) | Step::Signal(0) => continue,
            Step::Wait(stages) => {
                (0..images.len() as u32).filter(swapchain).for_each(|image| access(image, None, true));
                let source = if own { widened(0x1_0000, 0, true) } else { BTreeSet::new() };
                dependencies.push(Dependency::semaphore(place, source, widened(stages, 0x1, false)));
                continue;
            }
            Step::Signal(stages) => {
                (0..images.len() as u32).for_each(|image| access(image, None, true));
                let source = widened(stages, 0x2000, true);
                dependencies.push(Dependency::semaphore(place, source, BTreeSet::new()));
                continue;
            }
            Step::Op(op) => op,
        };
        match op {
            Op::Pass(pass) => {
                for attachment in &pass.attachments {
                    access(attachment.image.expect("an image").0, Some(0x400), true);
                }
                for reached in &pass.subpasses[0].shader.images {
                    for (shader, stage) in [(0x1, 0x8), (0x10, 0x80)] {
                        if reached.stages & shader != 0 {
                            access(reached.image.expect("an image").0, Some(stage), reached.kind.writes());
                        }
                    }
                }
            }
            Op::Dispatch(dispatch) => {
                for reached in &dispatch.shader.images {
                    access(reached.image.expect("an image").0, Some(0x800), reached.kind.writes());
                }
            }
            Op::Barrier(barrier) => {
                for image in &barrier.images {
                    let number = image.image.expect("an image").0;
                    if image.old_layout != image.new_layout {
                        access(number, None, true);
                    }
                    dependencies.push(Dependency {
                        place,
                        image: Some(number),
                        source: widened(image.scope.src_stages, 0x2000, true),
                        destination: widened(image.scope.dst_stages, 0x1, false),
                        available: named(image.scope.src_stages),
                        visible: named(image.scope.dst_stages),
                    });
                }
            }
            _ => panic!("not among the commands of random frames"),
        }
    }
    let mut races = BTreeSet::new();
    for (at, first) in accesses.iter().enumerate() {
        for second in &accesses[at + 1..] {
            let conflict =
                first.image == second.image && (first.writes || second.writes) && first.place != second.place;
            let both = ((first.place, first.stage), (second.place, second.stage));
            if conflict && !ordered(first, second, &dependencies) {
                races.insert((Wrong::Unordered, first.image, both.0, both.1));
            }
            let reads = first.writes && !second.writes && conflict;
            if reads && !visible(first, second, &dependencies) {
                races.insert((Wrong::Invisible, first.image, both.0, both.1));
            }
        }
    }
    races
}

/// Whether some chain of barriers leads from the one to the other.
fn ordered(first: &Access, second: &Access, all: &[Dependency]) -> bool {
    let reached = chains(all, |d| begins(first, d, &d.source));
    all.iter().zip(&reached).any(|(d, reached)| *reached && ends(second, d, &d.destination))
}

/// Whether a barrier of the image makes what was written available, and it or one that follows it makes it visible. Semaphores do both for
/// every image.
fn visible(first: &Access, second: &Access, all: &[Dependency]) -> bool {
    let of_image = |d: &Dependency| d.image.is_none_or(|image| image == first.image);
    let available = chains(all, |d| of_image(d) && begins(first, d, &d.available));
    all.iter().zip(&available).any(|(d, available)| *available && of_image(d) && ends(second, d, &d.visible))
}

fn begins(first: &Access, d: &Dependency, source: &BTreeSet<u64>) -> bool {
    match first.stage {
        Some(stage) => d.place > first.place && source.contains(&stage),
        None => d.place == first.place,
    }
}

fn ends(second: &Access, d: &Dependency, destination: &BTreeSet<u64>) -> bool {
    match second.stage {
        Some(stage) => d.place < second.place && destination.contains(&stage),
        None => d.place == second.place,
    }
}

/// The dependencies that follow upon some.
fn chains(all: &[Dependency], from: impl Fn(&Dependency) -> bool) -> Vec<bool> {
    let mut reached: Vec<bool> = all.iter().map(from).collect();
    loop {
        let grown = (0..all.len()).filter(|to| !reached[*to]).find(|to| {
            let follows = |from: usize| {
                let (earlier, later) = (&all[from], &all[*to]);
                reached[from] && earlier.place < later.place && !earlier.destination.is_disjoint(&later.source)
            };
            (0..all.len()).any(follows)
        });
        match grown {
            Some(to) => reached[to] = true,
            None => return reached,
        }
    }
}
