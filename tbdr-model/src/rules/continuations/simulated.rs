//! Merging all continuations of a frame changes no contents: frames are run twice, as they are and merged, with contents as symbols.
//!
//! A draw makes of an attachment what it was, the pass and what its shaders sample. Whatever becomes undefined is a symbol of its own,
//! so that a merge that lets something else become undefined shows as well.

use super::{Structure, continuations};
use crate::frame::*;
use crate::graph::accesses;
use crate::identity::Names;
use crate::ranges::Ranges;
use crate::units::{Extent2D, Extent3D, Rect2D};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use core::hash::{Hash, Hasher};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

extern crate std;

/// Colour images 0 to 3 and depth 4.
const IMAGES: u32 = 5;

fn symbol(of: &impl Hash) -> u64 {
    let mut hasher = std::collections::hash_map::DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Contents of images, and of everything that was sampled, by who did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct World {
    memory: BTreeMap<u32, u64>,
    sampled: BTreeMap<String, Vec<u64>>,
}

impl World {
    fn at(&self, image: u32) -> u64 {
        self.memory.get(&image).copied().unwrap_or_else(|| symbol(&("before", image)))
    }

    fn sample(&mut self, who: &str, shader: &ShaderAccess) -> u64 {
        let seen: Vec<u64> = shader.images.iter().filter_map(|a| Some(self.at(a.image?.0))).collect();
        let symbol = symbol(&seen);
        self.sampled.insert(who.to_string(), seen);
        symbol
    }

    /// Runs passes as one: what an earlier one leaves on chip a later one finds there.
    fn passes(&mut self, passes: &[&Pass]) {
        let mut chip: BTreeMap<u32, (u64, StoreOp, String)> = BTreeMap::new();
        for pass in passes {
            let who = pass.labels.concat();
            for attachment in &pass.attachments {
                let Some(ImageRef(image)) = attachment.image else { continue };
                let before = chip.get(&image).cloned();
                let contents = match (attachment.load, &before) {
                    (LoadOp::Load, Some((contents, ..))) => *contents,
                    (LoadOp::Load, None) => self.at(image),
                    (LoadOp::Clear, _) => symbol(&"clear"),
                    (LoadOp::DontCare | LoadOp::None, _) => symbol(&("load", &who)),
                };
                let kept = before.filter(|_| attachment.store == StoreOp::None).map(|(_, store, _)| store);
                chip.insert(image, (contents, kept.unwrap_or(attachment.store), who.clone()));
            }
            let sampled = self.sample(&who, &pass.subpasses[0].shader);
            for attachment in &pass.attachments {
                if let Some((contents, ..)) = attachment.image.and_then(|image| chip.get_mut(&image.0)) {
                    *contents = symbol(&("draw", *contents, &who, sampled));
                }
            }
        }
        for (image, (contents, store, who)) in chip {
            match store {
                StoreOp::Store => self.memory.insert(image, contents),
                StoreOp::DontCare | StoreOp::None => self.memory.insert(image, symbol(&("store", who))),
            };
        }
    }

    fn other(&mut self, number: usize, op: &Op) {
        match op {
            Op::Transfer(transfer) => {
                for region in &transfer.regions {
                    let side = |side: &Option<Side>| match side {
                        Some(Side::Image(side)) => side.image.map(|image| image.0),
                        _ => None,
                    };
                    if let (Some(from), Some(to)) = (side(&region.src), side(&region.dst)) {
                        let contents = self.at(from);
                        self.memory.insert(to, symbol(&("copy", contents, number)));
                    }
                }
            }
            Op::Dispatch(dispatch) => drop(self.sample(&format!("dispatch {number}"), &dispatch.shader)),
            Op::Barrier(barrier) => {
                for image in barrier.images.iter().filter(|i| i.old_layout == Layout::UNDEFINED) {
                    self.memory.insert(image.image.map_or(0, |i| i.0), symbol(&("transition", number)));
                }
            }
            Op::Pass(_) | Op::Event(_) | Op::Opaque(_) => {}
        }
    }
}

/// Runs a frame; `with` names the pass in which each pass continues.
fn run(frame: &FrameStructure, with: &BTreeMap<u32, u32>) -> World {
    let mut world = World::default();
    let passes: Vec<&Pass> = frame.passes().collect();
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut number = 0;
    for (at, op) in frame.ops().enumerate() {
        let Op::Pass(_) = op else {
            world.other(at, op);
            continue;
        };
        // A row of passes runs where its last one stands: what lies between has been recorded before.
        let mut row = with.get(&number).and_then(|first| groups.remove(first)).unwrap_or_default();
        row.push(number);
        if with.values().any(|first| *first == number) {
            groups.insert(number, row);
        } else {
            world.passes(&row.iter().map(|pass| passes[*pass as usize]).collect::<Vec<_>>());
        }
        number += 1;
    }
    world
}

fn attachment(image: u32, load: LoadOp, store: StoreOp) -> Attachment {
    let depth = image == IMAGES - 1;
    Attachment {
        image: Some(ImageRef(image)),
        range: SubresourceRange {
            aspects: if depth { Aspects::DEPTH } else { Aspects::COLOR },
            mips: 1,
            layers: 1,
            ..SubresourceRange::default()
        },
        format: Format(if depth { 126 } else { 37 }),
        samples: 1,
        load,
        store,
        ..Attachment::default()
    }
}

fn shader() -> impl Strategy<Value = ShaderAccess> {
    let access = |image: u32| ImageAccess { image: Some(ImageRef(image)), ..ImageAccess::default() };
    proptest::collection::vec(0..IMAGES, 0..2)
        .prop_map(move |images| ShaderAccess::exactly(images.into_iter().map(access).collect()))
}

fn pass() -> impl Strategy<Value = Op> {
    let load = || prop_oneof![6 => Just(LoadOp::Load), 2 => Just(LoadOp::Clear), 1 => Just(LoadOp::DontCare)];
    let store = || prop_oneof![6 => Just(StoreOp::Store), 1 => Just(StoreOp::DontCare), 1 => Just(StoreOp::None)];
    let color = (0..3u32, load(), store());
    let depth = proptest::option::of((load(), store()));
    let more = proptest::option::of((load(), store()));
    (color, depth, more, shader()).prop_map(|((image, load, store), depth, more, shader)| {
        let mut attachments = vec![attachment(image, load, store)];
        let mut subpass = Subpass { drawn: true, ..Subpass::default() };
        let using =
            |attachment: usize| Some(AttachmentUse { attachment: attachment as u32, ..AttachmentUse::default() });
        subpass.color.push(using(0));
        if let Some((load, store)) = more {
            subpass.color.push(using(attachments.len()));
            attachments.push(attachment(3, load, store));
        }
        if let Some((load, store)) = depth {
            subpass.depth = using(attachments.len());
            attachments.push(attachment(IMAGES - 1, load, store));
        }
        let attached: Vec<Option<ImageRef>> = attachments.iter().map(|a| a.image).collect();
        // What a pass renders to it does not sample.
        let images = shader.images.into_iter().filter(|access| !attached.contains(&access.image)).collect();
        subpass.shader = ShaderAccess::exactly(images);
        let extent = Extent2D::new(64, 64);
        let render_area = Rect2D { extent, ..Rect2D::default() };
        Op::Pass(Pass { extent, render_area, layers: 1, attachments, subpasses: vec![subpass], ..Pass::default() })
    })
}

fn op() -> impl Strategy<Value = Op> {
    let copy = (0..4u32, 0..4u32).prop_map(|(from, to)| {
        let side = |image| {
            let region =
                ImageRegion { image: Some(ImageRef(image)), aspects: Aspects::COLOR, ..ImageRegion::default() };
            Some(Side::Image(region))
        };
        let regions = vec![Region { src: side(from), dst: side(to) }];
        Op::Transfer(Transfer { labels: Vec::new(), kind: TransferKind::CopyImage, regions })
    });
    let lost = (0..4u32).prop_map(|image| {
        let lost = ImageBarrier { image: Some(ImageRef(image)), new_layout: Layout(2), ..ImageBarrier::default() };
        Op::Barrier(Barrier { images: vec![lost], ..Barrier::default() })
    });
    let everything = Scope { src_stages: 0x1_0000, dst_stages: 0x1_0000, src_access: 0x100, dst_access: 0x180 };
    let ordered = Op::Barrier(Barrier { memory: vec![everything], ..Barrier::default() });
    prop_oneof![
        12 => pass(),
        1 => copy,
        1 => shader().prop_map(|shader| Op::Dispatch(Dispatch { shader })),
        1 => lost,
        1 => Just(ordered),
    ]
}

/// A frame as a valid program submits it: whatever is no pass waits for everything before it.
fn frame() -> impl Strategy<Value = FrameStructure> {
    proptest::collection::vec(op(), 2..9).prop_map(|mut ops| {
        for (number, op) in ops.iter_mut().enumerate() {
            if let Op::Pass(pass) = op {
                pass.labels = vec![format!("pass {number}")];
            }
        }
        let image = |number| Image {
            format: attachment(number, LoadOp::Load, StoreOp::Store).format,
            dimension: 1,
            extent: Extent3D { width: 64, height: 64, depth: 1 },
            usage: usage::COLOR_ATTACHMENT | usage::SAMPLED,
            mips: 1,
            layers: 1,
            samples: 1,
            ..Image::default()
        };
        let submissions = vec![Submission { ops, ..Submission::default() }];
        FrameStructure { images: (0..IMAGES).map(image).collect(), submissions, ..FrameStructure::default() }
    })
}

/// The frame in a few words.
fn told(frame: &FrameStructure) -> String {
    let op = |op: &Op| match op {
        Op::Pass(pass) => {
            let of = |a: &Attachment| format!("{:?} {:?} {:?}", a.image.map(|i| i.0), a.load, a.store);
            let attachments: Vec<String> = pass.attachments.iter().map(of).collect();
            let sampled: Vec<_> = pass.subpasses[0].shader.images.iter().map(|a| a.image.map(|i| i.0)).collect();
            format!("{} {attachments:?} samples {sampled:?}\n", pass.labels.concat())
        }
        other => format!("{other:?}\n"),
    };
    frame.ops().map(op).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn merging_everything_that_could_continue_changes_no_contents(frame in frame()) {
        let (names, accesses) = (Names::of(&frame), accesses(&frame));
        let (indices, gpus) = (Ranges::default(), BTreeMap::new());
        let structure = Structure::new((&frame, &names), &accesses, (&indices, &[]), &gpus);
        let found = continuations(&structure);
        let with: BTreeMap<u32, u32> = found.iter().map(|found| (found.second, found.first)).collect();
        prop_assert_eq!(run(&frame, &with), run(&frame, &BTreeMap::new()), "{}{:?}", told(&frame), found);
    }
}

#[test]
fn the_frames_of_the_property_above_have_much_to_merge() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut merged, mut grown) = (0, 0);
    for _ in 0..300 {
        let frame = frame().new_tree(&mut runner).map(|tree| tree.current()).unwrap_or_default();
        let (names, accesses) = (Names::of(&frame), accesses(&frame));
        let (indices, gpus) = (Ranges::default(), BTreeMap::new());
        let structure = Structure::new((&frame, &names), &accesses, (&indices, &[]), &gpus);
        let found = continuations(&structure);
        merged += found.len();
        grown += found.iter().filter(|found| !found.added.is_empty()).count();
    }
    assert!(merged > 100 && grown > 50, "{merged} {grown}");
}
