//! Sums of a GPU's entries by pass, attachment, cause and direction: the one place where renderers get them.

use crate::report::{Basis, Direction, GpuFrame, Interval};
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
    let passes = gpu.passes.iter().flat_map(|pass| {
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
    });
    let transfers = gpu.transfers.iter().map(|entry| Debited {
        place: Place::Transfer(entry.transfer),
        attachment: 0,
        resource: &entry.resource,
        aspect: &entry.aspect,
        cause: &entry.cause,
        direction: entry.direction,
        bytes: entry.bytes,
        basis: entry.basis,
        compressed: entry.compressed,
    });
    passes.chain(transfers)
}

/// A sum, both directions apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Bytes read.
    pub read: Bytes,
    /// Bytes written.
    pub write: Bytes,
    /// Entries that are in neither because nobody knows their bytes.
    pub undecided: u64,
}

impl Sum {
    /// Both directions.
    pub fn total(&self) -> Bytes {
        self.read + self.write
    }

    fn add(&mut self, debit: &Debited<'_>) {
        match (debit.basis, debit.direction) {
            (Basis::Undecided, _) => self.undecided += 1,
            (_, Direction::Read) => self.read += debit.bytes,
            (_, Direction::Write) => self.write += debit.bytes,
        }
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
