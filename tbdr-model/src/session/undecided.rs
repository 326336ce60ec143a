//! What no advice could be given on, and why: in `undecided_advice` of the report, and among what the figures leave out.

use crate::graph::external_readers;
use crate::record::Run;
use crate::report::UndecidedAdvice;
use alloc::format;
use alloc::vec::Vec;

/// By the extensions that the program enabled: what they let happen to images is not recorded.
pub fn by_extensions(run: &Run) -> impl Iterator<Item = UndecidedAdvice> + '_ {
    external_readers(&run.device.extensions).map(|(extension, what)| UndecidedAdvice {
        about: "images_that_shaders_reach".into(),
        count: None,
        note: format!(
            "advice on images that shaders can reach (usage SAMPLED or STORAGE): with {extension} enabled {what}, which is not recorded"
        ),
    })
}

/// Stored attachments of which nobody knows whether they are read.
fn stores(count: usize) -> Option<UndecidedAdvice> {
    (count > 0).then(|| UndecidedAdvice {
        about: "stored_attachments".into(),
        count: u64::try_from(count).ok(),
        note: format!(
            "advice on {count} stored attachment{}: whether anybody reads what is stored is undecided (shaders may sample it, frames are \
             missing, or the run ends before it is overwritten)",
            if count == 1 { "" } else { "s" }
        ),
    })
}

/// All of a run.
pub fn of(run: Option<&Run>, undecided_stores: usize) -> Vec<UndecidedAdvice> {
    stores(undecided_stores).into_iter().chain(run.into_iter().flat_map(by_extensions)).collect()
}
