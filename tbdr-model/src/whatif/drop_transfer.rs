//! A transfer command that is not needed: a copy nobody needs, a clear that another operation does for nothing.

use super::Draft;

pub fn apply(draft: &mut Draft<'_>, transfer: u32) {
    draft.gone.transfers.insert(transfer);
}
