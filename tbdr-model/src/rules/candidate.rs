//! What a rule returns: an edit of the frames in which it holds, and the words for it. Numbers come from the engine.

use super::{Idle, Level};
use crate::frame::{Aspects, LoadOp, StoreOp};
use crate::graph::Operation;
use crate::graph::liveness::Site;
use crate::ranges::Ranges;
use crate::whatif::Edit;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
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

impl Candidate {
    /// Loads or stores that were for nothing get another operation.
    pub fn of_idle(idle: Idle<'_>, op: IdleOp, fix: String, why: String) -> Self {
        let mut instances: BTreeMap<u32, Instance> = BTreeMap::new();
        for site in &idle.sites {
            let (pass, attachment, aspect) = (site.pass, site.attachment, site.aspect);
            let edit = match op {
                IdleOp::Load(op) => Edit::SetLoad { pass, attachment, aspect, op },
                IdleOp::Store(op) => Edit::SetStore { pass, attachment, aspect, op },
            };
            instances.entry(site.structure).or_default().edits.push(edit);
        }
        let (pass, attachment) = (idle.pass.to_string(), idle.image.to_string());
        Self { pass, attachment, instances, frames: idle.frames, level: None, without_saving: false, fix, why }
    }

    /// Loads nothing where contents are undefined.
    pub fn drop_load(idle: Idle<'_>, why: &str) -> Self {
        let op = field(&idle, "loadOp", "stencilLoadOp");
        let fix =
            format!("Set {op} CLEAR on {} in {}, or DONT_CARE if draws cover the render area", idle.image, idle.label);
        Self::of_idle(idle, IdleOp::Load(LoadOp::DontCare), fix, why.to_string())
    }

    /// Stores nothing where nobody reads.
    pub fn drop_store(idle: Idle<'_>, why: &str) -> Self {
        let op = field(&idle, "storeOp", "stencilStoreOp");
        let fix = format!("Set {op} DONT_CARE on {} in {}", idle.image, idle.label);
        Self::of_idle(idle, IdleOp::Store(StoreOp::DontCare), fix, why.to_string())
    }
}

/// The fields of VkAttachmentDescription that hold the operations of these sites. Dynamic rendering has the same names on the attachment
/// info of each aspect.
fn field(idle: &Idle<'_>, main: &str, stencil: &str) -> String {
    let has = |stencil| idle.sites.iter().any(|site| (site.aspect == Aspects::STENCIL) == stencil);
    match (has(false), has(true)) {
        (true, true) => format!("{main} and {stencil}"),
        (false, true) => stencil.to_string(),
        _ => main.to_string(),
    }
}

/// The operation that takes the place of one that was for nothing.
#[derive(Clone, Copy, Debug)]
pub enum IdleOp {
    /// Of a load.
    Load(LoadOp),
    /// Of a store.
    Store(StoreOp),
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
