//! What changed in the modelled ledger between two frames, by direction and by whether samples are stored.

use crate::ledger::{Sum, debits};
use tbdr_model::report::{Direction, Frame};

/// Modelled bytes per frame in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modelled {
    /// Before the change.
    pub before: u64,
    /// After it.
    pub after: u64,
    /// Part of the difference that belongs to images with several samples per pixel.
    pub multisampled: i128,
    /// Part of the difference that belongs to everything else.
    pub single: i128,
}

impl Modelled {
    /// After less before.
    pub fn difference(&self) -> i128 {
        self.multisampled + self.single
    }
}

/// Compares two frames on a GPU; `None` if one of them was not modelled for it.
pub fn compare(before: &Frame, after: &Frame, gpu: &str, direction: Direction) -> Option<Modelled> {
    let sum = |frame| sums(frame, gpu, direction);
    let ([single_before, multi_before], [single_after, multi_after]) = (sum(before)?, sum(after)?);
    let difference = |after: u64, before: u64| i128::from(after) - i128::from(before);
    Some(Modelled {
        before: single_before.saturating_add(multi_before),
        after: single_after.saturating_add(multi_after),
        multisampled: difference(multi_after, multi_before),
        single: difference(single_after, single_before),
    })
}

/// Bytes of images with one sample per pixel (and of buffers), and of those with several.
fn sums(frame: &Frame, gpu: &str, direction: Direction) -> Option<[u64; 2]> {
    let debits = debits(frame, frame.gpus.get(gpu)?);
    let of = |several: bool| {
        let sum = Sum::of(debits.iter().filter(|debit| (debit.samples > 1) == several));
        match direction {
            Direction::Read => sum.read.0,
            Direction::Write => sum.write.0,
        }
    };
    Some([of(false), of(true)])
}
