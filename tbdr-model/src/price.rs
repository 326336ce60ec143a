//! What edits of a frame save on each GPU: the passes and transfers they touch are evaluated as they are and as they would be.
//!
//! GPUs that decide alike are asked once, and what no GPU has a say in is prepared once for all of them, so that a price costs what is
//! touched, however large the frame is.

use crate::frame::FrameStructure;
use crate::gpu::Profile;
use crate::identity::Names;
use crate::model::{Debited, Prepared, Traffic};
use crate::report::Basis;
use crate::units::Bytes;
use crate::whatif::Change;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// What a change saves per frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Bytes read and bytes written; negative where it costs some.
    pub bytes: [i128; 2],
    /// How far they may be off: undecided where nobody knows how much one of the sides moves.
    pub basis: Basis,
}

impl Saved {
    /// Nothing.
    pub const NOTHING: Self = Self { bytes: [0; 2], basis: Basis::Exact };

    /// Both directions together.
    pub const fn total(&self) -> i128 {
        self.bytes[0] + self.bytes[1]
    }
}

/// What changes of a frame are worth on some GPUs. Changes that are alike have one price: the passes of a row differ in what they are called.
#[derive(Debug)]
pub struct Prices<'p> {
    profiles: &'p [Profile],
    /// For each GPU the first one that decides like it.
    like: Vec<usize>,
    recent: VecDeque<Known>,
}

/// Prices of parts of frames that are equal.
#[derive(Debug)]
struct Known {
    was: FrameStructure,
    is: FrameStructure,
    /// By GPU; `None` where nobody has asked.
    saved: Vec<Option<Saved>>,
}

/// Changes that another one is compared with, so that a price costs the same however many there were.
const COMPARED: usize = 32;

impl<'p> Prices<'p> {
    /// Prices on these GPUs.
    pub fn new(profiles: &'p [Profile]) -> Self {
        let first = |profile: &Profile| profiles.iter().position(|other| other.decides_like(profile));
        let like = profiles.iter().enumerate().map(|(number, profile)| first(profile).unwrap_or(number)).collect();
        Self { profiles, like, recent: VecDeque::new() }
    }

    /// What changes save, by GPU id.
    pub fn saved(&mut self, changes: Vec<Change>) -> BTreeMap<String, Saved> {
        let mut by_id = BTreeMap::new();
        for Change { gpus, was, is } in changes {
            let known = self.known(was, is);
            self.ask(known, &gpus);
            let Some(Known { saved, .. }) = self.recent.get(known) else { continue };
            for gpu in gpus {
                let like = self.like.get(gpu).and_then(|like| *saved.get(*like)?);
                if let (Some(profile), Some(saved)) = (self.profiles.get(gpu), like) {
                    by_id.insert(profile.id.clone(), saved);
                }
            }
        }
        by_id
    }

    /// Where the prices of this change are.
    fn known(&mut self, was: FrameStructure, is: FrameStructure) -> usize {
        if let Some(known) = self.recent.iter().position(|known| known.is == is && known.was == was) {
            return known;
        }
        self.recent.truncate(COMPARED - 1);
        self.recent.push_front(Known { was, is, saved: vec![None; self.profiles.len()] });
        0
    }

    /// Fills in the prices on these GPUs.
    fn ask(&mut self, known: usize, gpus: &[usize]) {
        let (like, profiles) = (&self.like, self.profiles);
        let Some(Known { was, is, saved }) = self.recent.get_mut(known) else { return };
        let asked = gpus.iter().filter_map(|gpu| like.get(*gpu).copied());
        let missing: BTreeSet<usize> = asked.filter(|gpu| saved.get(*gpu).is_some_and(Option::is_none)).collect();
        if missing.is_empty() {
            return;
        }
        let names = numbers(is.images.len().max(was.images.len()), is.buffers.len().max(was.buffers.len()));
        let mut left_out = BTreeSet::new();
        let [before, after] = [&*was, &*is].map(|frame| Prepared::new(frame, &names, &mut left_out));
        for gpu in missing {
            let (Some(profile), Some(saved)) = (profiles.get(gpu), saved.get_mut(gpu)) else { continue };
            let [was_moved, is_moved] = [&before, &after].map(|frame| frame.on(profile, false, &mut BTreeSet::new()));
            let less = |of: fn(&Traffic) -> Bytes| i128::from(of(&was_moved).0) - i128::from(of(&is_moved).0);
            *saved = Some(Saved {
                bytes: [less(|t| t.read_bytes), less(|t| t.write_bytes)],
                basis: basis((&was_moved, was), (&is_moved, is), &names.images),
            });
        }
    }
}

/// The numbers of images and buffers as their names: they are all that has to be told apart.
fn numbers(images: usize, buffers: usize) -> Names {
    let numbers = |count: usize| (0..count).map(|number| number.to_string()).collect();
    Names { images: numbers(images), buffers: numbers(buffers), ..Names::default() }
}

/// How far the difference of two ledgers may be off: only what differs counts.
fn basis(was: (&Traffic, &FrameStructure), is: (&Traffic, &FrameStructure), images: &[String]) -> Basis {
    let (was, is) = (debits(was, images), debits(is, images));
    let (mut was, mut is) = (was.iter().peekable(), is.iter().peekable());
    let mut worst = Basis::Exact;
    loop {
        let differs = match (was.peek(), is.peek()) {
            (None, None) => return worst,
            (Some(a), Some(b)) if a == b => {
                was.next();
                is.next();
                continue;
            }
            (Some(a), Some(b)) if a < b => was.next(),
            (Some(_), None) => was.next(),
            (_, Some(_)) => is.next(),
        };
        worst = differs.map_or(worst, |debit| worst.max(debit.basis));
    }
}

/// Every debit, in order.
fn debits<'t>((traffic, frame): (&'t Traffic, &FrameStructure), images: &'t [String]) -> Vec<Debited<'t>> {
    let mut all = Vec::new();
    traffic.debits(frame, images, |debit| all.push(debit));
    all.sort_unstable();
    all
}
