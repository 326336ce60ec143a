//! The ledger of a frame on one GPU, line by line: who moves what, and why, by identities that are the same in the next run.
//!
//! Comparisons and budgets are sums of these lines, which the model adds up.

use std::borrow::Cow;
use std::collections::BTreeMap;
pub use tbdr_model::ledger::sums::Sum;
use tbdr_model::ledger::sums::{self, Debited};
use tbdr_model::report::{Basis, Direction, Frame, GpuFrame, TilePass};
use tbdr_model::units::Bytes;

/// Where in a frame something moves. Identities are the same in the next run. Hostile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place<'a> {
    /// A render pass, or several that the GPU runs as one.
    Pass(Cow<'a, str>),
    /// A transfer command.
    Transfer(&'a str),
}

impl Place<'_> {
    /// The identity.
    pub fn id(&self) -> &str {
        match self {
            Self::Pass(id) => id,
            Self::Transfer(id) => id,
        }
    }

    /// What it is, in a word.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Pass(_) => "pass",
            Self::Transfer(_) => "transfer",
        }
    }
}

/// What moves, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause<'a> {
    /// Image or buffer. Hostile.
    pub resource: &'a str,
    /// `color`, `depth`, `stencil` or `buffer`.
    pub aspect: &'a str,
    /// `load`, `store`, `resolve`, `blit`, …
    pub cause: &'a str,
    /// Whether DRAM is read or written.
    pub direction: Direction,
}

/// One line.
#[derive(Clone, Debug)]
pub struct Debit<'a> {
    /// Where it moves.
    pub place: Place<'a>,
    /// What moves.
    pub cause: Cause<'a>,
    /// Bytes; in no sum where the basis is undecided.
    pub bytes: u64,
    /// How far they may be off.
    pub basis: Basis,
    /// Samples per pixel of the image; 1 for buffers.
    pub samples: u32,
}

impl tbdr_model::ledger::Debit for Debit<'_> {
    fn direction(&self) -> Direction {
        self.cause.direction
    }

    fn bytes(&self) -> Bytes {
        Bytes(self.bytes)
    }

    fn basis(&self) -> Basis {
        self.basis
    }
}

/// The lines of a frame on a GPU, passes first, each in order of execution.
pub fn debits<'a>(frame: &'a Frame, gpu: &'a GpuFrame) -> Vec<Debit<'a>> {
    let samples = samples(frame);
    let mut all: Vec<_> = gpu.passes.iter().flat_map(|pass| of_pass(frame, pass, &samples)).collect();
    all.extend(gpu.transfers.iter().zip(sums::of_transfers(gpu)).map(|(entry, debited)| {
        let transfer = frame.transfers.get(entry.transfer as usize);
        let place = Place::Transfer(transfer.map_or("unknown transfer", |transfer| &transfer.id));
        line(place, &debited, samples.get(debited.resource).copied())
    }));
    all
}

/// What would be counted where the driver runs render passes another way than is counted: for each of them, the lines then.
pub fn instead<'a>(frame: &'a Frame, gpu: &'a GpuFrame) -> Vec<Vec<Debit<'a>>> {
    let samples = samples(frame);
    let alternatives = gpu.passes.iter().filter_map(|pass| pass.alternative.as_ref());
    alternatives.map(|other| other.passes.iter().flat_map(|pass| of_pass(frame, pass, &samples)).collect()).collect()
}

fn samples(frame: &Frame) -> BTreeMap<&str, u32> {
    frame.images.iter().map(|image| (image.id.as_str(), image.samples)).collect()
}

fn of_pass<'a>(frame: &'a Frame, pass: &'a TilePass, samples: &BTreeMap<&str, u32>) -> Vec<Debit<'a>> {
    let source = pass.source_passes.first().and_then(|&index| frame.passes.get(index as usize));
    let place = Place::Pass(pass_id(frame, pass));
    let debit = |debited: Debited<'a>| {
        // An image that the record does not know is still an attachment with samples.
        let attachment = source.and_then(|pass| pass.attachments.get(debited.attachment as usize));
        let known = samples.get(debited.resource).copied();
        line(place.clone(), &debited, known.or(attachment.map(|attachment| attachment.samples)))
    };
    sums::of_pass(pass).map(debit).collect()
}

fn line<'a>(place: Place<'a>, debited: &Debited<'a>, samples: Option<u32>) -> Debit<'a> {
    let Debited { resource, aspect, cause, direction, bytes, basis, .. } = *debited;
    let cause = Cause { resource, aspect, cause, direction };
    Debit { place, cause, bytes: bytes.0, basis, samples: samples.unwrap_or(1) }
}

fn pass_id<'a>(frame: &'a Frame, pass: &TilePass) -> Cow<'a, str> {
    let id = |index: &u32| frame.passes.get(*index as usize).map_or("unknown pass", |pass| pass.id.as_str());
    match &pass.source_passes[..] {
        [] => Cow::Borrowed("unknown pass"),
        [only] => Cow::Borrowed(id(only)),
        several => Cow::Owned(several.iter().map(id).collect::<Vec<_>>().join(" + ")),
    }
}
