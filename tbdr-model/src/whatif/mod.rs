//! What a change of the program would save: an edit of the recorded frame, applied and evaluated again.
//!
//! Each kind of edit is a file of its own; this one knows which operations of a frame an edit touches, and makes edits in an order in which
//! none disturbs another. [`Made`] makes them one after the other, and tells what each changes.

mod clear_at_load;
mod dependency;
mod draft;
mod draw_instead;
mod drop_transfer;
mod format;
mod made;
pub(crate) mod merge_passes;
mod operations;
mod part;
mod render_area;
mod resolve_in_pass;
mod samples;

use draft::Draft;
pub use made::{Change, Made};
pub use part::Numbered;
pub use samples::limit as limit_samples;

use crate::frame::{Aspects, Format, FrameStructure, LoadOp, Op, Pass, StoreOp, Submission};
use crate::units::Rect2D;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// One change of a frame. Passes and transfers are numbered in submission order, as in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Another loadOp for one aspect of an attachment.
    SetLoad {
        /// The pass.
        pass: u32,
        /// Its attachment.
        attachment: u32,
        /// One aspect.
        aspect: Aspects,
        /// The new operation.
        op: LoadOp,
    },
    /// Another storeOp for one aspect of an attachment.
    SetStore {
        /// The pass.
        pass: u32,
        /// Its attachment.
        attachment: u32,
        /// One aspect.
        aspect: Aspects,
        /// The new operation.
        op: StoreOp,
    },
    /// The resolve command goes; a resolve attachment of the pass takes its place.
    ResolveInPass {
        /// The pass that renders the multisampled image.
        pass: u32,
        /// The subpass that does so last.
        subpass: u32,
        /// Colour slot of the image there.
        slot: u32,
        /// The vkCmdResolveImage.
        transfer: u32,
    },
    /// A dependency between subpasses gets VK_DEPENDENCY_BY_REGION_BIT and these stages.
    MakeLocal {
        /// The pass.
        pass: u32,
        /// Its dependency.
        dependency: u32,
        /// VkPipelineStageFlags2 of source and destination.
        stages: (u64, u64),
    },
    /// Another format for the image behind an attachment. Each pass that has the image has an edit of its own.
    SetFormat {
        /// The pass.
        pass: u32,
        /// Its attachment.
        attachment: u32,
        /// The new format.
        format: Format,
    },
    /// No more samples per pixel than this in a pass.
    LimitSamples {
        /// The pass.
        pass: u32,
        /// The most.
        samples: u32,
    },
    /// A draw that samples the source takes the place of a copy.
    DrawInstead {
        /// The copy.
        transfer: u32,
    },
    /// A transfer command goes.
    DropTransfer {
        /// The command.
        transfer: u32,
    },
    /// loadOp CLEAR takes the place of the vkCmdClearAttachments with which the first subpass that uses an attachment begins.
    ClearAtLoad {
        /// The pass.
        pass: u32,
        /// Its attachment.
        attachment: u32,
        /// One aspect.
        aspect: Aspects,
    },
    /// Another render area.
    SetArea {
        /// The pass.
        pass: u32,
        /// The new area.
        area: Rect2D,
    },
    /// What runs in one pass runs at the end of another instead.
    MergePasses {
        /// The pass that stays.
        first: u32,
        /// The pass that continues in it.
        second: u32,
    },
}

/// Numbers of passes and transfers of a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Passes.
    pub passes: BTreeSet<u32>,
    /// Transfers.
    pub transfers: BTreeSet<u32>,
}

impl Touched {
    /// Takes in what else is touched.
    pub fn extend(&mut self, more: &Self) {
        self.passes.extend(&more.passes);
        self.transfers.extend(&more.transfers);
    }
}

impl Edit {
    /// The passes and transfers whose traffic it may change.
    pub fn touches(&self) -> Touched {
        let (passes, transfers): (&[u32], &[u32]) = match self {
            Self::SetLoad { pass, .. }
            | Self::SetStore { pass, .. }
            | Self::ClearAtLoad { pass, .. }
            | Self::SetArea { pass, .. }
            | Self::MakeLocal { pass, .. }
            | Self::SetFormat { pass, .. }
            | Self::LimitSamples { pass, .. } => (&[*pass], &[]),
            Self::MergePasses { first, second } => (&[*first, *second], &[]),
            Self::ResolveInPass { pass, transfer, .. } => (&[*pass], &[*transfer]),
            Self::DrawInstead { transfer } | Self::DropTransfer { transfer } => (&[], &[*transfer]),
        };
        Touched { passes: passes.iter().copied().collect(), transfers: transfers.iter().copied().collect() }
    }

    /// Whether it merges passes, once every other edit is made.
    const fn merges(&self) -> bool {
        matches!(self, Self::MergePasses { .. })
    }
}

/// Makes these changes of a draft. A change that does not fit the frame changes nothing.
fn make(draft: &mut Draft<'_>, edits: &[Edit]) {
    let (merges, others): (Vec<&Edit>, Vec<&Edit>) = edits.iter().partition(|edit| edit.merges());
    for edit in others.into_iter().chain(merges) {
        match *edit {
            Edit::SetLoad { pass, attachment, aspect, op } => {
                operations::set_load(draft, (pass, attachment, aspect), op);
            }
            Edit::SetStore { pass, attachment, aspect, op } => {
                operations::set_store(draft, (pass, attachment, aspect), op);
            }
            Edit::ResolveInPass { pass, subpass, slot, transfer } => {
                resolve_in_pass::apply(draft, (pass, subpass, slot), transfer);
            }
            Edit::MakeLocal { pass, dependency, stages } => {
                dependency::make_local(draft, pass, dependency, stages);
            }
            Edit::SetFormat { pass, attachment, format } => format::apply(draft, pass, attachment, format),
            Edit::LimitSamples { pass, samples } => samples::apply(draft, pass, samples),
            Edit::DrawInstead { transfer } => draw_instead::apply(draft, transfer),
            Edit::DropTransfer { transfer } => drop_transfer::apply(draft, transfer),
            Edit::ClearAtLoad { pass, attachment, aspect } => {
                clear_at_load::apply(draft, (pass, attachment, aspect));
            }
            Edit::SetArea { pass, area } => render_area::apply(draft, pass, area),
            Edit::MergePasses { first, second } => merge_passes::apply(draft, first, second),
        }
    }
}

/// A pass with these changes, whose pass number is 0, as GPUs decide by it: without what it is called and what shaders reach.
pub fn apply_to_pass(pass: &Pass, edits: &[Edit]) -> Pass {
    let submission = Submission { ops: alloc::vec![Op::Pass(pass.clone())], ..Submission::default() };
    let frame = FrameStructure { submissions: alloc::vec![submission], ..FrameStructure::default() };
    let whole = Numbered::new(&frame);
    let mut draft = Draft::of(&whole);
    make(&mut draft, edits);
    draft.pass(0).unwrap_or_default()
}
