//! A recorded frame as the report shows it.

use super::{sampled, schedule};
use crate::format;
use crate::frame::{Aspects, Boundary, FrameStructure, ImageCompression, Op, Pass};
use crate::graph::access::each;
use crate::graph::touched;
use crate::identity::{self, Names};
use crate::model::{self, PassView};
use crate::report;
use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A frame as the report shows it, but for occurrences, counters and GPUs.
pub fn frame(frame: &FrameStructure, names: &Names) -> report::Frame {
    let images = frame.images.iter().zip(&names.images).map(|(image, id)| report::Image {
        id: id.clone(),
        format: format::name(image.format).into_owned(),
        extent: image.extent,
        samples: image.samples,
        layers: image.layers,
        mips: image.mips,
        driver_compression: image.driver_compression.map(driver_compression),
        lazy_memory: None,
    });
    let attachments = sampled::attachments(frame);
    let (mut passes, mut transfers) = (Vec::new(), Vec::new());
    for (by_host, op) in frame.ops_by_maker() {
        match op {
            Op::Pass(pass) => {
                let mut shown = pass_shown(frame, pass, passes.len(), names);
                shown.sampled = sampled::of_pass(pass, &attachments, names);
                passes.push(shown);
            }
            Op::Transfer(transfer) => {
                let (src, dst) = identity::transfer_images(transfer);
                let name = |index: Option<u32>| names.images.get(index? as usize).cloned();
                transfers.push(report::Transfer {
                    id: names.transfers.get(transfers.len()).cloned().unwrap_or_default(),
                    kind: model::transfer_word(transfer.kind).to_string(),
                    src: name(src),
                    dst: name(dst),
                    host: by_host.then(|| {
                        let number = u32::try_from(transfers.len()).unwrap_or(u32::MAX);
                        model::host_bytes(frame, names, transfer, number, &mut BTreeSet::new())
                    }),
                });
            }
            Op::Barrier(_) | Op::Event(_) | Op::Dispatch(_) | Op::Opaque(_) => {}
        }
    }
    let mut outputs: Vec<String> = Vec::new();
    for output in frame.outputs.iter().chain(&frame.early_outputs) {
        let id = names.images.get(output.image.0 as usize);
        outputs.extend(id.filter(|id| !outputs.contains(id)).cloned());
    }
    report::Frame {
        indices: Vec::new(),
        count: 0,
        boundary: boundary(frame),
        images: images.collect(),
        outputs,
        passes,
        transfers,
        dispatches: [0; 2],
        schedule: schedule::shown(frame),
        gpus: BTreeMap::new(),
    }
}

/// VkImageCompressionPropertiesEXT in words.
fn driver_compression(found: ImageCompression) -> report::DriverCompression {
    let kind = match found.flags {
        0 => "default",
        1 => "fixed_rate_default",
        2 => "fixed_rate_explicit",
        _ => "disabled",
    };
    let rates = (0..u32::BITS).filter(|bit| found.fixed_rates >> bit & 1 != 0).map(|bit| bit + 1);
    report::DriverCompression { kind: kind.into(), fixed_rates: rates.collect() }
}

fn boundary(frame: &FrameStructure) -> String {
    let word = match frame.boundary {
        Boundary::Present => "present",
        Boundary::FrameBoundary => "frame_boundary",
        Boundary::Submits => "submits",
        Boundary::End => "end",
        Boundary::Limit => "limit",
    };
    word.to_string()
}

fn pass_shown(frame: &FrameStructure, pass: &Pass, index: usize, names: &Names) -> report::Pass {
    let view = PassView::new(pass, &frame.images);
    let images = names.attachments.get(index).map_or(&[][..], Vec::as_slice);
    let attachments = (0u32..).zip(&pass.attachments).map(|(at, attachment)| {
        let aspects = format::info(attachment.format).map_or(Aspects::COLOR, format::Info::aspects);
        let main = aspects != Aspects::STENCIL;
        let stencil = aspects.contains(Aspects::STENCIL);
        let (never_written, never_read) = untouched(pass, at, aspects);
        report::Attachment {
            image: images.get(at as usize).cloned().unwrap_or_default(),
            role: identity::role(pass, at),
            format: format::name(attachment.format).into_owned(),
            samples: attachment.samples,
            load: main.then_some(attachment.load),
            store: main.then_some(attachment.store),
            stencil_load: stencil.then_some(attachment.stencil_load),
            stencil_store: stencil.then_some(attachment.stencil_store),
            never_written,
            never_read,
        }
    });
    let layers = (0..pass.subpasses.len()).map(|s| view.layers(s)).max().unwrap_or(1);
    report::Pass {
        id: names.passes.get(index).cloned().unwrap_or_default(),
        label: names.labels.get(index).cloned().unwrap_or_default(),
        extent: pass.extent,
        render_area: pass.render_area,
        layers: u32::try_from(layers).unwrap_or(u32::MAX),
        subpasses: u32::try_from(pass.subpasses.len()).unwrap_or(u32::MAX),
        attachments: attachments.collect(),
        sampled: None,
        draws: 0,
        draws_range: [0; 2],
        indirect_draws: 0,
        driver_tile: pass.driver_tile,
        driver_merging: pass.driver_merging.as_ref().map(crate::model::driver::shown),
    }
}

/// Words for aspects, as the report spells them.
type Words = Vec<Cow<'static, str>>;

/// Aspects of an attachment that nothing in the pass can write, and those that nothing reads.
fn untouched(pass: &Pass, attachment: u32, aspects: Aspects) -> (Words, Words) {
    let (mut written, mut read) = (Vec::new(), Vec::new());
    if !pass.subpasses.iter().any(|s| s.drawn) {
        return (written, read);
    }
    for aspect in each(aspects) {
        let Some(touch) = touched::in_pass(pass, attachment, aspect) else { continue };
        if !touch.writes {
            written.push(Cow::Borrowed(model::aspect_word(aspect)));
        }
        if !touch.reads {
            read.push(Cow::Borrowed(model::aspect_word(aspect)));
        }
    }
    (written, read)
}
