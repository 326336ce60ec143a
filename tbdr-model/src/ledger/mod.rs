//! The ledger: every byte between chip and DRAM is an entry with its cause, and every sum shown is a sum of entries.

use crate::report::{Basis, Direction, Entry, TransferEntry};
use crate::units::Bytes;

/// Something that stands in the ledger.
pub trait Debit {
    /// Read or written.
    fn direction(&self) -> Direction;
    /// How many bytes.
    fn bytes(&self) -> Bytes;
    /// How sure.
    fn basis(&self) -> Basis;
}

impl Debit for Entry {
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

impl Debit for TransferEntry {
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

/// Sum of the entries of one direction. What is undecided is part of no sum.
pub fn sum(entries: &[impl Debit], direction: Direction) -> Bytes {
    let counts = |e: &&_| Debit::direction(*e) == direction && Debit::basis(*e) != Basis::Undecided;
    entries.iter().filter(counts).map(Debit::bytes).sum()
}
