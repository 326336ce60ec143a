//! TL301.

use super::{Candidate, Claim, Evidence, Instance, Structure, rule};
use crate::frame::{
    Aspects, FrameStructure, HOST_QUEUE, ImageRegion, Op, Pass, Side, StoreOp, Transfer, TransferKind, usage,
};
use crate::graph::liveness::{Site, is_followed};
use crate::graph::{Event, Operation, Reader};
use crate::ranges::Ranges;
use crate::whatif::Edit;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// `vkCmdResolveImage` of a multisampled image that a render pass of the same frame has just stored as a whole.
    ///
    /// ## Why it costs on a tile-based GPU
    /// All samples are written to DRAM at the end of the pass and read back by the resolve. A resolve attachment does the
    /// same on chip while the tile is written: only the resolved image reaches DRAM.
    ///
    /// ## Bad
    /// A pass that stores a 4x colour attachment, then `vkCmdResolveImage` into the swapchain image.
    ///
    /// ## Good
    /// The swapchain image as `pResolveAttachments` (or `resolveImageView` in dynamic rendering) and `storeOp = DONT_CARE` on
    /// the multisampled attachment.
    ///
    /// ## How much
    /// N x one write and N x one read of the attachment per frame, for N samples; the write of the resolved image stays. If the
    /// samples are needed later, only the read.
    ///
    /// ## When to ignore
    /// If the resolve has to run after something that needs the samples and comes between.
    ///
    /// ## Known limits
    /// Speaks only if the resolve covers exactly what the pass rendered, formats agree and neither image is touched in
    /// between. Resolves by shader are another rule's.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/msaa.
    RESOLVE_BY_COMMAND {
        code: "TL301",
        name: "resolve-by-command",
        category: Multisampling,
        level: Warn,
        since: "0.1.0",
        speaks_before: &["TL302", "TL103", "TL006", "TL003"],
        check: check,
    }
}

/// A resolve command and the pass whose work it resolves.
struct Found {
    pass: u32,
    attachment: u32,
    edit: Edit,
    transfer: u32,
    destination: String,
    /// The target was not created as an attachment.
    needs_usage: bool,
    /// Shaders may read the target.
    may_be_sampled: bool,
    /// No other transfer of the frame reads the samples.
    sole_reader: bool,
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut all: BTreeMap<(&str, &str), Vec<(u32, Found)>> = BTreeMap::new();
    for (number, structure) in &evidence.structures {
        for found in resolves(structure) {
            let role = (structure.pass_id(found.pass), structure.attachment_id(found.pass, found.attachment));
            all.entry(role).or_default().push((*number, found));
        }
    }
    all.into_iter().filter_map(|((pass, image), found)| candidate(evidence, pass, image, &found)).collect()
}

fn candidate(evidence: &Evidence<'_>, pass: &str, image: &str, found: &[(u32, Found)]) -> Option<Candidate> {
    let site = |number: u32, found: &Found| Site {
        structure: number,
        pass: found.pass,
        attachment: found.attachment,
        aspect: Aspects::COLOR,
        operation: Operation::Store,
    };
    // The samples need not be stored if in no frame anybody but these resolves reads them, and they are lost afterwards.
    let only_resolved = |(number, found): &(u32, Found)| {
        let fate = evidence.fate(site(*number, found));
        found.sole_reader && fate.is_some_and(|f| f.by_transfers.keys().all(|k| *k == BTreeSet::from([found.transfer])))
    };
    let (first_number, first) = found.first()?;
    let role = evidence.sites_of(site(*first_number, first));
    let everywhere = role.iter().all(|s| found.iter().any(|(number, f)| site(*number, f) == *s));
    let proved = found.iter().any(|(n, f)| evidence.fate(site(*n, f)).is_some_and(|f| !f.by_transfers.is_empty()));
    let drop_store =
        everywhere && proved && found.iter().all(only_resolved) && !evidence.was_needed(site(*first_number, first));
    let (mut instances, mut frames) = (BTreeMap::new(), Ranges::default());
    for (number, found) in found {
        let mut edits = alloc::vec![found.edit];
        if drop_store {
            let (pass, attachment, aspect) = (found.pass, found.attachment, Aspects::COLOR);
            edits.push(Edit::SetStore { pass, attachment, aspect, op: StoreOp::DontCare });
        }
        let site = site(*number, found);
        let proved = evidence.fate(site).map(|f| f.by_transfers.values()).into_iter().flatten();
        if drop_store {
            proved.for_each(|seen| frames.extend(seen));
        } else if let Some(structure) = evidence.structures.get(number) {
            frames.extend(structure.indices);
        }
        let instance: &mut Instance = instances.entry(*number).or_default();
        instance.edits.extend(edits);
        instance.speaks_for.push(Claim::Site(site));
    }
    let structure = evidence.structures.get(first_number)?;
    let usage = if first.needs_usage { " (created with VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT)" } else { "" };
    let store = if drop_store { ", set its storeOp DONT_CARE" } else { "" };
    let label = structure.pass_label(first.pass);
    // Shader reads are not recorded: the pass may read what the target holds from before.
    let other = if first.may_be_sampled {
        format!("; if {label} samples earlier contents of {}, resolve into another image", first.destination)
    } else {
        String::new()
    };
    Some(Candidate {
        pass: Some(pass.to_string()),
        attachment: Some(image.to_string()),
        instances,
        frames,
        fix: format!(
            "Give {image} the resolve attachment {}{usage} in {label}{store} and drop vkCmdResolveImage{other}",
            first.destination
        ),
        why: "all samples go to memory and come back for a resolve that the tile can do".to_string(),
        ..Candidate::default()
    })
}

/// The resolve commands of a frame that a resolve attachment can replace.
fn resolves(structure: &Structure<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    if !is_followed(structure.frame) {
        return found;
    }
    let mut passes: Vec<(u32, u32, u32, &Pass)> = Vec::new();
    let (mut op_number, mut pass_number, mut transfer_number) = (0, 0, 0);
    for submission in &structure.frame.submissions {
        for op in &submission.ops {
            match op {
                Op::Pass(pass) => {
                    passes.push((op_number, pass_number, submission.queue, pass));
                    pass_number += 1;
                }
                Op::Transfer(transfer) => {
                    if let Some((source, destination)) = whole_resolve(transfer) {
                        let place = (op_number, submission.queue, transfer_number);
                        found.extend(replace(structure, &passes, place, source, destination));
                    }
                    transfer_number += 1;
                }
                Op::Barrier(_) | Op::Event(_) | Op::Dispatch(_) | Op::Opaque(_) => {}
            }
            op_number += 1;
        }
    }
    found
}

/// Both sides of a resolve of one region from the origin to the origin.
fn whole_resolve(transfer: &Transfer) -> Option<(&ImageRegion, &ImageRegion)> {
    let [region] = transfer.regions.as_slice() else { return None };
    let (Some(Side::Image(source)), Some(Side::Image(destination))) = (&region.src, &region.dst) else { return None };
    let plain = transfer.kind == TransferKind::Resolve
        && source.offset == [0; 3]
        && destination.offset == [0; 3]
        && source.layers == destination.layers;
    plain.then_some((source, destination))
}

/// The operations of a frame with these numbers.
fn op_at(frame: &FrameStructure, numbers: core::ops::Range<u32>) -> impl Iterator<Item = &Op> {
    frame.ops().skip(numbers.start as usize).take(numbers.len())
}

fn replace(
    structure: &Structure<'_>,
    passes: &[(u32, u32, u32, &Pass)],
    (transfer_op, queue, transfer): (u32, u32, u32),
    source: &ImageRegion,
    destination: &ImageRegion,
) -> Option<Found> {
    let frame = structure.frame;
    let image = frame.images.get(source.image?.0 as usize)?;
    let target = frame.images.get(destination.image?.0 as usize)?;
    // The last pass before the resolve that stored what is resolved.
    let store = structure
        .accesses
        .list
        .iter()
        .rev()
        .find(|a| a.op < transfer_op && Some(a.image) == source.image && matches!(a.event, Event::Store { .. }))?;
    let Event::Store { pass: pass_number, attachment } = store.event else { return None };
    let &(pass_op, _, pass_queue, pass) = passes.iter().find(|(_, number, ..)| *number == pass_number)?;
    let described = pass.attachments.get(attachment as usize)?;
    let level = target.extent.mip(destination.mip);
    let (area, extent) = (pass.render_area, source.extent);
    let same_place = (area.x, area.y) == (0, 0)
        && [area.extent.width, area.extent.height] == [extent.width, extent.height]
        && described.range.base_mip == source.mip
        && described.range.base_layer == source.base_layer
        && described.range.layers == source.layers
        && level.width >= pass.extent.width
        && level.height >= pass.extent.height;
    let same_format = described.format == image.format && image.format == target.format && target.samples == 1;
    let multisampled = described.samples > 1 && image.samples == described.samples;
    let plain = pass.subpasses.iter().all(|s| s.view_mask == 0) && pass.layers == source.layers;
    if !(same_place && same_format && multisampled && plain && pass_queue == queue) {
        return None;
    }
    // Nobody touches the samples in between, nor the target from the beginning of the pass on.
    let disturbed = structure.accesses.list.iter().any(|a| {
        let samples = Some(a.image) == source.image && a.op > pass_op && a.op < transfer_op;
        let target =
            Some(a.image) == destination.image && a.op >= pass_op && a.op < transfer_op && a.event != Event::Transition;
        // What another queue does to either may happen at any time.
        let elsewhere = a.queue != queue
            && a.queue != HOST_QUEUE
            && (Some(a.image) == source.image || Some(a.image) == destination.image);
        samples || target || elsewhere
    });
    let may_be_sampled = target.usage & (usage::SAMPLED | usage::STORAGE | usage::INPUT_ATTACHMENT) != 0;
    // What runs in between may read what the target holds from before.
    let shaders_between =
        op_at(frame, pass_op.saturating_add(1)..transfer_op).any(|op| !matches!(op, Op::Barrier(_) | Op::Event(_)));
    if disturbed || (may_be_sampled && shaders_between) {
        return None;
    }
    let readers = structure.accesses.list.iter().filter(|a| Some(a.image) == source.image);
    let sole_reader = readers
        .filter(|a| a.op > pass_op)
        // Until something else takes the place of the samples: what is read later is not theirs.
        .take_while(|a| {
            !matches!(a.event, Event::Transition | Event::DontCare | Event::Overwrite | Event::Store { .. })
        })
        .all(|a| !matches!(a.event, Event::Read(_)) || a.event == Event::Read(Reader::Transfer(transfer)));
    // The subpass that renders to it last, where it is not resolved already.
    let (subpass, slot) = pass.subpasses.iter().enumerate().rev().find_map(|(number, s)| {
        let slot = s.color.iter().position(|c| c.is_some_and(|c| c.attachment == attachment))?;
        Some((number, slot))
    })?;
    let resolved = pass.subpasses[subpass].resolve.get(slot).is_some_and(Option::is_some);
    let edit = Edit::ResolveInPass { pass: pass_number, subpass: subpass as u32, slot: slot as u32, transfer };
    (!resolved).then(|| Found {
        pass: pass_number,
        attachment,
        edit,
        transfer,
        destination: structure
            .names
            .images
            .get(destination.image.map_or(0, |i| i.0) as usize)
            .cloned()
            .unwrap_or_default(),
        needs_usage: target.usage & usage::COLOR_ATTACHMENT == 0,
        may_be_sampled,
        sole_reader,
    })
}
