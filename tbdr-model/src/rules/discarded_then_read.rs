//! TL015.

use super::candidate::field;
use super::timeline::{Timeline, load_of, store_of};
use super::{Candidate, Claim, Evidence, Gather, Sighting, Structure, Worth, rule};
use crate::frame::{Aspects, LoadOp, Pass, StoreOp, TransferKind};
use crate::graph::liveness::Site;
use crate::graph::{Misread, Operation, Reader, Reading};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A pass that ends with `storeOp = DONT_CARE`, or with `storeOp = NONE` though it cleared or may have written the attachment, and a load,
    /// a shader, a copy, a resolve or a present that reads the contents afterwards with no write between.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Tiles that are not stored never reach memory. GPUs that render to memory directly keep the contents by accident: the
    /// program looks right on them and is wrong on a tile-based GPU.
    ///
    /// ## Bad
    /// A depth attachment with `storeOp = DONT_CARE`, and `loadOp = LOAD` of it in a later pass.
    ///
    /// ## Good
    /// `VK_ATTACHMENT_STORE_OP_STORE` where the contents are needed; no read where they are not. Depth that a pass only tests keeps its contents under
    /// `VK_ATTACHMENT_STORE_OP_NONE`.
    ///
    /// ## How much
    /// No bytes: what is read is undefined.
    ///
    /// ## When to ignore
    /// If a shader that statically uses the image never gets to the code that reads it.
    ///
    /// ## Known limits
    /// Speaks of whole levels and layers only: a discard of a part leaves the rest. A shader counts as a reader if it statically uses exactly
    /// that descriptor and everything that the view shows was discarded. Silent for images that several queues use, that shaders which are not followed
    /// may write, that others may reach unseen, and after gaps in the record.
    ///
    /// ## References
    /// Vulkan specification, "Render Pass Store Operations".
    DISCARDED_THEN_READ {
        code: "TL015",
        name: "discarded-then-read",
        category: LoadStoreClear,
        level: Hazard,
        since: "0.1.0",
        speaks_before: &["TL001"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    let mut timelines: BTreeMap<u32, Timeline<'_, '_>> = BTreeMap::new();
    for (misread, frames) in evidence.misreads() {
        let site = misread.discard;
        let (Some(structure), Some(reading)) =
            (evidence.structures.get(&site.structure), evidence.structures.get(&misread.structure))
        else {
            continue;
        };
        let timeline = timelines.entry(misread.structure).or_insert_with(|| Timeline::new(reading));
        let alone =
            timeline.queue_of(misread.image).is_some_and(|q| evidence.is_alone(misread.structure, misread.image, q));
        if !alone || !is_certain(structure, site) || is_cleared(reading, misread) {
            continue;
        }
        let (pass, attachment) = (site.pass, Some(site.attachment));
        let load = match (misread.reader, misread.reading) {
            (Reader::Pass(pass), Reading::Load(attachment)) => {
                let (structure, aspect, operation) = (misread.structure, site.aspect, Operation::Load);
                Some(Claim::Site(Site { structure, pass, attachment, aspect, operation }))
            }
            _ => None,
        };
        let seen = Sighting {
            structure: site.structure,
            pass,
            attachment,
            speaks_for: load.into_iter().collect(),
            frames: Some(frames.clone()),
            ..Sighting::default()
        };
        gather.add(seen, || {
            let (fix, why) = words(structure, reading, misread);
            Candidate { worth: Worth::Saying, fix, why: why.to_string(), ..Candidate::default() }
        });
    }
    gather.anywhere()
}

/// Whether the operation surely discards: under storeOp NONE something known must clear or write, and happen.
fn is_certain(structure: &Structure<'_>, site: Site) -> bool {
    let Some(attachment) = structure.attachment(site.pass, site.attachment) else { return false };
    let none = site.operation == Operation::Store && store_of(attachment, site.aspect) == StoreOp::None;
    !none || load_of(attachment, site.aspect) == LoadOp::Clear || structure.pass(site.pass).is_some_and(is_known)
}

/// Whether the pass that loads may clear what it has loaded before anything sees it.
fn is_cleared(reading: &Structure<'_>, misread: &Misread) -> bool {
    let (Reader::Pass(pass), Reading::Load(attachment)) = (misread.reader, misread.reading) else { return false };
    let aspect = misread.discard.aspect;
    reading.pass(pass).is_some_and(|pass| {
        pass.subpasses.iter().any(|subpass| {
            let of = |slot: u32| {
                subpass.color.get(slot as usize).is_some_and(|c| c.is_some_and(|c| c.attachment == attachment))
            };
            subpass.clears.iter().any(|c| c.aspects.contains(aspect) && (aspect != Aspects::COLOR || of(c.slot)))
        })
    })
}

/// Whether the state of every draw of a pass is known, and no draw or clear hangs on what only the GPU knows.
fn is_known(pass: &Pass) -> bool {
    pass.subpasses.iter().all(|subpass| {
        let draws = !subpass.drawn || subpass.draws.known && !subpass.draws.conditional;
        draws && subpass.clears.iter().all(|clear| !clear.conditional)
    })
}

fn words(structure: &Structure<'_>, reading: &Structure<'_>, misread: &Misread) -> (String, &'static str) {
    let site = misread.discard;
    let (image, label) = (structure.attachment_id(site.pass, site.attachment), structure.pass_label(site.pass));
    let of = |main, stencil| field([site.aspect].into_iter(), main, stencil);
    let keep = match site.operation {
        Operation::Load => format!("Set {} CLEAR or LOAD on {image} in {label}", of("loadOp", "stencilLoadOp")),
        Operation::Store | Operation::Write => {
            format!("Set {} STORE on {image} in {label}", of("storeOp", "stencilStoreOp"))
        }
    };
    let reader = match misread.reader {
        Reader::Pass(pass) => reading.pass_label(pass).to_string(),
        Reader::Transfer(transfer) => match reading.whole.transfers.get(transfer as usize).map(|t| t.kind) {
            Some(TransferKind::Resolve) => "vkCmdResolveImage".to_string(),
            Some(TransferKind::Blit) => "vkCmdBlitImage".to_string(),
            Some(TransferKind::CopyImageToBuffer) => "vkCmdCopyImageToBuffer".to_string(),
            _ => "vkCmdCopyImage".to_string(),
        },
        Reader::Shader(_) => "the dispatches that follow".to_string(),
        Reader::Output => String::new(),
    };
    let (or, why) = match misread.reading {
        Reading::Load(_) => (
            format!("set {} CLEAR or DONT_CARE in {reader}", of("loadOp", "stencilLoadOp")),
            "a later pass loads contents that are undefined since this one discarded them",
        ),
        Reading::Input => (
            format!("do not read it in {reader}"),
            "a later pass reads contents as input that are undefined since this one discarded them",
        ),
        Reading::Shader => (
            format!("do not sample it in {reader}"),
            "shaders read contents that are undefined since the pass discarded them",
        ),
        Reading::Transfer if reader == "vkCmdResolveImage" => {
            (format!("drop {reader}"), "a command resolves contents that are undefined since the pass discarded them")
        }
        Reading::Transfer => {
            (format!("drop {reader}"), "a command copies contents that are undefined since the pass discarded them")
        }
        Reading::Output => {
            ("do not present it".to_string(), "contents are presented that are undefined since the pass discarded them")
        }
    };
    (format!("{keep}, or {or}"), why)
}
