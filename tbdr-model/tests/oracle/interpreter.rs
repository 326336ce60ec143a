//! What really becomes of contents: every quarter of every level carries the marks of what wrote it, operation by operation.
//!
//! It knows nothing of rectangles, ranges or pending stores, and sees the frames that are missing from the record too. What may happen
//! counts against waste: shaders that may read do, draws that may write leave what was there.

use super::plan::{ALL, Area, DEPTH, Do, LAYERS, Place, Plan, Shaders, Target, aspects, mips};
use std::collections::{BTreeMap, BTreeSet};
use tbdr_model::frame::{AccessKind, Aspects, LoadOp, StoreOp, usage};
use tbdr_model::graph::liveness::Site;
use tbdr_model::graph::{Operation, Reader};

/// Image, aspect, level, layer.
type Subresource = (u64, Aspects, u32, u32);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    #[default]
    Undefined,
    Dropped,
    Defined,
}

#[derive(Clone, Debug, Default)]
struct Cell {
    state: State,
    /// The event that discarded it, if nothing has written it since.
    discarded: Option<(u64, Site)>,
    /// What wrote it and is not overwritten, and whether something else may have been written over it since.
    marks: BTreeMap<usize, bool>,
}

/// A store, or what a transfer wrote, in one frame.
#[derive(Clone, Debug)]
pub struct Written {
    pub site: Site,
    pub frame: u64,
    /// Quarters that still hold it.
    pub left: usize,
    /// Somebody needs it.
    pub needed: bool,
    /// Transfers of its own frame read it.
    pub transfers: BTreeSet<u32>,
    /// The reads of a copy all came while the source was the same.
    pub copy_read: bool,
    /// Image that it is a copy of, and how often that had been written.
    source: Option<(u64, u64)>,
    /// The newest operation that read it as a copy.
    read_at: Option<u64>,
    /// Events that took something of it away, by subresource.
    lost: BTreeMap<Subresource, BTreeSet<u64>>,
    /// Frames were missing while it was there.
    pub gap: bool,
    pub missing: bool,
}

impl Written {
    /// Whether some part of it went in pieces, which is not followed.
    pub fn in_pieces(&self) -> bool {
        self.lost.values().any(|events| events.len() > 1)
    }

    pub fn is_dead(&self) -> bool {
        self.left == 0 && !self.needed && self.transfers.is_empty() && !self.copy_read
    }
}

/// A load in one frame.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub site: Site,
    pub frame: u64,
    /// Nothing that it loads has ever been given contents, or they were lost.
    pub undefined: bool,
    /// The same, by transitions alone, of all of every level that it loads, with nothing missing or unknown before.
    pub surely: bool,
    /// Some whole level was discarded by one operation.
    pub misread: bool,
    pub missing: bool,
}

/// What has come of a run.
#[derive(Default)]
pub struct Truth {
    pub written: Vec<Written>,
    pub loaded: Vec<Loaded>,
    /// Reads of what was discarded: frame, who, and the operation that discarded it.
    pub misreads: BTreeSet<(u64, Reader, Site)>,
    cells: BTreeMap<Subresource, [Cell; 4]>,
    /// How often each image was written.
    versions: BTreeMap<u64, u64>,
    /// Copies by source.
    copies: BTreeMap<u64, Vec<usize>>,
    /// Identity of each image.
    identities: Vec<u64>,
    usage: u32,
    structure: u32,
    frame: u64,
    missing: bool,
    gap: bool,
    unknown: bool,
    event: u64,
    op: u64,
}

/// Plays a run.
pub fn play(plan: &Plan) -> Truth {
    let mut truth = Truth { usage: plan.usage, identities: vec![0, 1, 2], ..Truth::default() };
    for (number, frame) in plan.frames.iter().enumerate() {
        (truth.frame, truth.structure, truth.missing) = (number as u64, frame.structure as u32, frame.missing);
        if frame.missing {
            truth.gap = true;
            truth.gap_now();
        }
        if frame.swapped {
            truth.identities.swap(0, 1);
        }
        truth.structure(&plan.structures[frame.structure]);
        if frame.missing {
            truth.gap_now();
        }
        if frame.swapped {
            truth.identities.swap(0, 1);
        }
        if let Some(image) = frame.destroyed {
            // Nobody knows whether what it held was meant for somebody.
            let gone = truth.identities[image];
            truth.op += 1;
            truth.changed(gone);
            truth.identities[image] += 10;
        }
    }
    truth
}

impl Truth {
    /// Whatever is there now lives through a gap.
    fn gap_now(&mut self) {
        self.written.iter_mut().filter(|written| written.left > 0).for_each(|written| written.gap = true);
    }

    fn structure(&mut self, structure: &super::plan::Structure) {
        let (mut pass, mut transfer) = (0, 0);
        for (number, op) in (0u32..).zip(&structure.ops) {
            self.op += 1;
            match op {
                Do::Pass { targets, area, drawn, writes, shaders } => {
                    self.pass(pass, (targets, *area), drawn.then_some(shaders), *drawn && *writes);
                    pass += 1;
                }
                Do::Discard(at) => {
                    self.everywhere(*at, aspects(at.image), |truth, of| truth.lose(of, ALL, State::Undefined, None))
                }
                Do::Dispatch(shaders) => self.shaders(shaders, Reader::Shader(number)),
                _ => {
                    self.transfer(op, transfer);
                    transfer += 1;
                }
            }
        }
        if let Some(image) = structure.presented {
            self.op += 1;
            let all = Place { image, mip: 0, mips: mips(image), layer: 0, layers: LAYERS };
            self.read_all(all, aspects(image), (ALL, Reader::Output, false, true));
        }
    }

    /// Each subresource of a place.
    fn everywhere(&mut self, at: Place, aspects: &[Aspects], mut each: impl FnMut(&mut Self, Subresource)) {
        let identity = self.identities[at.image];
        for aspect in aspects {
            self.event += 1;
            for mip in at.mip..at.mip + at.mips {
                for layer in at.layer..at.layer + at.layers {
                    each(self, (identity, *aspect, mip, layer));
                }
            }
        }
    }

    fn cell(&mut self, of: Subresource, quarter: u32) -> &mut Cell {
        &mut self.cells.entry(of).or_default()[quarter as usize]
    }

    /// An image is written: what was copied from it is no longer the same.
    fn changed(&mut self, image: u64) {
        *self.versions.entry(image).or_default() += 1;
        for copy in self.copies.get(&image).cloned().unwrap_or_default() {
            // Who reads the copy in the very operation that writes the source could not read the source.
            let copy = &mut self.written[copy];
            copy.needed |= copy.read_at == Some(self.op);
        }
    }

    /// What is there goes.
    fn lose(&mut self, of: Subresource, area: Area, state: State, by: Option<Site>) {
        self.changed(of.0);
        let event = self.event;
        for quarter in area.quarters() {
            let cell = self.cell(of, quarter);
            cell.state = state;
            cell.discarded = by.map(|site| (event, site));
            for mark in std::mem::take(&mut cell.marks).into_keys() {
                self.written[mark].left -= 1;
                self.written[mark].lost.entry(of).or_default().insert(event);
            }
        }
    }

    /// Something may be written, or is written over what is there.
    fn touch(&mut self, of: Subresource, area: Area, by: Option<Site>, mark: Option<usize>) {
        self.changed(of.0);
        let event = self.event;
        for quarter in area.quarters() {
            let cell = self.cell(of, quarter);
            cell.state = State::Defined;
            cell.discarded = by.map(|site| (event, site));
            cell.marks.values_mut().for_each(|mixed| *mixed = true);
            if let Some(mark) = mark {
                cell.marks.insert(mark, false);
                self.written[mark].left += 1;
            }
        }
    }

    /// `copyable`: the reader could read another image instead. `sure`: it surely reads.
    fn read_all(&mut self, at: Place, of: &[Aspects], (area, reader, copyable, sure): (Area, Reader, bool, bool)) {
        let mut discarded: Vec<BTreeSet<(u64, Site)>> = Vec::new();
        self.everywhere(at, of, |truth, of| {
            let mut sites = BTreeSet::new();
            let mut all = true;
            for quarter in 0..4 {
                let cell = truth.cell(of, quarter).clone();
                if area.quarters().any(|q| q == quarter) {
                    for (mark, mixed) in cell.marks {
                        truth.mark_read(mark, mixed, reader, copyable);
                    }
                }
                all &= cell.discarded.is_some();
                sites.extend(cell.discarded);
            }
            discarded.push(if all { sites } else { BTreeSet::new() });
        });
        if sure {
            let frame = self.frame;
            self.misreads.extend(discarded.iter().flatten().map(|(_, site)| (frame, reader, *site)));
        }
    }

    fn mark_read(&mut self, mark: usize, mixed: bool, reader: Reader, copyable: bool) {
        let (frame, op) = (self.frame, self.op);
        let now = |image: u64, versions: &BTreeMap<u64, u64>| versions.get(&image).copied().unwrap_or(0);
        let written = &mut self.written[mark];
        match (written.source, reader) {
            (Some((source, version)), _) if copyable && !mixed && now(source, &self.versions) == version => {
                (written.copy_read, written.read_at) = (true, Some(op));
            }
            (_, Reader::Transfer(number)) if written.site.operation == Operation::Store && written.frame == frame => {
                written.transfers.insert(number);
            }
            _ => written.needed = true,
        }
    }

    fn begin(&mut self, site: Site, source: Option<u64>) -> usize {
        let source = source.map(|image| (image, self.versions.get(&image).copied().unwrap_or(0)));
        if let Some((image, _)) = source {
            self.copies.entry(image).or_default().push(self.written.len());
        }
        self.written.push(Written {
            site,
            frame: self.frame,
            left: 0,
            needed: false,
            transfers: BTreeSet::new(),
            copy_read: false,
            source,
            read_at: None,
            lost: BTreeMap::new(),
            gap: self.missing,
            missing: self.missing,
        });
        self.written.len() - 1
    }

    fn shaders(&mut self, shaders: &Shaders, reader: Reader) {
        let Shaders::Known(list) = shaders else { return self.unknown_shaders() };
        for (at, kind) in list.iter().filter(|(_, kind)| kind.reads()) {
            self.read_all(*at, &aspects(at.image)[..1], (ALL, reader, *kind == AccessKind::Sampled, true));
        }
        for (at, _) in list.iter().filter(|(_, kind)| kind.writes()) {
            self.everywhere(*at, &aspects(at.image)[..1], |truth, of| truth.touch(of, ALL, None, None));
        }
    }

    /// They may read and write all that has a usage for it.
    fn unknown_shaders(&mut self) {
        self.unknown = true;
        let reads = self.usage & (usage::SAMPLED | usage::STORAGE) != 0;
        let writes = self.usage & usage::STORAGE != 0;
        let all: Vec<Subresource> = self.cells.keys().copied().collect();
        for of in all {
            for quarter in 0..4 {
                let marks: Vec<usize> = self.cell(of, quarter).marks.keys().copied().collect();
                marks.into_iter().filter(|_| reads).for_each(|mark| self.written[mark].needed = true);
            }
            if writes {
                self.touch(of, ALL, None, None);
            }
        }
        if writes {
            // Whatever is written for the first time.
            for image in self.identities.clone() {
                let image_of = (image % 10) as usize;
                for aspect in aspects(image_of) {
                    for (mip, layer) in (0..mips(image_of)).flat_map(|mip| (0..LAYERS).map(move |layer| (mip, layer))) {
                        self.touch((image, *aspect, mip, layer), ALL, None, None);
                    }
                }
            }
        }
    }

    fn transfer(&mut self, op: &Do, number: u32) {
        let (structure, reader) = (self.structure, Reader::Transfer(number));
        let aspect = Aspects::default();
        let site = Site { structure, pass: number, attachment: 0, aspect, operation: Operation::Write };
        let (from, to, area, keeps) = match *op {
            Do::Clear(at) => (None, Some((at, aspects(at.image))), ALL, false),
            Do::Upload(at, area) => (None, Some((at, &aspects(at.image)[..1])), area, false),
            Do::Download(at, area) => (Some((at, &aspects(at.image)[..1])), None, area, false),
            Do::Copy { from, to, area } => {
                (Some((Place { image: from, ..to }, aspects(from))), Some((to, aspects(from))), area, false)
            }
            Do::Blit { from, to, area } => {
                (Some((Place { image: from, ..to }, aspects(from))), Some((to, aspects(from))), area, true)
            }
            _ => return,
        };
        if let Some((at, of)) = from {
            self.read_all(at, of, (area, reader, true, true));
        }
        if let Some((at, of)) = to {
            let source = from.map(|(from, _)| self.identities[from.image]);
            let mark = self.begin(site, source);
            self.everywhere(at, of, |truth, of| {
                if !keeps {
                    truth.lose(of, area, State::Defined, None);
                }
                truth.touch(of, area, None, Some(mark));
            });
        }
    }

    fn pass(&mut self, number: u32, (targets, area): (&[Target], Area), shaders: Option<&Shaders>, writes: bool) {
        for (attachment, target) in (0u32..).zip(targets) {
            for aspect in aspects(target.at.image) {
                let (load, _) = operations(target, *aspect);
                let site = self.site(number, attachment, *aspect, Operation::Load);
                if target.undefined {
                    self.everywhere(target.at, &[*aspect], |truth, of| truth.lose(of, ALL, State::Undefined, None));
                }
                match load {
                    LoadOp::Load => self.load(site, target.at, area),
                    LoadOp::Clear => {
                        self.everywhere(target.at, &[*aspect], |truth, of| truth.lose(of, area, State::Defined, None));
                    }
                    LoadOp::DontCare => {
                        self.everywhere(target.at, &[*aspect], |truth, of| {
                            truth.lose(of, area, State::Dropped, Some(site))
                        });
                    }
                    LoadOp::None => {}
                }
            }
        }
        if let Some(shaders) = shaders {
            self.shaders(shaders, Reader::Pass(number));
        }
        for (attachment, target) in (0u32..).zip(targets) {
            for aspect in aspects(target.at.image) {
                let (load, store) = operations(target, *aspect);
                let site = self.site(number, attachment, *aspect, Operation::Store);
                match store {
                    StoreOp::Store => {
                        let mark = self.begin(site, None);
                        self.everywhere(target.at, &[*aspect], |truth, of| truth.touch(of, area, None, Some(mark)));
                    }
                    StoreOp::None if load != LoadOp::Clear && !writes => {}
                    StoreOp::None if load != LoadOp::Clear => {
                        self.everywhere(target.at, &[*aspect], |truth, of| truth.touch(of, area, Some(site), None));
                    }
                    StoreOp::DontCare | StoreOp::None => {
                        self.everywhere(target.at, &[*aspect], |truth, of| {
                            truth.lose(of, area, State::Dropped, Some(site))
                        });
                    }
                }
            }
        }
    }

    fn load(&mut self, site: Site, at: Place, area: Area) {
        let (mut undefined, mut surely, mut misread) = (true, !self.gap && !self.unknown, false);
        self.everywhere(at, &[site.aspect], |truth, of| {
            for quarter in area.quarters() {
                undefined &= truth.cell(of, quarter).state != State::Defined;
            }
            let cells: Vec<Cell> = (0..4).map(|quarter| truth.cell(of, quarter).clone()).collect();
            surely &= cells.iter().all(|cell| cell.state == State::Undefined);
            misread |= cells[0].discarded.is_some() && cells.iter().all(|cell| cell.discarded == cells[0].discarded);
        });
        self.loaded.push(Loaded {
            site,
            frame: self.frame,
            undefined,
            surely: surely && undefined,
            misread: misread && !self.gap && !self.unknown,
            missing: self.missing,
        });
        self.read_all(at, &[site.aspect], (area, Reader::Pass(site.pass), false, true));
    }

    fn site(&self, pass: u32, attachment: u32, aspect: Aspects, operation: Operation) -> Site {
        Site { structure: self.structure, pass, attachment, aspect, operation }
    }
}

fn operations(target: &Target, aspect: Aspects) -> (LoadOp, StoreOp) {
    if aspect == Aspects::STENCIL && target.at.image == DEPTH { target.stencil } else { target.main }
}
