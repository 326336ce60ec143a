//! What edits of a frame save on each GPU: the passes and transfers they touch are evaluated as they are and as they would be.
//!
//! GPUs that decide alike are asked once, and what no GPU has a say in is prepared once for all of them, so that a price costs what is
//! touched, however large the frame is.

use crate::frame::FrameStructure;
use crate::gpu::{Profile, per_profile};
use crate::model::{Debited, Prepared, Traffic};
use crate::report::Basis;
use crate::units::Bytes;
use crate::whatif::{Edit, Focus, Step, apply};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
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

/// What the steps `is` save, compared with the steps `was`, by GPU id.
pub fn saved(focus: &Focus, was: &[Step<'_>], is: &[Step<'_>], profiles: &[Profile]) -> BTreeMap<String, Saved> {
    let mut drafts: Vec<Draft> = Vec::new();
    let of_profile: Vec<usize> = profiles
        .iter()
        .map(|profile| {
            let edits = [made_for(was, profile), made_for(is, profile)];
            let known = drafts.iter().position(|draft| draft.edits == edits);
            known.unwrap_or_else(|| {
                drafts.push(Draft::new(focus, edits));
                drafts.len() - 1
            })
        })
        .collect();
    let mut left_out = BTreeSet::new();
    let prepared: Vec<[Prepared<'_>; 2]> = drafts
        .iter()
        .map(|draft| [&draft.was, &draft.is].map(|frame| Prepared::new(frame, &focus.names, &mut left_out)))
        .collect();
    let by_id: BTreeMap<&str, usize> = profiles.iter().map(|p| p.id.as_str()).zip(of_profile).collect();
    per_profile(profiles, |profile| {
        let draft = by_id.get(profile.id.as_str()).copied().unwrap_or_default();
        let (Some(frames), Some([was, is])) = (drafts.get(draft), prepared.get(draft)) else {
            return Saved::NOTHING;
        };
        let traffic = |prepared: &Prepared<'_>| prepared.on(profile, false, &mut BTreeSet::new());
        let (was, is) = (traffic(was), traffic(is));
        let less = |of: fn(&Traffic) -> Bytes| i128::from(of(&was).0) - i128::from(of(&is).0);
        Saved {
            bytes: [less(|t| t.read_bytes), less(|t| t.write_bytes)],
            basis: basis((&was, &frames.was), (&is, &frames.is), &focus.names.images),
        }
    })
}

/// The part of a frame before and after.
struct Draft {
    edits: [Vec<Edit>; 2],
    was: FrameStructure,
    is: FrameStructure,
}

impl Draft {
    fn new(focus: &Focus, edits: [Vec<Edit>; 2]) -> Self {
        let [was, is] = [&edits[0], &edits[1]].map(|edits| apply(&focus.frame, &focus.edits(edits)));
        Self { edits, was, is }
    }
}

/// The edits that are made for a GPU.
fn made_for(steps: &[Step<'_>], profile: &Profile) -> Vec<Edit> {
    let holds = |gpus: &Option<&BTreeSet<String>>| gpus.is_none_or(|ids| ids.contains(&profile.id));
    steps.iter().filter(|(_, gpus)| holds(gpus)).map(|(edit, _)| *edit).collect()
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
