//! Small runs to try verdicts on: a few images, a few frame structures that use them in every way, and an order in which these occur.
//!
//! Two colour images (two levels, two layers) may change places from frame to frame; a third holds depth and stencil. Levels are 8x8 and
//! 4x4 texels; every operation is on whole quarters of a level, which are all that texels need to be told apart by.

use super::frames::*;
use proptest::prelude::*;
use tbdr_model::frame::*;
use tbdr_model::units::{Extent2D, Extent3D, Rect2D};

/// The first two are alike; the third is depth and stencil.
pub const IMAGES: usize = 3;
pub const DEPTH: usize = 2;
pub const LAYERS: u32 = 2;

/// Levels of an image.
pub fn mips(image: usize) -> u32 {
    if image == DEPTH { 1 } else { 2 }
}

pub fn aspects(image: usize) -> &'static [Aspects] {
    if image == DEPTH { &[Aspects::DEPTH, Aspects::STENCIL] } else { &[Aspects::COLOR] }
}

/// Quarters of a level: all, a half, one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// First quarter and quarters, in x and y.
    pub x: (u32, u32),
    pub y: (u32, u32),
}

pub const ALL: Area = Area { x: (0, 2), y: (0, 2) };

impl Area {
    pub fn quarters(self) -> impl Iterator<Item = u32> {
        (0..4).filter(move |q| {
            let (x, y) = (q % 2, q / 2);
            (self.x.0..self.x.0 + self.x.1).contains(&x) && (self.y.0..self.y.0 + self.y.1).contains(&y)
        })
    }
}

/// Levels and layers of an image.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub image: usize,
    pub mip: u32,
    pub mips: u32,
    pub layer: u32,
    pub layers: u32,
}

impl Place {
    pub fn range(self, aspects: &[Aspects]) -> SubresourceRange {
        SubresourceRange {
            aspects: Aspects(aspects.iter().fold(0, |all, aspect| all | aspect.0)),
            base_mip: self.mip,
            mips: self.mips,
            base_layer: self.layer,
            layers: self.layers,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub at: Place,
    pub main: (LoadOp, StoreOp),
    pub stencil: (LoadOp, StoreOp),
    /// initialLayout UNDEFINED.
    pub undefined: bool,
}

/// What shaders reach.
#[derive(Clone, Debug)]
pub enum Shaders {
    Known(Vec<(Place, AccessKind)>),
    Unknown,
}

#[derive(Clone, Debug)]
pub enum Do {
    Pass {
        targets: Vec<Target>,
        area: Area,
        drawn: bool,
        writes: bool,
        shaders: Shaders,
    },
    /// A clear command, of all quarters.
    Clear(Place),
    /// From a buffer.
    Upload(Place, Area),
    /// To a buffer.
    Download(Place, Area),
    /// From an image to another, of the same place.
    Copy {
        from: usize,
        to: Place,
        area: Area,
    },
    Blit {
        from: usize,
        to: Place,
        area: Area,
    },
    /// A transition from UNDEFINED.
    Discard(Place),
    Dispatch(Shaders),
}

#[derive(Clone, Debug)]
pub struct Structure {
    pub ops: Vec<Do>,
    pub presented: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
pub struct Occurrence {
    pub structure: usize,
    /// The colour images have changed places.
    pub swapped: bool,
    /// It was not recorded: dropped, or outside the frames asked for.
    pub missing: bool,
    /// An image that is destroyed after it, and made anew.
    pub destroyed: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Plan {
    pub usage: u32,
    pub structures: Vec<Structure>,
    pub frames: Vec<Occurrence>,
    /// Whether the end of the run was recorded.
    pub ended: bool,
}

fn area() -> impl Strategy<Value = Area> {
    let half = |first: u32| Just((first, 1u32));
    let axis = || prop_oneof![4 => Just((0u32, 2u32)), 1 => half(0), 1 => half(1)];
    (axis(), axis()).prop_map(|(x, y)| Area { x, y })
}

fn place() -> impl Strategy<Value = Place> {
    (0..IMAGES, 0..2u32, prop_oneof![2 => Just((0u32, 2u32)), 2 => Just((0, 1)), 1 => Just((1, 1))]).prop_map(
        |(image, mip, (layer, layers))| Place { image, mip: mip.min(mips(image) - 1), mips: 1, layer, layers },
    )
}

/// Several levels, too.
fn part() -> impl Strategy<Value = Place> {
    (place(), any::<bool>()).prop_map(
        |(place, all)| {
            if all { Place { mip: 0, mips: mips(place.image), ..place } } else { place }
        },
    )
}

fn operations() -> impl Strategy<Value = (LoadOp, StoreOp)> {
    let load = prop_oneof![
        3 => Just(LoadOp::Clear), 2 => Just(LoadOp::Load), 1 => Just(LoadOp::DontCare), 1 => Just(LoadOp::None)
    ];
    let store = prop_oneof![4 => Just(StoreOp::Store), 2 => Just(StoreOp::DontCare), 1 => Just(StoreOp::None)];
    (load, store)
}

fn shaders() -> impl Strategy<Value = Shaders> {
    let kind = prop_oneof![
        4 => Just(AccessKind::Sampled),
        1 => Just(AccessKind::StorageRead),
        1 => Just(AccessKind::StorageWrite),
        1 => Just(AccessKind::StorageReadWrite),
    ];
    let known = proptest::collection::vec((part(), kind), 0..2).prop_map(Shaders::Known);
    prop_oneof![12 => known, 1 => Just(Shaders::Unknown)]
}

fn pass() -> impl Strategy<Value = Do> {
    let target = || (operations(), operations(), prop_oneof![5 => Just(false), 1 => Just(true)]);
    let pair = (target(), proptest::option::weighted(0.3, target()));
    (place(), pair, area(), any::<bool>(), any::<bool>(), shaders()).prop_map(
        |(at, (first, second), area, drawn, writes, shaders)| {
            let target =
                |image, (main, stencil, undefined)| Target { at: Place { image, ..at }, main, stencil, undefined };
            let mut targets = vec![target(at.image, first)];
            // Another image of the same size.
            let other = if at.image == DEPTH { 0 } else { 1 - at.image };
            targets.extend(second.map(|second| target(other, second)));
            Do::Pass { targets, area, drawn, writes, shaders }
        },
    )
}

/// A copy of all of a place, and a read of it through a view that shows just that.
fn copied_and_read() -> impl Strategy<Value = Vec<Do>> {
    (0..2usize, place(), any::<bool>()).prop_map(|(from, to, sampled)| {
        let to = Place { image: 1 - from, ..to };
        let read =
            if sampled { Do::Dispatch(Shaders::Known(vec![(to, AccessKind::Sampled)])) } else { Do::Download(to, ALL) };
        vec![Do::Copy { from, to, area: ALL }, read]
    })
}

fn ops() -> impl Strategy<Value = Vec<Do>> {
    let some = prop_oneof![8 => op().prop_map(|op| vec![op]), 1 => copied_and_read()];
    proptest::collection::vec(some, 1..6).prop_map(|ops| ops.concat())
}

fn op() -> impl Strategy<Value = Do> {
    prop_oneof![
        6 => pass(),
        2 => place().prop_map(Do::Clear),
        1 => (place(), area()).prop_map(|(at, area)| Do::Upload(at, area)),
        1 => (place(), area()).prop_map(|(at, area)| Do::Download(at, area)),
        2 => (0..2usize, place(), area()).prop_map(|(from, to, area)| Do::Copy {
            from, to: Place { image: 1 - from, ..to }, area
        }),
        1 => (0..2usize, place(), area()).prop_map(|(from, to, area)| Do::Blit {
            from, to: Place { image: 1 - from, ..to }, area
        }),
        1 => part().prop_map(Do::Discard),
        1 => shaders().prop_map(Do::Dispatch),
    ]
}

pub fn plan() -> impl Strategy<Value = Plan> {
    let structure =
        (ops(), proptest::option::weighted(0.3, 0..2usize)).prop_map(|(ops, presented)| Structure { ops, presented });
    let frame = (0..3usize, prop_oneof![3 => Just(false), 1 => Just(true)]);
    let rare = |chance| proptest::option::weighted(chance, (0..8usize, 0..IMAGES));
    let shape = (proptest::collection::vec(structure, 1..4), proptest::collection::vec(frame, 2..8));
    let usage = prop_oneof![Just(0), Just(usage::SAMPLED), Just(usage::STORAGE), Just(usage::SAMPLED | usage::STORAGE)];
    (shape, usage, rare(0.3), rare(0.2), any::<bool>()).prop_map(|((structures, frames), usage, gap, gone, ended)| {
        let count = structures.len();
        let occurrence = |(at, (structure, swapped)): (usize, (usize, bool))| Occurrence {
            structure: structure % count,
            swapped,
            missing: gap.is_some_and(|(frame, _)| frame == at),
            destroyed: gone.filter(|(frame, _)| *frame == at).map(|(_, image)| image),
        };
        let frames = frames.into_iter().enumerate().map(occurrence).collect();
        Plan { usage, structures, frames, ended }
    })
}

impl Plan {
    /// A structure as it is recorded.
    pub fn frame(&self, number: usize) -> FrameStructure {
        let made = |name: &str, image: usize, own: u32| Image {
            usage: self.usage | own | usage::TRANSFER_SRC | usage::TRANSFER_DST,
            mips: mips(image),
            layers: LAYERS,
            ..image_of(name)
        };
        let color = |at| made("R8G8B8A8_UNORM", at, usage::COLOR_ATTACHMENT);
        let depth = made("D32_SFLOAT_S8_UINT", DEPTH, usage::DEPTH_STENCIL_ATTACHMENT);
        let structure = &self.structures[number];
        let ops = structure.ops.iter().enumerate().map(|(at, op)| recorded(op, &format!("s{number}o{at}")));
        let mut frame = frame(vec![color(0), color(1), depth], ops.collect());
        frame.outputs = structure
            .presented
            .map(|image| Output { image: ImageRef(image as u32), reason: OutputReason::Present })
            .into_iter()
            .collect();
        frame
    }
}

fn image_of(name: &str) -> Image {
    image(name, [8, 8, 1])
}

fn recorded(op: &Do, label: &str) -> Op {
    match op {
        Do::Pass { targets, area, drawn, writes, shaders } => {
            rendered(targets, *area, (*drawn, *writes), shaders, label)
        }
        Do::Clear(at) => {
            let kind = if at.image == DEPTH { TransferKind::ClearDepthStencil } else { TransferKind::ClearColor };
            transfer(kind, None, Some(side(*at, ALL, aspects(at.image))))
        }
        Do::Upload(at, area) => {
            transfer(TransferKind::CopyBufferToImage, None, Some(side(*at, *area, &aspects(at.image)[..1])))
        }
        Do::Download(at, area) => {
            transfer(TransferKind::CopyImageToBuffer, Some(side(*at, *area, &aspects(at.image)[..1])), None)
        }
        Do::Copy { from, to, area } => moved(TransferKind::CopyImage, *from, *to, *area),
        Do::Blit { from, to, area } => moved(TransferKind::Blit, *from, *to, *area),
        Do::Discard(at) => {
            let (image, range) = (Some(ImageRef(at.image as u32)), at.range(aspects(at.image)));
            let lost = ImageBarrier { image, range, new_layout: Layout(1), ..ImageBarrier::default() };
            Op::Barrier(Barrier { images: vec![lost], ..Barrier::default() })
        }
        Do::Dispatch(shaders) => Op::Dispatch(Dispatch { shader: reached(shaders) }),
    }
}

fn moved(kind: TransferKind, from: usize, to: Place, area: Area) -> Op {
    let whose = aspects(from);
    transfer(kind, Some(side(Place { image: from, ..to }, area, whose)), Some(side(to, area, whose)))
}

fn transfer(kind: TransferKind, src: Option<Side>, dst: Option<Side>) -> Op {
    Op::Transfer(Transfer { labels: Vec::new(), kind, regions: vec![Region { src, dst }] })
}

/// Texels of a quarter of a level, in one direction.
fn quarter(mip: u32) -> u32 {
    4 >> mip
}

fn side(at: Place, area: Area, aspects: &[Aspects]) -> Side {
    let size = quarter(at.mip);
    Side::Image(ImageRegion {
        image: Some(ImageRef(at.image as u32)),
        aspects: at.range(aspects).aspects,
        mip: at.mip,
        base_layer: at.layer,
        layers: at.layers,
        offset: [(area.x.0 * size) as i32, (area.y.0 * size) as i32, 0],
        extent: Extent3D { width: area.x.1 * size, height: area.y.1 * size, depth: 1 },
    })
}

fn reached(shaders: &Shaders) -> ShaderAccess {
    let Shaders::Known(list) = shaders else { return ShaderAccess::default() };
    let access = |(at, kind): &(Place, AccessKind)| ImageAccess {
        image: Some(ImageRef(at.image as u32)),
        range: at.range(&aspects(at.image)[..1]),
        kind: *kind,
        certain: true,
        ..ImageAccess::default()
    };
    ShaderAccess::exactly(list.iter().map(access).collect())
}

fn rendered(targets: &[Target], area: Area, (drawn, writes): (bool, bool), shaders: &Shaders, label: &str) -> Op {
    let described = targets.iter().map(|target| {
        let name = if target.at.image == DEPTH { "D32_SFLOAT_S8_UINT" } else { "R8G8B8A8_UNORM" };
        Attachment {
            image: Some(ImageRef(target.at.image as u32)),
            range: target.at.range(aspects(target.at.image)),
            stencil_load: target.stencil.0,
            stencil_store: target.stencil.1,
            initial_layout: Layout(if target.undefined { 0 } else { 1 }),
            final_layout: Layout(1),
            ..attachment(name, target.main.0, target.main.1)
        }
    });
    let of = |depth: bool| (0u32..).zip(targets).filter(move |(_, t)| (t.at.image == DEPTH) == depth).map(|(at, _)| at);
    let color: Vec<u32> = of(false).collect();
    let bits = if writes { u32::MAX } else { 0 };
    let draws = DrawFacts {
        known: true,
        color_writes: bits,
        depth_writes: writes,
        stencil_writes: writes,
        ..DrawFacts::default()
    };
    let inside = Subpass { drawn, draws, shader: reached(shaders), ..subpass(&color, of(true).next(), &[]) };
    let (at, size) = (targets[0].at, quarter(targets[0].at.mip));
    let render_area = Rect2D {
        x: (area.x.0 * size) as i32,
        y: (area.y.0 * size) as i32,
        extent: Extent2D::new(area.x.1 * size, area.y.1 * size),
    };
    let whole = pass_of([2 * size, 2 * size], described.collect(), inside);
    Op::Pass(Pass { labels: vec![label.into()], render_area, layers: at.layers, ..whole })
}

fn pass_of(extent: [u32; 2], attachments: Vec<Attachment>, inside: Subpass) -> Pass {
    super::frames::pass(extent, attachments, vec![inside])
}
