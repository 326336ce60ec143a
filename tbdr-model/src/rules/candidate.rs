//! What a rule returns: an edit of the frames in which it holds, and the words for it. Numbers come from the engine.

use super::Level;
use crate::graph::Operation;
use crate::graph::liveness::Site;
use crate::ranges::Ranges;
use crate::whatif::Edit;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// A finding in the making.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Identity of the pass.
    pub pass: String,
    /// Identity of the image.
    pub attachment: String,
    /// What to change in each frame structure in which it holds.
    pub instances: BTreeMap<u32, Instance>,
    /// Frames in which it was proved.
    pub frames: Ranges,
    /// Another level than the rule's.
    pub level: Option<Level>,
    /// Offered even if no byte is saved.
    pub without_saving: bool,
    /// What to change, as an instruction.
    pub fix: String,
    /// Why it costs.
    pub why: String,
}

/// The change of one frame structure.
#[derive(Clone, Debug, Default)]
pub struct Instance {
    /// The change.
    pub edits: Vec<Edit>,
    /// Loads and stores it speaks for beyond those that the edits change.
    pub speaks_for: Vec<Site>,
}

impl Instance {
    /// Every load and store that it speaks for.
    pub fn claims(&self, structure: u32) -> impl Iterator<Item = Site> + '_ {
        let edited = self.edits.iter().filter_map(move |edit| edited_site(structure, edit));
        edited.chain(self.speaks_for.iter().copied())
    }
}

/// The load or store that an edit changes.
pub fn edited_site(structure: u32, edit: &Edit) -> Option<Site> {
    match *edit {
        Edit::SetLoad { pass, attachment, aspect, .. } => {
            Some(Site { structure, pass, attachment, aspect, operation: Operation::Load })
        }
        Edit::SetStore { pass, attachment, aspect, .. } => {
            Some(Site { structure, pass, attachment, aspect, operation: Operation::Store })
        }
        Edit::ResolveInPass { .. } => None,
    }
}
