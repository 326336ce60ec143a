//! What no advice could be given on, and why: in `undecided_advice` of the report, and among what the figures leave out.

use crate::frame::FrameStructure;
use crate::graph::external_readers;
use crate::graph::liveness::is_sparse;
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

/// Sparse attachments, if there are some.
fn sparse<'a>(mut frames: impl Iterator<Item = &'a FrameStructure>) -> Option<UndecidedAdvice> {
    let any = |frame: &FrameStructure| {
        let used = frame.passes().flat_map(|pass| &pass.attachments).filter_map(|attachment| attachment.image);
        used.into_iter().filter_map(|image| frame.images.get(image.0 as usize)).any(is_sparse)
    };
    frames.any(any).then(|| UndecidedAdvice {
        about: "sparse_attachments".into(),
        count: None,
        note: "advice on what sparse attachments hold: which memory vkQueueBindSparse gives them at which time is not followed".into(),
    })
}

/// All of a run: of its frames, and of stored attachments of which nobody knows whether they are read.
pub fn of<'a>(
    run: Option<&Run>,
    frames: impl Iterator<Item = &'a FrameStructure>,
    undecided_stores: usize,
) -> Vec<UndecidedAdvice> {
    let by_extensions = run.into_iter().flat_map(by_extensions);
    stores(undecided_stores).into_iter().chain(sparse(frames)).chain(by_extensions).collect()
}
