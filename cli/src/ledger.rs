//! The ledger of a frame on one GPU, line by line: who moves what, and why. Comparisons and budgets are sums of these lines.

use std::borrow::Cow;
use std::collections::BTreeMap;
use tbdr_model::report::{Basis, Direction, Frame, GpuFrame, TilePass};

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

/// A sum of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// Bytes of what is decided.
    pub bytes: u64,
    /// The least certain basis of what is decided.
    pub basis: Basis,
    /// Lines that are undecided, and in no sum.
    pub undecided: u64,
}

impl Default for Sum {
    fn default() -> Self {
        Self { bytes: 0, basis: Basis::Exact, undecided: 0 }
    }
}

impl Sum {
    /// Takes in a line.
    pub fn add(&mut self, debit: &Debit<'_>) {
        if debit.basis == Basis::Undecided {
            self.undecided = self.undecided.saturating_add(1);
            return;
        }
        self.bytes = self.bytes.saturating_add(debit.bytes);
        self.basis = self.basis.max(debit.basis);
    }

    /// The sum of these lines.
    pub fn of<'a, 'b: 'a>(debits: impl IntoIterator<Item = &'a Debit<'b>>) -> Self {
        let mut sum = Self::default();
        debits.into_iter().for_each(|debit| sum.add(debit));
        sum
    }
}

/// The lines of a frame on a GPU, passes first, each in order of execution.
pub fn debits<'a>(frame: &'a Frame, gpu: &'a GpuFrame) -> Vec<Debit<'a>> {
    let samples = samples(frame);
    let mut all: Vec<_> = gpu.passes.iter().flat_map(|pass| of_pass(frame, pass, &samples)).collect();
    all.extend(gpu.transfers.iter().map(|entry| {
        let transfer = frame.transfers.get(entry.transfer as usize);
        let cause =
            Cause { resource: &entry.resource, aspect: &entry.aspect, cause: &entry.cause, direction: entry.direction };
        let samples = samples.get(cause.resource).copied().unwrap_or(1);
        let place = Place::Transfer(transfer.map_or("unknown transfer", |transfer| &transfer.id));
        Debit { place, cause, bytes: entry.bytes.0, basis: entry.basis, samples }
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
    let debit = |entry: &'a tbdr_model::report::Entry| {
        // An image that the record does not know is still an attachment with samples.
        let attachment = source.and_then(|pass| pass.attachments.get(entry.attachment as usize));
        let cause =
            Cause { resource: &entry.image, aspect: &entry.aspect, cause: &entry.cause, direction: entry.direction };
        let known = samples.get(cause.resource).copied();
        let samples = known.or(attachment.map(|attachment| attachment.samples)).unwrap_or(1);
        Debit { place: place.clone(), cause, bytes: entry.bytes.0, basis: entry.basis, samples }
    };
    pass.entries.iter().map(debit).collect()
}

fn pass_id<'a>(frame: &'a Frame, pass: &TilePass) -> Cow<'a, str> {
    let id = |index: &u32| frame.passes.get(*index as usize).map_or("unknown pass", |pass| pass.id.as_str());
    match &pass.source_passes[..] {
        [] => Cow::Borrowed("unknown pass"),
        [only] => Cow::Borrowed(id(only)),
        several => Cow::Owned(several.iter().map(id).collect::<Vec<_>>().join(" + ")),
    }
}
