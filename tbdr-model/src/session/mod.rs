//! A run in the making: records go in, the report comes out at any time.
//!
//! Each distinct frame structure is evaluated once per profile; its occurrences are ranges of frame numbers and ranges of draw
//! counts, so that memory grows with what is distinct, not with how long the program runs. Records may come in any order and
//! may refer to what never came: nothing panics, and what cannot be said stands in `not_modelled`.

mod lazy;
mod sampled;
mod schedule;
mod show;
mod undecided;

use crate::advice;
use crate::frame::FrameStructure;
use crate::gpu::{self, Choices, Profile};
use crate::graph::{Accesses, Liveness, accesses};
use crate::identity::Names;
use crate::ledger::{self, Beside, Needs, Proofs};
use crate::model::{self, Prepared, Traffic};
use crate::policy::Policy;
use crate::price::Saved;
use crate::ranges::Ranges;
use crate::record::{Counters, FrameRecord, Gap, Record, Run};
use crate::report::{self, Report, UndecidedAdvice};
use crate::rules::{self, Evidence};
use crate::units::Bytes;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Frames that may wait for a structure that has not come yet; more are counted and not kept.
const WAITING: usize = 4096;

/// Gaps that are listed; a run that leaves frames out at regular intervals has one for each frame it keeps.
const GAPS: usize = 4096;

/// The sentence at the head of every report.
const NOTICE: &str = "Modelled, not measured: bytes that the GPUs named here would move between chip and DRAM for what the \
                      program asked of Vulkan.";

/// A run, as far as it has been recorded.
#[derive(Clone, Debug)]
pub struct Session {
    profiles: Vec<Profile>,
    run: Option<Run>,
    structures: BTreeMap<u32, Structure>,
    waiting: Vec<FrameRecord>,
    unkept: u64,
    gaps: Vec<Gap>,
    /// Frames missing in gaps that are not listed.
    unlisted: u64,
    complete: bool,
    notes: BTreeSet<String>,
    liveness: Liveness,
    lazy: lazy::Images,
}

/// A distinct frame: what is said of it, and where it occurred.
#[derive(Clone, Debug)]
struct Structure {
    frame: FrameStructure,
    names: Names,
    accesses: Accesses,
    /// The frame as the report shows it, but for occurrences, counters and GPUs.
    shown: report::Frame,
    /// What each GPU moves, by id; GPUs that decide alike share it.
    gpus: BTreeMap<String, Arc<Traffic>>,
    /// Subpasses of each pass.
    subpasses: Vec<usize>,
    indices: Ranges,
}

impl Session {
    /// A session that models these GPUs; of several profiles with one id the first counts.
    pub fn new(profiles: Vec<Profile>) -> Self {
        let mut ids = BTreeSet::new();
        Self {
            profiles: profiles.into_iter().filter(|p| ids.insert(p.id.clone())).collect(),
            run: None,
            structures: BTreeMap::new(),
            waiting: Vec::new(),
            unkept: 0,
            gaps: Vec::new(),
            unlisted: 0,
            complete: false,
            notes: BTreeSet::new(),
            liveness: Liveness::default(),
            lazy: lazy::Images::default(),
        }
    }

    /// Takes in the next record.
    pub fn record(&mut self, record: &Record) {
        match record {
            Record::Run(run) if self.run.is_none() => self.start(run),
            Record::Run(_) => self.note("a second description of the run: the first one counts"),
            Record::Structure { id, frame } => self.structure(*id, frame),
            Record::Frame(frame) => self.frame(frame),
            Record::Gap(gap) => self.gap(*gap),
            Record::Queues(queues) => self.liveness.queues(*queues),
            Record::Commitment(commitment) => self.lazy.committed(commitment, &mut self.structures),
            Record::End => {
                self.complete = true;
                self.liveness.end();
            }
        }
    }

    /// What each GPU reads and writes in a frame of this structure; `None` if the structure has not been recorded.
    pub fn totals(&self, structure_id: u32) -> Option<Vec<(&str, Bytes, Bytes)>> {
        let gpus = &self.structures.get(&structure_id)?.gpus;
        let of = |p: &'_ Profile| gpus.get(&p.id).map(|gpu| (gpu.read_bytes, gpu.write_bytes));
        Some(self.profiles.iter().filter_map(|p| of(p).map(|(read, write)| (p.id.as_str(), read, write))).collect())
    }

    /// The report of everything recorded so far.
    pub fn report(&self) -> Report {
        let mut seen: Vec<(&u32, &Structure)> = self.structures.iter().filter(|(_, s)| s.indices.count() > 0).collect();
        seen.sort_by_key(|(_, s)| s.indices.first());
        let settings = self.run.as_ref().map(|run| &run.settings);
        let (policy, unknown) = settings.map(Policy::from_settings).unwrap_or_default();
        let evidence = seen.iter().map(|(id, s)| {
            (**id, rules::Structure::new((&s.frame, &s.names), &s.accesses, (&s.indices, &s.shown.images), &s.gpus))
        });
        let fates = self.liveness.fates();
        let undecided = self.liveness.undecided_stores();
        let device = self.run.as_ref().map(|run| &run.device);
        let evidence = Evidence::new(evidence.collect(), (&fates, &self.liveness), &self.profiles, device);
        let mut advice = advice::advise(&evidence, &policy);
        let mut frames = Vec::new();
        let mut frame_count = (self.waiting.len() as u64).saturating_add(self.unkept);
        for (id, structure) in seen {
            let mut frame = structure.shown.clone();
            frame.gpus = structure
                .gpus
                .iter()
                .map(|(id, gpu)| (id.clone(), gpu.told(&structure.frame, &structure.names)))
                .collect();
            frame.indices = structure.indices.sorted();
            frame.count = structure.indices.count();
            let avoidable = advice.avoidable.remove(id).unwrap_or_default();
            let proofs = Proofs { structure: *id, fates: &fates, undecided: &undecided };
            let needs = Needs::of(&structure.frame, &structure.accesses, proofs);
            let beside = Beside::new(&structure.frame, &structure.names, needs);
            for (id, gpu) in &mut frame.gpus {
                ledger::complete(gpu, &beside, avoidable.get(id).copied().unwrap_or(Saved::NOTHING));
            }
            frame_count = frame_count.saturating_add(frame.count);
            frames.push(frame);
        }
        let occurred = self.structures.values().filter(|s| s.indices.count() > 0).map(|s| &s.frame);
        let undecided_advice = undecided::of(self.run.as_ref(), occurred, undecided.len());
        let gpu = |p: &Profile| (p.id.clone(), report::Gpu { name: p.name.clone(), policy: p.policy.clone() });
        Report {
            schema: report::SCHEMA.to_string(),
            notice: NOTICE.to_string(),
            run: self.run.clone().unwrap_or_default(),
            gpus: self.profiles.iter().map(gpu).collect(),
            gpu_order: self.profiles.iter().map(|p| p.id.clone()).collect(),
            frames,
            frame_count,
            gaps: self.gaps.clone(),
            complete: self.complete,
            not_modelled: self.not_modelled(unknown, &undecided_advice),
            undecided_advice: Some(undecided_advice),
            assumptions: ledger::ASSUMPTIONS.iter().map(ToString::to_string).collect(),
            findings: advice.findings,
            allowed: advice.allowed,
        }
    }

    /// What the figures leave out: what advice could not be given on, in general, by family, then what this run brought up.
    fn not_modelled(&self, unknown_settings: Vec<String>, undecided: &[UndecidedAdvice]) -> Vec<String> {
        let mut all: Vec<String> = undecided.iter().map(|doubt| doubt.note.clone()).collect();
        all.extend(model::NOT_MODELLED.iter().map(ToString::to_string));
        for sentence in self.profiles.iter().flat_map(|p| p.tiler.not_modelled()) {
            if all.iter().all(|known| known != sentence) {
                all.push(sentence.to_string());
            }
        }
        all.extend(self.notes.iter().cloned());
        all.extend(unknown_settings.iter().map(|item| format!("a setting that fits no rule: {item}")));
        if self.run.is_none() {
            all.push("the description of the run is missing from the record".to_string());
        }
        let lost = (self.waiting.len() as u64).saturating_add(self.unkept);
        if lost > 0 {
            all.push(format!("{lost} frames whose structure is missing from the record"));
        }
        if self.unlisted > 0 {
            all.push(format!("{} more frames that are missing, in gaps beyond the first {GAPS}", self.unlisted));
        }
        all
    }

    fn note(&mut self, note: impl Into<String>) {
        self.notes.insert(note.into());
    }

    /// Takes in the description of the run, and makes the choices that its settings make for the GPUs.
    fn start(&mut self, run: &Run) {
        let (choices, unknown) = Choices::from_settings(&run.settings);
        unknown.into_iter().for_each(|sentence| self.note(sentence));
        self.liveness.external_readers |= undecided::by_extensions(run).next().is_some();
        gpu::choose(&mut self.profiles, &choices);
        self.run = Some(run.clone());
        // In a recording that is in order there are none yet.
        let mut early = core::mem::take(&mut self.structures);
        for structure in early.values_mut() {
            structure.gpus = self.modelled(&structure.frame, &structure.names, &mut BTreeSet::new());
        }
        self.structures = early;
    }

    /// What each GPU moves in a frame.
    fn modelled(
        &self,
        frame: &FrameStructure,
        names: &Names,
        left_out: &mut BTreeSet<String>,
    ) -> BTreeMap<String, Arc<Traffic>> {
        let prepared = Prepared::new(frame, names, left_out);
        let mut gpus: BTreeMap<String, Arc<Traffic>> = BTreeMap::new();
        for (at, profile) in self.profiles.iter().enumerate() {
            // What follows from equal decisions is worked out once.
            let same = self.profiles[..at].iter().find(|known| known.decides_like(profile));
            let gpu = same
                .and_then(|known| gpus.get(&known.id).cloned())
                .unwrap_or_else(|| Arc::new(prepared.on(profile, true, left_out)));
            gpus.insert(profile.id.clone(), gpu);
        }
        gpus
    }

    fn structure(&mut self, id: u32, frame: &FrameStructure) {
        let names = Names::of(frame);
        let shown = show::frame(frame, &names);
        let mut left_out: BTreeSet<String> = frame.unmodelled.iter().cloned().collect();
        let gpus = self.modelled(frame, &names, &mut left_out);
        if let Some(known) = self.structures.get(&id) {
            if known.gpus != gpus || known.shown.passes.len() != shown.passes.len() {
                self.note(format!("frame structure {id} was recorded twice and differs: the first one counts"));
            }
            return;
        }
        self.notes.append(&mut left_out);
        let subpasses = frame.passes().map(|pass| pass.subpasses.len()).collect();
        let accesses = accesses(frame);
        let indices = Ranges::default();
        let structure = Structure { frame: frame.clone(), names, accesses, shown, gpus, subpasses, indices };
        self.structures.insert(id, structure);
        let (due, waiting) = core::mem::take(&mut self.waiting).into_iter().partition(|frame| frame.structure == id);
        self.waiting = waiting;
        let due: Vec<FrameRecord> = due;
        due.iter().for_each(|frame| self.frame(frame));
    }

    fn frame(&mut self, frame: &FrameRecord) {
        let Some(structure) = self.structures.get_mut(&frame.structure) else {
            // What it did to its images is not known in its place.
            self.liveness.gap();
            if self.waiting.len() < WAITING {
                self.waiting.push(frame.clone());
            } else {
                self.unkept = self.unkept.saturating_add(1);
            }
            return;
        };
        let first = structure.indices.count() == 0;
        if !structure.indices.insert(frame.index) {
            let note = format!("frame {} was recorded twice: the first one counts", frame.index);
            self.note(note);
            return;
        }
        self.liveness.frame(&structure.frame, &structure.accesses, frame);
        self.lazy.used(&structure.frame, frame);
        if !structure.count(&frame.counters, first) {
            self.note("a frame whose counters do not match its structure: what is missing counts as zero");
        }
    }

    fn gap(&mut self, gap: Gap) {
        self.liveness.gap();
        let full = self.gaps.len() >= GAPS;
        match self.gaps.last_mut() {
            Some(last) if last.reason == gap.reason && last.first.saturating_add(last.count) == gap.first => {
                last.count = last.count.saturating_add(gap.count);
            }
            _ if full => self.unlisted = self.unlisted.saturating_add(gap.count),
            _ => self.gaps.push(gap),
        }
    }
}

impl Structure {
    /// Takes in the counters of one occurrence; false if there are not as many as the structure has places for.
    fn count(&mut self, counters: &[Counters], first: bool) -> bool {
        let mut rest = counters.iter().copied();
        let widen = |range: &mut [u64; 2], value: u64| {
            *range = if first { [value; 2] } else { [range[0].min(value), range[1].max(value)] };
        };
        for (pass, subpasses) in self.shown.passes.iter_mut().zip(&self.subpasses) {
            let (mut draws, mut indirect) = (0u64, 0u64);
            for counters in rest.by_ref().take(*subpasses) {
                draws = draws.saturating_add(counters.draws);
                indirect = indirect.saturating_add(counters.indirect_draws);
            }
            if first {
                (pass.draws, pass.indirect_draws) = (draws, indirect);
            }
            widen(&mut pass.draws_range, draws);
        }
        widen(&mut self.shown.dispatches, rest.next().map_or(0, |outside| outside.dispatches));
        counters.len() == self.subpasses.iter().sum::<usize>() + 1
    }
}
