//! A transfer command that is not needed: a copy nobody needs, a clear that another operation does for nothing.

use super::Touched;

pub fn apply(gone: &mut Touched, transfer: u32) {
    gone.transfers.insert(transfer);
}
