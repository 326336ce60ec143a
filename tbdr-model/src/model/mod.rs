//! From a recorded frame and a GPU profile to a ledger: which attachment and which transfer moves how many bytes, and why.

mod alike;
mod attachments;
mod compression;
pub(crate) mod driver;
mod maps;
mod memo;
mod operations;
mod outcome;
mod texels;
mod told;
mod traffic;
mod transfers;
mod uses;
mod view;

pub use compression::Attachments;
pub use operations::{Movement, Ops, Walk};
pub(crate) use outcome::{Outcome, Run};
pub(crate) use texels::{each as each_aspect, word as aspect_word};
pub(crate) use traffic::{Debited, Prepared, Traffic};
pub(crate) use transfers::{host_bytes, word as transfer_word};
pub use uses::{AspectUses, Use, is_read_only, uses};
pub use view::{Cover, PassView};

use crate::frame::{Image, Pass};
use crate::gpu::{Grouping, Plan, Profile};
use crate::report::TilePass;
use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Kinds of traffic that no figure contains.
pub const NOT_MODELLED: &[&str] = &[
    "textures, buffers and storage images of shaders that are no attachments; what attachments move for shaders stands beside the totals",
    "vertex, index and indirect buffer reads, geometry and binning traffic",
    "framebuffer compression and transaction elimination in the totals: what compression leaves stands beside them",
    "what keeps pixels outside a render area that is not a multiple of the tile",
];

/// Which subpasses of a pass run together on one GPU, with a verdict on each: what can be said when a render pass is made and no image
/// is known. Tile passes are numbered in order of execution.
pub fn merging(pass: &Pass, profile: &Profile) -> Arc<Grouping> {
    outcome::grouping(&PassView::new(pass, &[]), profile)
}

/// How one GPU runs the tile passes of one pass, whose attachments are images of `images`.
pub(crate) fn tile_plans(pass: &Pass, images: &[Image], profile: &Profile) -> Arc<[Plan]> {
    let view = &PassView::new(pass, images);
    profile.tiler.plans(view, &outcome::grouping(view, profile).groups)
}

/// What one GPU makes of one pass, whose attachments are images of `images`: its tile passes with their ledger, in order of
/// execution. Images have no names here.
pub fn tile_passes(pass: &Pass, images: &[Image], profile: &Profile) -> Vec<TilePass> {
    let view = &PassView::new(pass, images);
    let left_out = &mut BTreeSet::new();
    let outcome = Outcome::of(view, profile, left_out).with_alternative(view, profile, left_out);
    told::Told { view, number: 0, names: &[] }.tile_passes(&outcome)
}
