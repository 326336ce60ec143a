//! What a rule sees pass by pass, gathered over all frame structures into one candidate for each pass and image.
//!
//! For rules that look at what single frames do. A pattern that holds in some frames only is often a matter of what these frames draw:
//! [`Gather::everywhere`] keeps what holds in every frame structure in which the pass occurs.

use super::{Candidate, Claim, Evidence};
use crate::ranges::Ranges;
use crate::whatif::Edit;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::ToString;
use alloc::vec::Vec;

/// Where a rule sees its pattern.
#[derive(Clone, Debug, Default)]
pub struct Sighting {
    /// Number of the frame structure.
    pub structure: u32,
    /// Number of the pass.
    pub pass: u32,
    /// The attachment, if it is about one.
    pub attachment: Option<u32>,
    /// What to change.
    pub edits: Vec<Edit>,
    /// What it speaks for beyond what the edits change.
    pub speaks_for: Vec<Claim>,
    /// Frames in which it holds; `None`: wherever the structure occurs.
    pub frames: Option<Ranges>,
}

/// Candidates in the making.
pub struct Gather<'e, 'a> {
    evidence: &'e Evidence<'a>,
    found: BTreeMap<(&'a str, &'a str), (Candidate, BTreeSet<u32>)>,
}

impl<'e, 'a> Gather<'e, 'a> {
    /// Nothing yet.
    pub fn new(evidence: &'e Evidence<'a>) -> Self {
        Self { evidence, found: BTreeMap::new() }
    }

    /// Adds what was seen; `words` is asked once for each pass and image, for level, worth, GPUs, fix and reason.
    pub fn add(&mut self, seen: Sighting, words: impl FnOnce() -> Candidate) {
        let Some(structure) = self.evidence.structures.get(&seen.structure) else { return };
        let pass = structure.pass_id(seen.pass);
        let image = seen.attachment.map_or("", |attachment| structure.attachment_id(seen.pass, attachment));
        let (candidate, structures) = self.found.entry((pass, image)).or_insert_with(|| {
            let named = |id: &str| Some(id.to_string());
            let attachment = seen.attachment.and_then(|_| named(image));
            (Candidate { pass: named(pass), attachment, ..words() }, BTreeSet::new())
        });
        structures.insert(seen.structure);
        candidate.frames.extend(seen.frames.as_ref().unwrap_or(structure.indices));
        let instance = candidate.instances.entry(seen.structure).or_default();
        instance.edits.extend(seen.edits);
        instance.speaks_for.extend(seen.speaks_for);
    }

    /// What was seen anywhere.
    pub fn anywhere(self) -> Vec<Candidate> {
        self.found.into_values().map(|(candidate, _)| candidate).collect()
    }

    /// What was seen in every frame structure in which the pass occurs.
    pub fn everywhere(self) -> Vec<Candidate> {
        let evidence = self.evidence;
        let holds = |((pass, _), (candidate, seen))| {
            let all = evidence.occurrences(pass).all(|number| BTreeSet::contains(&seen, &number));
            all.then_some(candidate)
        };
        self.found.into_iter().filter_map(holds).collect()
    }
}
