//! From a recorded frame and a GPU profile to a ledger: which attachment and which transfer moves how many bytes, and why.

mod attachments;
mod compression;
mod operations;
mod texels;
mod transfers;
mod uses;
mod view;

pub use operations::{Movement, Ops, Walk};
pub(crate) use transfers::word as transfer_word;
pub use uses::{AspectUses, Use, uses};
pub use view::PassView;

use crate::frame::{FrameStructure, Image, Op, Pass};
use crate::gpu::Profile;
use crate::identity::Names;
use crate::ledger;
use crate::report::{Compression, GpuFrame, TilePass};
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

/// Kinds of traffic that no figure contains.
pub const NOT_MODELLED: &[&str] = &[
    "texture, buffer and storage image traffic of shaders, and of dispatches",
    "vertex, index and indirect buffer reads, geometry and binning traffic",
    "framebuffer compression and transaction elimination: all bytes are uncompressed",
    "what keeps pixels outside a render area that is not a multiple of the tile",
];

/// What one GPU moves in one frame. Whatever cannot be said is added to `left_out`.
pub(crate) fn evaluate(
    frame: &FrameStructure,
    names: &Names,
    profile: &Profile,
    left_out: &mut BTreeSet<String>,
) -> GpuFrame {
    walk(frame, names, profile, left_out, None)
}

/// The same with what stands beside the ledger: what may happen instead, and which attachments compression applies to.
pub(crate) fn evaluate_in_full(
    frame: &FrameStructure,
    names: &Names,
    profile: &Profile,
    left_out: &mut BTreeSet<String>,
) -> GpuFrame {
    let mut facts = Vec::new();
    let gpu = walk(frame, names, profile, left_out, Some(&mut facts));
    GpuFrame { compression: facts, ..gpu }
}

fn walk(
    frame: &FrameStructure,
    names: &Names,
    profile: &Profile,
    left_out: &mut BTreeSet<String>,
    mut facts: Option<&mut Vec<Compression>>,
) -> GpuFrame {
    let (mut passes, mut transfers) = (Vec::new(), Vec::new());
    let (mut pass_index, mut transfer_index) = (0, 0);
    for op in frame.ops() {
        match op {
            Op::Pass(pass) => {
                let view = PassView::new(pass, &frame.images);
                let names = names.attachments.get(pass_index as usize).map_or(&[][..], Vec::as_slice);
                let facts = facts.as_deref_mut();
                passes.extend(attachments::tile_passes(&view, pass_index, names, profile, left_out, facts));
                pass_index += 1;
            }
            Op::Transfer(transfer) => {
                transfers.extend(transfers::entries(frame, names, transfer, transfer_index, left_out));
                transfer_index += 1;
            }
            Op::Barrier(_) | Op::Dispatch(_) | Op::Opaque(_) => {}
        }
    }
    ledger::close(passes, transfers)
}

/// What one GPU makes of one pass, whose attachments are images of `images`: its tile passes with their ledger, in order of
/// execution. Images have no names here.
pub fn tile_passes(pass: &Pass, images: &[Image], profile: &Profile) -> Vec<TilePass> {
    attachments::tile_passes(&PassView::new(pass, images), 0, &[], profile, &mut BTreeSet::new(), Some(&mut Vec::new()))
}
