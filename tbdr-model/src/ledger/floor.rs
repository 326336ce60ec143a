//! The least that a GPU must move for the same results.
//!
//! Of each attachment and transfer the floor takes what the frame needs, or what the GPU's ledger has of it, whichever is less: it is
//! never above what moves now. It is never above what the findings leave, either: what they save need not move.

use super::needs::{Needs, Place, WHOLE};
use crate::graph::Operation;
use crate::model::aspect_word;
use crate::report::{Basis, Direction, Floor, GpuFrame};
use crate::units::Bytes;
use alloc::collections::BTreeMap;

/// The floor of a GPU whose entries and `avoidable_bytes` are in place.
pub fn of(gpu: &GpuFrame, needs: &Needs) -> Floor {
    let mut moved: BTreeMap<(u32, u32, &str, Direction), Bytes> = BTreeMap::new();
    for pass in &gpu.passes {
        let Some(number) = pass.source_passes.first() else { continue };
        for entry in pass.entries.iter().filter(|entry| entry.basis != Basis::Undecided) {
            *moved.entry((*number, entry.attachment, &entry.aspect, entry.direction)).or_default() += entry.bytes;
        }
    }
    let mut floor = Floor::default();
    let at_most = |places: &BTreeMap<Place, Bytes>, wanted: Operation| {
        let of_kind = places.iter().filter(|((.., operation), _)| *operation == wanted);
        let direction = if wanted == Operation::Load { Direction::Read } else { Direction::Write };
        let least = of_kind.map(|((pass, attachment, aspect, _), bytes)| {
            let now = moved.get(&(*pass, *attachment, aspect_word(*aspect), direction)).copied().unwrap_or_default();
            now.min(*bytes)
        });
        least.sum::<Bytes>()
    };
    floor.read_bytes = at_most(&needs.attachments, Operation::Load);
    floor.write_bytes = at_most(&needs.attachments, Operation::Store);
    floor.undecided_bytes = at_most(&needs.undecided, Operation::Load) + at_most(&needs.undecided, Operation::Store);
    for entry in gpu.transfers.iter().filter(|entry| entry.basis != Basis::Undecided) {
        match entry.direction {
            Direction::Read if needs.read.contains(&entry.transfer) => floor.read_bytes += entry.bytes,
            Direction::Read => {}
            Direction::Write => {
                let part = needs.written.get(&entry.transfer).copied().unwrap_or_default();
                let bytes = u128::from(entry.bytes.0) * u128::from(part) / u128::from(WHOLE);
                floor.write_bytes += Bytes(bytes as u64);
            }
        }
    }
    let now = gpu.read_bytes + gpu.write_bytes;
    let left = now.0.saturating_sub(gpu.avoidable_bytes.unwrap_or_default().0);
    let above = floor.total().0.saturating_sub(left);
    let write = floor.write_bytes.0.min(above);
    floor.write_bytes.0 -= write;
    floor.read_bytes.0 -= (above - write).min(floor.read_bytes.0);
    // What may have to move is no more than what is neither in the floor nor avoidable.
    floor.undecided_bytes.0 = floor.undecided_bytes.0.min(left.saturating_sub(floor.total().0));
    let undecided = super::sums::debits(gpu).any(|debit| debit.basis == Basis::Undecided);
    floor.efficiency = (now.0 > 0 && !undecided).then(|| {
        let thousandths = u128::from(floor.total().0) * 1000 / u128::from(now.0);
        thousandths as f64 / 1000.0
    });
    floor
}
