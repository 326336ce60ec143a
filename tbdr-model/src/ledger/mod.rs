//! The ledger: every byte between chip and DRAM is an entry with its cause, and every sum shown is a sum of entries.
//!
//! The model writes the entries (`model`). Here is what follows from them and from the frame as a whole, in one place for every
//! renderer: sums ([`sums`]), debits beside the totals (`beside`), what compression leaves (`compressed`), and the least that must move
//! (`needs`, `floor`). Nothing here changes an entry's bytes.

mod beside;
mod compressed;
mod floor;
mod needs;
pub mod scale;
pub mod sums;

pub use compressed::{FLAT, MEASURED};
pub(crate) use needs::{Needs, Proofs};

use crate::frame::{FrameStructure, Pass};
use crate::identity::Names;
use crate::price::Saved;
use crate::report::{Basis, BesideEntry, Direction, Entry, GpuFrame, TransferEntry};
use crate::units::Bytes;
use alloc::vec::Vec;

/// Something that stands in the ledger.
pub trait Debit {
    /// Read or written.
    fn direction(&self) -> Direction;
    /// How many bytes.
    fn bytes(&self) -> Bytes;
    /// How sure.
    fn basis(&self) -> Basis;
}

macro_rules! debits {
    ($($entry:ty),*) => {$(
        impl Debit for $entry {
            fn direction(&self) -> Direction {
                self.direction
            }
            fn bytes(&self) -> Bytes {
                self.bytes
            }
            fn basis(&self) -> Basis {
                self.basis
            }
        }
    )*};
}

debits!(Entry, TransferEntry, sums::Debited<'_>);

/// Sum of the entries of one direction. What is undecided is part of no sum.
pub fn sum(entries: &[impl Debit], direction: Direction) -> Bytes {
    let counts = |e: &&_| Debit::direction(*e) == direction && Debit::basis(*e) != Basis::Undecided;
    entries.iter().filter(counts).map(Debit::bytes).sum()
}

/// What the figures beside the totals rest on, for [`Report::assumptions`](crate::report::Report::assumptions).
pub const ASSUMPTIONS: &[&str] = &[
    "shaders (beside the totals): a pass or dispatch whose shaders statically use an image reads each texel that its views show once; \
     a shader may read less, and caches that are too small read more; of multisampled images between one sample and all",
    "display (beside the totals): whoever shows or composes a presented image reads it once per frame",
    "compression: where the GPU's scheme applies, 45 to 60 % of the bytes are left (30 % where nothing was drawn), as published \
     measurements of real content have it; noise compresses less, and where it is not known whether the scheme applies it may be all",
    "floor: what is presented, leaves the frame or is read in a later frame is written once, what comes from an earlier frame is read \
     once, and so is what a transfer reads; what a shader reads through descriptors is written once",
    "floor: what a later pass of the frame loads or reads as input attachment can stay on chip, and of a resolve only the result has to \
     be written",
    "floor: passes, copies and shaders read and write what they do now, dispatches are wanted, and so is what is copied into buffers; a \
     program that comes to its results another way may move less. What nobody is known to read does not count",
];

/// Fills in what stands beside the totals of a GPU in a frame whose entries are in place; `avoidable` is what all findings save together.
pub(crate) fn complete(gpu: &mut GpuFrame, of: &Beside<'_>, avoidable: Saved) {
    gpu.avoidable_bytes = Some(Bytes(u64::try_from(avoidable.total()).unwrap_or(0)));
    let sum = |by_display: bool, direction| {
        let of_kind = of.entries.iter().filter(|e| (e.cause == beside::PRESENT) == by_display);
        of_kind.filter(|e| e.direction == direction && e.basis != Basis::Undecided).map(|e| e.bytes).sum()
    };
    gpu.sampled_read_bytes = sum(false, Direction::Read);
    gpu.storage_write_bytes = sum(false, Direction::Write);
    gpu.display_read_bytes = sum(true, Direction::Read);
    gpu.beside.clone_from(&of.entries);
    compressed::fill(gpu, of.frame, &of.passes, of.names);
    gpu.floor = of.needs.as_ref().map(|needs| floor::of(gpu, needs, avoidable));
}

/// What is the same for every GPU.
pub(crate) struct Beside<'a> {
    frame: &'a FrameStructure,
    passes: Vec<&'a Pass>,
    names: &'a Names,
    entries: Vec<BesideEntry>,
    needs: Option<Needs>,
}

impl<'a> Beside<'a> {
    /// Of a frame; `needs` is absent where it is not known what the frame does to its images.
    pub fn new(frame: &'a FrameStructure, names: &'a Names, needs: Option<Needs>) -> Self {
        Self { frame, passes: frame.passes().collect(), names, entries: beside::entries(frame, names), needs }
    }
}
