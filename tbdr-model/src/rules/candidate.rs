//! What a rule returns: an edit of the frames in which it holds, and the words for it. Numbers come from the engine.

use super::{Idle, Level};
use crate::frame::{Aspects, LoadOp, StoreOp};
use crate::graph::Operation;
use crate::graph::liveness::Site;
use crate::ranges::Ranges;
use crate::report::{Basis, Quantity};
use crate::whatif::Edit;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A finding in the making.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    /// Identity of the pass, if it is about one.
    pub pass: Option<String>,
    /// Identity of the image, if it is about one.
    pub attachment: Option<String>,
    /// What to change in each frame structure in which it holds.
    pub instances: BTreeMap<u32, Instance>,
    /// Frames in which it was proved.
    pub frames: Ranges,
    /// The GPUs that it holds for, by id; `None`: whatever the GPU.
    pub gpus: Option<BTreeSet<String>>,
    /// Another level than the rule's.
    pub level: Option<Level>,
    /// What it is worth.
    pub worth: Worth,
    /// What to change, as an instruction.
    pub fix: String,
    /// Why it costs.
    pub why: String,
}

/// What following a piece of advice is worth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Worth {
    /// The bytes that its edits save on some GPU; nothing is said where they save none.
    #[default]
    Bytes,
    /// The bytes that its edits save, and it is worth saying if there are none: a hazard, a contradiction.
    Saying,
    /// What the rule itself counts, on each GPU that it holds for. Its edits may save bytes beside it: they are said first.
    Amount {
        /// What is counted; anything but [`Quantity::Dram`], which is the engine's to say.
        quantity: Quantity,
        /// How much.
        value: u64,
        /// How far it may be off.
        basis: Basis,
    },
    /// The same, of each GPU its own, by id. Here [`Quantity::Dram`] is allowed, too: ledger entries that the advice is about, where no single
    /// edit makes them go.
    PerGpu(BTreeMap<String, (Quantity, u64, Basis)>),
}

impl Worth {
    /// Of two findings that are told as one.
    pub fn add(&mut self, other: Self) {
        match (self, other) {
            (Self::Amount { quantity, value, basis }, Self::Amount { quantity: same, value: more, basis: of_it })
                if *quantity == same =>
            {
                (*value, *basis) = (value.saturating_add(more), (*basis).max(of_it));
            }
            (Self::PerGpu(amounts), Self::PerGpu(more)) => {
                for (gpu, (quantity, value, basis)) in more {
                    let amount = amounts.entry(gpu).or_insert((quantity, 0, basis));
                    (amount.1, amount.2) = (amount.1.saturating_add(value), amount.2.max(basis));
                }
            }
            _ => {}
        }
    }
}

impl Candidate {
    /// Whether it holds for the GPU with this id.
    pub fn holds_for(&self, gpu: &str) -> bool {
        self.gpus.as_ref().is_none_or(|ids| ids.contains(gpu))
    }

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
        let (pass, attachment) = (Some(idle.pass.to_string()), Some(idle.image.to_string()));
        Self { pass, attachment, instances, frames: idle.frames, fix, why, ..Self::default() }
    }

    /// Loads nothing where contents are undefined.
    pub fn drop_load(idle: Idle<'_>, why: &str) -> Self {
        let op = field(idle.sites.iter().map(|site| site.aspect), "loadOp", "stencilLoadOp");
        let fix =
            format!("Set {op} CLEAR on {} in {}, or DONT_CARE if draws cover the render area", idle.image, idle.label);
        Self::of_idle(idle, IdleOp::Load(LoadOp::DontCare), fix, why.to_string())
    }

    /// Stores nothing where nobody reads.
    pub fn drop_store(idle: Idle<'_>, why: &str) -> Self {
        let op = field(idle.sites.iter().map(|site| site.aspect), "storeOp", "stencilStoreOp");
        let fix = format!("Set {op} DONT_CARE on {} in {}", idle.image, idle.label);
        Self::of_idle(idle, IdleOp::Store(StoreOp::DontCare), fix, why.to_string())
    }
}

/// The fields of VkAttachmentDescription that hold the operations of these aspects. Dynamic rendering has the same names on the attachment
/// info of each aspect.
pub(super) fn field(mut aspects: impl Iterator<Item = Aspects> + Clone, main: &str, stencil: &str) -> String {
    let has_stencil = aspects.clone().any(|aspect| aspect == Aspects::STENCIL);
    match (aspects.any(|aspect| aspect != Aspects::STENCIL), has_stencil) {
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
    /// What it speaks for beyond what the edits change.
    pub speaks_for: Vec<Claim>,
}

/// Bytes that only one finding may speak for: those of a load, a store or a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// A load or store.
    Site(Site),
    /// A transfer command.
    Transfer {
        /// Number of the frame structure.
        structure: u32,
        /// Number of the transfer in the frame.
        transfer: u32,
    },
}

impl Instance {
    /// Everything that it speaks for.
    pub fn claims(&self, structure: u32) -> impl Iterator<Item = Claim> + '_ {
        let edited = self.edits.iter().filter_map(move |edit| edited_claim(structure, edit));
        edited.chain(self.speaks_for.iter().copied())
    }
}

/// What an edit changes the bytes of. What an edit does to several of them the rule names in [`Instance::speaks_for`].
fn edited_claim(structure: u32, edit: &Edit) -> Option<Claim> {
    match *edit {
        Edit::SetLoad { pass, attachment, aspect, .. } | Edit::ClearAtLoad { pass, attachment, aspect } => {
            Some(Claim::Site(Site { structure, pass, attachment, aspect, operation: Operation::Load }))
        }
        Edit::SetStore { pass, attachment, aspect, .. } => {
            Some(Claim::Site(Site { structure, pass, attachment, aspect, operation: Operation::Store }))
        }
        Edit::ResolveInPass { transfer, .. } | Edit::DrawInstead { transfer } | Edit::DropTransfer { transfer } => {
            Some(Claim::Transfer { structure, transfer })
        }
        // All that a pass moves; which loads and stores go with a merge its rule knows.
        Edit::SetArea { .. }
        | Edit::MergePasses { .. }
        | Edit::MakeLocal { .. }
        | Edit::SetFormat { .. }
        | Edit::LimitSamples { .. } => None,
    }
}
