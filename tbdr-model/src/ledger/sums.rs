//! Sums of a GPU's entries by pass, attachment, cause and direction: the one place where renderers and the command line get them.

use super::Debit;
use crate::report::{Basis, Direction, GpuFrame, Interval, TilePass};
use crate::units::Bytes;
use alloc::collections::BTreeMap;

/// Where in the frame; indices into the frame's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A render pass. A tile pass that several passes were merged into keeps its entries under the first.
    Pass(u32),
    /// A transfer command.
    Transfer(u32),
}

/// An entry of a tile pass or of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Debited<'a> {
    /// Where.
    pub place: Place,
    /// The pass's attachment; 0 for a transfer.
    pub attachment: u32,
    /// The image or buffer. Hostile.
    pub resource: &'a str,
    /// `color`, `depth`, `stencil`, `buffer`, …
    pub aspect: &'a str,
    /// `load`, `store`, …, or the kind of the transfer.
    pub cause: &'a str,
    /// Read or written.
    pub direction: Direction,
    /// Bytes.
    pub bytes: Bytes,
    /// How far they may be off.
    pub basis: Basis,
    /// What compression leaves of them.
    pub compressed: Option<Interval>,
}

/// Every entry that the totals of a GPU are sums of, and those that are undecided.
pub fn debits(gpu: &GpuFrame) -> impl Iterator<Item = Debited<'_>> {
    gpu.passes.iter().flat_map(of_pass).chain(of_transfers(gpu))
}

/// Those of a tile pass.
pub fn of_pass(pass: &TilePass) -> impl Iterator<Item = Debited<'_>> {
    let place = Place::Pass(pass.source_passes.first().copied().unwrap_or(u32::MAX));
    pass.entries.iter().map(move |entry| Debited {
        place,
        attachment: entry.attachment,
        resource: &entry.image,
        aspect: &entry.aspect,
        cause: &entry.cause,
        direction: entry.direction,
        bytes: entry.bytes,
        basis: entry.basis,
        compressed: entry.compressed,
    })
}

/// Those of transfer commands.
pub fn of_transfers(gpu: &GpuFrame) -> impl Iterator<Item = Debited<'_>> {
    gpu.transfers.iter().map(|entry| Debited {
        place: Place::Transfer(entry.transfer),
        attachment: 0,
        resource: &entry.resource,
        aspect: &entry.aspect,
        cause: &entry.cause,
        direction: entry.direction,
        bytes: entry.bytes,
        basis: entry.basis,
        compressed: entry.compressed,
    })
}

/// A sum, both directions apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// Bytes read.
    pub read: Bytes,
    /// Bytes written.
    pub write: Bytes,
    /// The least certain basis of what is in them.
    pub basis: Basis,
    /// Entries that are in neither because nobody knows their bytes.
    pub undecided: u64,
}

impl Default for Sum {
    fn default() -> Self {
        Self { read: Bytes(0), write: Bytes(0), basis: Basis::Exact, undecided: 0 }
    }
}

impl Sum {
    /// The sum of these entries.
    pub fn of<'a, D: Debit + 'a>(debits: impl IntoIterator<Item = &'a D>) -> Self {
        let mut sum = Self::default();
        debits.into_iter().for_each(|debit| sum.add(debit));
        sum
    }

    /// Both directions.
    pub fn total(&self) -> Bytes {
        self.read + self.write
    }

    /// Takes in an entry.
    pub fn add(&mut self, debit: &impl Debit) {
        if debit.basis() == Basis::Undecided {
            self.undecided = self.undecided.saturating_add(1);
            return;
        }
        match debit.direction() {
            Direction::Read => self.read += debit.bytes(),
            Direction::Write => self.write += debit.bytes(),
        }
        self.basis = self.basis.max(debit.basis());
    }
}

/// Sums of a GPU's entries by whatever `key` makes of one.
pub fn by<'a, K: Ord>(gpu: &'a GpuFrame, key: impl Fn(&Debited<'a>) -> K) -> BTreeMap<K, Sum> {
    let mut sums: BTreeMap<K, Sum> = BTreeMap::new();
    debits(gpu).for_each(|debit| sums.entry(key(&debit)).or_default().add(&debit));
    sums
}

/// By cause.
pub fn by_cause(gpu: &GpuFrame) -> BTreeMap<&str, Sum> {
    by(gpu, |debit| debit.cause)
}

/// By image or buffer, over passes and transfers.
pub fn by_resource(gpu: &GpuFrame) -> BTreeMap<&str, Sum> {
    by(gpu, |debit| debit.resource)
}

/// By pass and transfer.
pub fn by_place(gpu: &GpuFrame) -> BTreeMap<Place, Sum> {
    by(gpu, |debit| debit.place)
}
