//! What GPUs move in a frame: worked out once for each kind of pass and for all transfers, and told with the frame's names.
//!
//! [`Prepared`] is what no GPU has a say in: the kinds of passes, and the transfers. [`Traffic`] is one GPU's answer; the names and
//! numbers of the passes are filled in only when it is told, because a report repeats them for each GPU.

use super::alike::Kinds;
use super::outcome::{Outcome, Run};
use super::told::Told;
use super::{PassView, transfers};
use crate::frame::{FrameStructure, Op};
use crate::gpu::Profile;
use crate::identity::Names;
use crate::ledger::sum;
use crate::report::{Basis, Compression, Direction, GpuFrame, TransferEntry};
use crate::units::Bytes;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A frame, ready to be asked about GPUs.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    /// The first pass of each kind, with what GPUs have concluded from it.
    kinds: Vec<PassView<'a>>,
    of_pass: Arc<[usize]>,
    transfers: Arc<[TransferEntry]>,
}

/// What one GPU moves in one frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Traffic {
    /// Sum of all read entries.
    pub read_bytes: Bytes,
    /// Sum of all write entries.
    pub write_bytes: Bytes,
    /// Of each kind of pass.
    outcomes: Vec<Outcome>,
    /// The kind of each pass.
    of_pass: Arc<[usize]>,
    transfers: Arc<[TransferEntry]>,
}

/// A debit with what it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Debited<'a> {
    /// Whether DRAM is read or written.
    pub direction: Direction,
    /// Identity of the image or buffer; empty where it is not known.
    pub resource: &'a str,
    /// The word for the report.
    pub cause: &'a str,
    /// Bytes.
    pub bytes: Bytes,
    /// How far the figure may be off.
    pub basis: Basis,
}

impl<'a> Prepared<'a> {
    /// Sorts the passes and prices the transfers. Whatever cannot be said is added to `left_out`.
    pub fn new(frame: &'a FrameStructure, names: &Names, left_out: &mut BTreeSet<String>) -> Self {
        let Kinds { first, of_pass } =
            Kinds::of(frame.passes().map(|pass| PassView::new(pass, &frame.images).remembering()));
        let of_frame = frame.ops_by_maker().filter_map(|(by_host, op)| match op {
            Op::Transfer(transfer) => Some((by_host, transfer)),
            _ => None,
        });
        // What the host copies moves through its own caches, and no byte of it through the GPU.
        let by_gpu = (0u32..).zip(of_frame).filter(|(_, (by_host, _))| !by_host);
        let priced = by_gpu.flat_map(|(at, (_, transfer))| transfers::entries(frame, names, transfer, at, left_out));
        Self { transfers: priced.collect(), kinds: first, of_pass: of_pass.into() }
    }

    /// What a GPU moves; `in_full` with what stands beside the ledger: what may happen instead, and which attachments compression
    /// applies to. Whatever cannot be said is added to `left_out`.
    pub fn on(&self, profile: &Profile, in_full: bool, left_out: &mut BTreeSet<String>) -> Traffic {
        let outcome = |view| {
            let counted = Outcome::of(view, profile, left_out);
            if !in_full {
                return counted;
            }
            counted.with_alternative(view, profile, left_out).with_compression(view, profile)
        };
        let outcomes: Vec<Outcome> = self.kinds.iter().map(outcome).collect();
        let (mut read_bytes, mut write_bytes) =
            (sum(&self.transfers, Direction::Read), sum(&self.transfers, Direction::Write));
        for outcome in self.of_pass.iter().filter_map(|kind| outcomes.get(*kind)) {
            read_bytes += outcome.run.ledger.read_bytes;
            write_bytes += outcome.run.ledger.write_bytes;
        }
        let (of_pass, transfers) = (Arc::clone(&self.of_pass), Arc::clone(&self.transfers));
        Traffic { read_bytes, write_bytes, outcomes, of_pass, transfers }
    }
}

impl Traffic {
    /// How a pass runs, by its number.
    pub fn run(&self, pass: u32) -> Option<&Run> {
        let kind = self.of_pass.get(pass as usize)?;
        Some(&self.outcomes.get(*kind)?.run)
    }

    /// Which attachments of a pass compression applies to; those of pass 0, and none where it was not asked for.
    pub fn compression(&self, pass: u32) -> &[Compression] {
        let kind = self.of_pass.get(pass as usize);
        kind.and_then(|kind| self.outcomes.get(*kind)).map_or(&[], |outcome| &outcome.compression)
    }

    /// Shows every debit; `frame` is what it was worked out for, and its images have these names.
    pub fn debits<'t>(&'t self, frame: &FrameStructure, images: &'t [String], mut show: impl FnMut(Debited<'t>)) {
        for (pass, kind) in frame.passes().zip(self.of_pass.iter()) {
            for entry in self.outcomes.get(*kind).iter().flat_map(|outcome| &outcome.run.ledger.entries) {
                let image = pass.attachments.get(entry.attachment as usize).and_then(|a| a.image);
                let resource = image.and_then(|image| images.get(image.0 as usize)).map_or("", String::as_str);
                let (direction, cause, bytes, basis) = (entry.direction, entry.cause, entry.bytes, entry.basis);
                show(Debited { direction, resource, cause, bytes, basis });
            }
        }
        for TransferEntry { direction, resource, cause, bytes, basis, .. } in self.transfers.iter() {
            show(Debited { direction: *direction, resource, cause, bytes: *bytes, basis: *basis });
        }
    }

    /// As the report tells it of `frame`, which it was worked out for and whose passes and images have these names.
    pub fn told(&self, frame: &FrameStructure, names: &Names) -> GpuFrame {
        let mut told = GpuFrame {
            read_bytes: self.read_bytes,
            write_bytes: self.write_bytes,
            transfers: self.transfers.to_vec(),
            ..GpuFrame::default()
        };
        for (number, (pass, kind)) in (0u32..).zip(frame.passes().zip(self.of_pass.iter())) {
            let Some(outcome) = self.outcomes.get(*kind) else { continue };
            let names = names.attachments.get(number as usize).map_or(&[][..], Vec::as_slice);
            let view = &PassView::new(pass, &frame.images);
            told.passes.extend(Told { view, number, names }.tile_passes(outcome));
            told.compression
                .extend(outcome.compression.iter().map(|fact| Compression { pass: number, ..fact.clone() }));
        }
        told
    }
}
