//! The least that a GPU must move if passes, copies and shaders read and write what they do now.
//!
//! Of each attachment and transfer the floor takes what the frame needs, or what the GPU's ledger has of it, whichever is less: it is
//! never above what moves now. It is never above what the findings leave, either: what they save need not move.

use super::needs::{Needs, Place, WHOLE};
use crate::graph::Operation;
use crate::model::aspect_word;
use crate::price::Saved;
use crate::report::{Basis, Direction, Floor, GpuFrame};
use crate::units::Bytes;
use alloc::collections::BTreeMap;

/// The floor of a GPU whose entries are in place; `avoidable` is what all findings save together.
pub fn of(gpu: &GpuFrame, needs: &Needs, avoidable: Saved) -> Floor {
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
    // What the findings save need not move, in either direction.
    let left = |now: Bytes, saved: i128| Bytes(u64::try_from(i128::from(now.0) - saved).unwrap_or(0));
    let [read, written] = avoidable.bytes;
    let (read, written) = (left(gpu.read_bytes, read), left(gpu.write_bytes, written));
    floor.read_bytes = floor.read_bytes.min(read);
    floor.write_bytes = floor.write_bytes.min(written);
    // What may have to move is no more than what is neither in the floor nor avoidable.
    let rest = (read + written).0.saturating_sub(floor.total().0);
    floor.undecided_bytes = floor.undecided_bytes.min(Bytes(rest));
    let now = gpu.read_bytes + gpu.write_bytes;
    let undecided = super::sums::debits(gpu).any(|debit| debit.basis == Basis::Undecided);
    floor.efficiency = (now.0 > 0 && !undecided).then(|| {
        let thousandths = u128::from(floor.total().0) * 1000 / u128::from(now.0);
        thousandths as f64 / 1000.0
    });
    floor
}
