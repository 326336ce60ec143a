//! A draw of the pass that would load it in place of a copy: the source is read as before, the destination is not written.

use super::Draft;

pub fn apply(draft: &mut Draft<'_>, transfer: u32) {
    if let Some(transfer) = draft.transfer_mut(transfer) {
        transfer.regions.iter_mut().for_each(|region| region.dst = None);
    }
}
