//! A draw of the pass that would load it in place of a copy: the source is read as before, the destination is not written.

use crate::frame::{FrameStructure, Op};

pub fn apply(frame: &mut FrameStructure, transfer: u32) {
    let ops = frame.submissions.iter_mut().flat_map(|s| s.ops.iter_mut());
    let mut transfers = ops.filter_map(|op| match op {
        Op::Transfer(transfer) => Some(transfer),
        _ => None,
    });
    if let Some(transfer) = transfers.nth(transfer as usize) {
        transfer.regions.iter_mut().for_each(|region| region.dst = None);
    }
}
