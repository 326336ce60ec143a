//! Random programs against an interpreter of the specification that keeps everything and is clever about nothing.
//!
//! What was recorded must hold whatever the interpreter says may be read, and nothing else where the shaders name what they read.

use super::*;
use std::collections::BTreeMap;

/// Numbers that are the same in the program and in the interpreter.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % u64::from(end)) as u32
    }
}

const IMAGES: u32 = 7;
const SETS: u32 = 5;
/// Descriptors of each binding; binding 1 may be updated after bind.
const COUNTS: [u32; 3] = [3, 2, 4];
const LATE: u32 = 1;
const FRAMES: u64 = 400;

/// One step of a frame.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Writes an image, or none, to a set, a binding and an element.
    Write(u32, u32, u32, Option<u32>),
    /// Copies from a set's binding 0 to another set's, element by element.
    Copy(u32, u32),
    /// Binds a set by number.
    Bind(u32, u32),
    /// Binds a pipeline.
    Pipeline(u32),
    /// Draws.
    Draw,
    /// The next render pass begins.
    Pass,
}

/// What the pipelines use. The last one uses two sets.
fn pipelines() -> Vec<Vec<Use>> {
    vec![
        vec![],
        vec![sampled(0, 0, Element::One(0))],
        vec![sampled(0, 0, Element::Any), sampled(0, 1, Element::One(1))],
        vec![sampled(1, 2, Element::One(3)), sampled(1, 1, Element::Any)],
        vec![sampled(0, 2, Element::Any), sampled(1, 0, Element::One(2))],
    ]
}

/// Writes before recording, steps while recording, writes between recording and submission.
fn program(frame: u64) -> [Vec<Step>; 3] {
    let mut random = Random(frame);
    let write = |random: &mut Random, late: bool| {
        let binding = if late { LATE } else { random.below(3) };
        let image = random.below(IMAGES + 1);
        let element = random.below(COUNTS[binding as usize]);
        Step::Write(random.below(SETS), binding, element, (image < IMAGES).then_some(image))
    };
    let before = (0..random.below(12))
        .map(|_| {
            if random.below(5) == 0 {
                Step::Copy(random.below(SETS), random.below(SETS))
            } else {
                write(&mut random, false)
            }
        })
        .collect();
    // Sets 0 and 1 are bound throughout: an unbound set is another test's matter.
    let mut during =
        vec![Step::Bind(0, random.below(SETS)), Step::Bind(1, random.below(SETS)), Step::Pipeline(random.below(5))];
    for _ in 0..random.below(25) {
        during.push(match random.below(8) {
            0 | 1 => Step::Bind(random.below(2), random.below(SETS)),
            2 => Step::Pipeline(random.below(5)),
            3 => Step::Pass,
            4 => write(&mut random, true),
            _ => Step::Draw,
        });
    }
    during.push(Step::Draw);
    let after = (0..random.below(4)).map(|_| write(&mut random, true)).collect();
    [before, during, after]
}

/// Descriptors by set, binding and element.
type Contents = BTreeMap<(u32, u32, u32), u32>;

/// Who knows everything: per frame the images of each pass, certain or not.
fn interpret() -> Vec<Vec<BTreeSet<(u32, bool)>>> {
    let (mut contents, pipelines) = (Contents::new(), pipelines());
    let update = |contents: &mut Contents, step: Step| match step {
        Step::Write(set, binding, element, Some(image)) => drop(contents.insert((set, binding, element), image)),
        Step::Write(set, binding, element, None) => drop(contents.remove(&(set, binding, element))),
        Step::Copy(from, to) => {
            for element in 0..COUNTS[0] {
                match contents.get(&(from, 0, element)).copied() {
                    Some(image) => drop(contents.insert((to, 0, element), image)),
                    None => drop(contents.remove(&(to, 0, element))),
                }
            }
        }
        _ => {}
    };
    let mut frames = Vec::new();
    for frame in 0..FRAMES {
        let [before, during, after] = program(frame);
        before.into_iter().for_each(|step| update(&mut contents, step));
        let (mut bound, mut pipeline) = ([0; 2], 0);
        // What each pass reads: a set, a binding, an element or any.
        let mut passes = vec![BTreeSet::new()];
        for step in during {
            match step {
                Step::Bind(number, set) => bound[number as usize] = set,
                Step::Pipeline(number) => pipeline = number as usize,
                Step::Pass => passes.push(BTreeSet::new()),
                Step::Draw => passes.last_mut().unwrap().extend(
                    pipelines[pipeline].iter().map(|used| (bound[used.set as usize], used.binding, used.element)),
                ),
                // Bindings that may not be updated after bind hold now what they held before.
                step => update(&mut contents, step),
            }
        }
        after.into_iter().for_each(|step| update(&mut contents, step));
        let look = |(set, binding, element): &(u32, u32, Element)| {
            let elements = match element {
                Element::One(one) => *one..one + 1,
                _ => 0..COUNTS[*binding as usize],
            };
            let certain = *element != Element::Any;
            let found: Vec<_> = elements.filter_map(|e| contents.get(&(*set, *binding, e))).collect();
            found.into_iter().map(|image| (*image, certain)).collect::<Vec<_>>()
        };
        frames.push(passes.iter().map(|read| read.iter().flat_map(look).collect()).collect());
    }
    frames
}

#[test]
fn what_is_recorded_is_what_the_specification_says_may_be_read() {
    let done = sandbox().run(|_| {
        let stage = Stage::new();
        let views: Vec<_> = (0..IMAGES).map(|n| stage.image(&n.to_string()).view).collect();
        let flags = |binding| if binding == LATE { vk::DescriptorBindingFlags::UPDATE_AFTER_BIND } else { NONE };
        let bindings: Vec<_> = (0..).zip(COUNTS).map(|(n, count)| (n, SAMPLED, count, flags(n))).collect();
        let set_layout = stage.scene.set_layout(&bindings, PLAIN);
        let layout = stage.scene.pipeline_layout(&[set_layout, set_layout]);
        let sets: Vec<_> = (0..SETS).map(|_| stage.scene.descriptor_set(stage.pool, set_layout)).collect();
        let pipelines: Vec<_> = pipelines().iter().map(|uses| stage.scene.graphics(layout, uses)).collect();
        let update = |step: Step| match step {
            Step::Write(set, binding, element, image) => {
                let view = image.map_or(vk::ImageView::null(), |image| views[image as usize]);
                stage.scene.write(sets[set as usize], (binding, element), SAMPLED, &[view]);
            }
            Step::Copy(from, to) => {
                stage.scene.copy((sets[from as usize], 0, 0), (sets[to as usize], 0, 0), COUNTS[0]);
            }
            _ => {}
        };
        for frame in 0..FRAMES {
            let [before, during, after] = program(frame);
            before.into_iter().for_each(update);
            stage.scene.record(|_, cb| {
                stage.begin(cb);
                for step in during {
                    match step {
                        Step::Bind(number, set) => stage.bind_sets(cb, GRAPHICS, number, &[sets[set as usize]]),
                        Step::Pipeline(number) => stage.bind(cb, GRAPHICS, pipelines[number as usize]),
                        Step::Draw => stage.draw(cb),
                        Step::Pass => {
                            stage.end(cb);
                            stage.begin(cb);
                        }
                        step => update(step),
                    }
                }
                stage.end(cb);
            });
            after.into_iter().for_each(update);
            stage.scene.submit(stage.scene.buffer);
        }
        stage.stop();
    });
    let expected = interpret();
    let recorded = frames(&done);
    assert_eq!(recorded.len(), expected.len());
    let mut reads = 0;
    for (number, (frame, expected)) in recorded.iter().zip(&expected).enumerate() {
        assert_eq!(frame.passes().count(), expected.len(), "frame {number}");
        for (pass, expected) in frame.passes().zip(expected).filter(|(pass, _)| pass.subpasses[0].drawn) {
            let (known, said) = said(frame, &pass.subpasses[0].shader);
            let expected: BTreeSet<_> =
                expected.iter().map(|(image, certain)| (image.to_string(), AccessKind::Sampled, *certain)).collect();
            assert_eq!((known, &said), (true, &expected), "frame {number}: {:?}", program(number as u64));
            reads += expected.len();
        }
    }
    assert!(reads > 500, "the programs read too little to prove anything: {reads}");
}
