//! What GPUs move in a frame: worked out once for each kind of pass and for all transfers, and told with the frame's names.
//!
//! [`Prepared`] is what no GPU has a say in: the kinds of passes, and the transfers. [`Traffic`] is one GPU's answer; the names and
//! numbers of the passes are filled in only when it is told, because a report repeats them for each GPU.

use super::alike::Kinds;
use super::attachments::{KnownUses, tile_passes};
use super::{PassView, transfers};
use crate::frame::{FrameStructure, Op};
use crate::gpu::Profile;
use crate::identity::Names;
use crate::ledger::sum;
use crate::report::{Compression, Direction, GpuFrame, TilePass, TransferEntry};
use crate::units::Bytes;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A frame, ready to be asked about GPUs.
#[derive(Clone, Debug)]
pub(crate) struct Prepared<'a> {
    kinds: Kinds<'a>,
    /// Of each kind.
    uses: Vec<KnownUses>,
    transfers: Arc<[TransferEntry]>,
}

/// What one GPU moves in one frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Traffic {
    /// Sum of all read entries.
    pub read_bytes: Bytes,
    /// Sum of all write entries.
    pub write_bytes: Bytes,
    passes: Vec<Arc<Outcome>>,
    transfers: Arc<[TransferEntry]>,
}

/// What one GPU makes of one kind of pass.
#[derive(Clone, Debug, Default, PartialEq)]
struct Outcome {
    /// Tile passes of pass 0, of images without names.
    passes: Vec<TilePass>,
    compression: Vec<Compression>,
    read_bytes: Bytes,
    write_bytes: Bytes,
}

impl<'a> Prepared<'a> {
    /// Sorts the passes and prices the transfers. Whatever cannot be said is added to `left_out`.
    pub fn new(frame: &'a FrameStructure, names: &Names, left_out: &mut BTreeSet<String>) -> Self {
        let kinds = Kinds::of(frame.passes().map(|pass| PassView::new(pass, &frame.images)));
        let of_frame = frame.ops_by_maker().filter_map(|(by_host, op)| match op {
            Op::Transfer(transfer) => Some((by_host, transfer)),
            _ => None,
        });
        // What the host copies moves through its own caches, and no byte of it through the GPU.
        let by_gpu = (0u32..).zip(of_frame).filter(|(_, (by_host, _))| !by_host);
        let priced = by_gpu.flat_map(|(at, (_, transfer))| transfers::entries(frame, names, transfer, at, left_out));
        Self { transfers: priced.collect(), uses: alloc::vec![KnownUses::default(); kinds.first.len()], kinds }
    }

    /// What a GPU moves; `in_full` with what stands beside the ledger: what may happen instead, and which attachments compression
    /// applies to. Whatever cannot be said is added to `left_out`.
    pub fn on(&mut self, profile: &Profile, in_full: bool, left_out: &mut BTreeSet<String>) -> Traffic {
        let outcome = |(view, uses): (&PassView<'a>, &mut KnownUses)| {
            let mut compression = Vec::new();
            let passes = tile_passes(view, profile, uses, left_out, in_full.then_some(&mut compression));
            let total = |of: fn(&TilePass) -> Bytes| passes.iter().map(of).sum();
            let (read_bytes, write_bytes) = (total(|p| p.read_bytes), total(|p| p.write_bytes));
            Arc::new(Outcome { passes, compression, read_bytes, write_bytes })
        };
        let outcomes: Vec<Arc<Outcome>> = self.kinds.first.iter().zip(&mut self.uses).map(outcome).collect();
        let of_pass = self.kinds.of_pass.iter().filter_map(|kind| outcomes.get(*kind).cloned());
        let passes: Vec<Arc<Outcome>> = of_pass.collect();
        let transfers = |direction| sum(&self.transfers, direction);
        Traffic {
            read_bytes: passes.iter().map(|p| p.read_bytes).sum::<Bytes>() + transfers(Direction::Read),
            write_bytes: passes.iter().map(|p| p.write_bytes).sum::<Bytes>() + transfers(Direction::Write),
            passes,
            transfers: Arc::clone(&self.transfers),
        }
    }
}

impl Traffic {
    /// Tile passes of a pass, as those of pass 0 and of images without names.
    pub fn tile_passes(&self, pass: u32) -> &[TilePass] {
        self.passes.get(pass as usize).map_or(&[], |outcome| &outcome.passes)
    }

    /// As the report tells it of a frame of these names.
    pub fn told(&self, names: &Names) -> GpuFrame {
        let mut told = GpuFrame {
            read_bytes: self.read_bytes,
            write_bytes: self.write_bytes,
            transfers: self.transfers.to_vec(),
            ..GpuFrame::default()
        };
        for (number, outcome) in (0u32..).zip(&self.passes) {
            let names = names.attachments.get(number as usize).map_or(&[][..], Vec::as_slice);
            let first = told.passes.len();
            told.passes.extend(outcome.passes.iter().cloned());
            told.passes[first..].iter_mut().for_each(|pass| place(pass, number, names));
            told.compression
                .extend(outcome.compression.iter().map(|fact| Compression { pass: number, ..fact.clone() }));
        }
        told
    }
}

/// Makes a tile pass that of the pass `number`, whose attachments have these names.
fn place(tile_pass: &mut TilePass, number: u32, names: &[String]) {
    tile_pass.source_passes = alloc::vec![number];
    tile_pass.subpasses.iter_mut().for_each(|subpass| subpass.pass = number);
    for entry in &mut tile_pass.entries {
        entry.image = names.get(entry.attachment as usize).cloned().unwrap_or_default();
    }
    let instead = tile_pass.alternative.iter_mut().flat_map(|alternative| &mut alternative.passes);
    instead.for_each(|pass| place(pass, number, names));
}
