//! TL009.

use super::continuations::{Continuation, Place, continuations};
use super::{Candidate, Claim, Evidence, Gather, Level, Sighting, Structure, rule};
use crate::frame::{AttachmentUse, Pass};
use crate::gpu::{Mode, Plan, per_profile};
use crate::graph::Operation;
use crate::graph::liveness::{Site, is_followed};
use crate::model::tile_plans;
use crate::whatif::{Edit, merge_passes};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A pass that loads what an earlier pass has just stored, renders to the same attachments over the same area, be it to others beside
    /// them, and reads nothing that was made in between from what the earlier one rendered. Its draws could have gone on in the earlier
    /// pass. Of several such passes in a row each is a finding of its own.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Ending a pass writes every attachment that is stored to DRAM, and beginning the next one reads it back into the tiles. Within one
    /// pass it stays on chip.
    ///
    /// ## Bad
    /// Opaque draws in one pass, transparent draws or the user interface in a second one with `loadOp = LOAD` on the same attachments. A
    /// depth pre-pass whose depth the next pass loads, and nobody else needs.
    ///
    /// ## Good
    /// One pass for both. What has to be cleared in between is cleared by `vkCmdClearAttachments`; what was recorded between the two
    /// and needs none of it is recorded before. An attachment that only the second pass has is attached from the start, with its
    /// operations; the barriers and external dependencies that it waits for come before the first pass then, and the pipelines of the
    /// earlier draws leave it alone: `colorWriteMask` 0 for a colour (beside other colours that takes the feature `independentBlend`),
    /// `depthTestEnable` and `stencilTestEnable` off. Or the later draws get a subpass of their own.
    ///
    /// ## How much
    /// One write and one read of each attachment that was stored and loaded: area x layers x samples x bytes of the aspect.
    ///
    /// ## When to ignore
    /// If the two passes are recorded by parts of a program that must not know of each other, or if the pass ends so that its results
    /// arrive earlier.
    ///
    /// ## Known limits
    /// Speaks only if nothing needs the contents in between: it is silent if a command that touches them, a pass whose shaders sample
    /// them, an event, or a dispatch or transfer that waits for the earlier pass lies between; if it is not known what the later
    /// pass's shaders reach; if the passes have no attachment in common, another area, other layers, or the later one input attachments of its
    /// own. Which buffers shaders write is not recorded: a barrier that may carry such writes from one pass to the other keeps it silent.
    /// Passes that are submitted apart are level `info`, and silent where the host may have waited in between. An attachment that only the
    /// later pass has keeps it silent if anything touches it in between, if its memory may be shared, if the first pass has it in another role,
    /// if it has other samples, if there would be more than four colour attachments and more than either pass has, or if the passes are
    /// submitted apart. Level `info` as well where the pass that both would be fits a GPU worse.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/render_passes. Arm, "Mali GPU Best Practices", render passes.
    PASS_SPLIT {
        code: "TL009",
        name: "pass-split",
        category: LoadStoreClear,
        level: Warn,
        since: "0.1.0",
        speaks_before: &["TL302", "TL103", "TL007", "TL008", "TL006", "TL005", "TL001"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for (number, structure) in evidence.structures.iter().filter(|(_, s)| is_followed(s.frame)) {
        for found in continuations(structure) {
            let loaded: BTreeSet<u32> = found.loads.iter().map(|((_, attachment, _), _)| *attachment).collect();
            let attachment = loaded.first().copied().filter(|_| loaded.len() == 1);
            let seen = Sighting {
                structure: *number,
                pass: found.second,
                attachment,
                edits: merges(&found),
                speaks_for: claims(*number, &found).collect(),
                frames: None,
            };
            gather.add(seen, || Candidate {
                level: (found.apart || fits_worse(evidence, structure, &found)).then_some(Level::Info),
                fix: fix(structure, &found, &loaded),
                why: why(found.apart).to_string(),
                ..Candidate::default()
            });
        }
    }
    gather.everywhere()
}

/// Whether some GPU keeps the pass that both would be less well on chip than the two: straight to memory where the second is rendered tile
/// by tile, or over its budget where neither is.
fn fits_worse(evidence: &Evidence<'_>, structure: &Structure<'_>, found: &Continuation) -> bool {
    let run = |gpu: &str, pass: u32| structure.run(gpu, pass).map_or(&[][..], |run| &run.plans);
    if found.added.is_empty() {
        // All attachments are those of the first.
        return evidence.profiles.iter().any(|profile| {
            Fit::of(run(&profile.id, found.second)).is_tiled && !Fit::of(run(&profile.id, found.first)).is_tiled
        });
    }
    let Some(both) = as_one(structure, found) else { return true };
    let worse = per_profile(evidence.profiles, |profile| {
        let [one, other] = [found.first, found.second].map(|pass| Fit::of(run(&profile.id, pass)));
        let both = Fit::of(&tile_plans(&both, &structure.frame.images, profile));
        (one.is_tiled || other.is_tiled) && !both.is_tiled
            || both.is_over && !one.is_over && !other.is_over
            || both.spilled > one.spilled.max(other.spilled)
    });
    worse.values().any(|worse| *worse)
}

/// How a pass fits a GPU.
struct Fit {
    /// Whether all of it is rendered tile by tile.
    is_tiled: bool,
    /// Whether some of it needs more bits per pixel on chip than the full tile has.
    is_over: bool,
    /// Attachments that stay in memory.
    spilled: usize,
}

impl Fit {
    fn of(plans: &[Plan]) -> Self {
        let over =
            |plan: &Plan| plan.bits_per_pixel.zip(plan.budget_bits_per_pixel).is_some_and(|(own, most)| own > most);
        Self {
            is_tiled: plans.iter().all(|plan| plan.mode == Mode::Tiled),
            is_over: plans.iter().any(over),
            spilled: plans.iter().map(|plan| plan.spilled.len()).sum(),
        }
    }
}

/// The pass that both would be.
fn as_one(structure: &Structure<'_>, found: &Continuation) -> Option<Pass> {
    let mut passes = found.through.iter().chain([&found.second]).map(|pass| structure.pass(*pass));
    let first = passes.next()??.clone();
    passes.try_fold(first, |all, pass| merge_passes::merged(&all, pass?))
}

/// Both passes as one, with those between them that would have to be part of it.
pub fn merges(found: &Continuation) -> Vec<Edit> {
    let seconds = found.through.iter().skip(1).copied().chain([found.second]);
    found.through.iter().zip(seconds).map(|(first, second)| Edit::MergePasses { first: *first, second }).collect()
}

/// The loads and stores that would go.
pub fn claims(structure: u32, found: &Continuation) -> impl Iterator<Item = Claim> + '_ {
    let site = move |(pass, attachment, aspect): Place, operation| {
        Claim::Site(Site { structure, pass, attachment, aspect, operation })
    };
    let both = move |(load, store): &(Place, Place)| [site(*load, Operation::Load), site(*store, Operation::Store)];
    found.loads.iter().flat_map(both)
}

fn why(apart: bool) -> &'static str {
    if apart {
        "what one submission stores the next one loads again, and nobody needs it in memory in between"
    } else {
        "what one pass stores the next one loads again, and nobody needs it in memory in between"
    }
}

fn fix(structure: &Structure<'_>, found: &Continuation, loaded: &BTreeSet<u32>) -> String {
    let label = |pass: u32| structure.pass_label(pass);
    let (first, second) = (label(found.first), label(found.second));
    let names: BTreeSet<&str> = loaded.iter().map(|a| structure.attachment_id(found.second, *a)).collect();
    let mut fix = format!(
        "Record the draws of {second} at the end of {first}, whose attachments it goes on with, instead of storing and loading {}",
        list(names.into_iter())
    );
    let cleared: BTreeSet<&str> =
        found.clears.iter().map(|(pass, attachment, _)| structure.attachment_id(*pass, *attachment)).collect();
    if !cleared.is_empty() {
        fix += &format!("; clear {} there with vkCmdClearAttachments", list(cleared.into_iter()));
    }
    if !found.added.is_empty() {
        let added = found.added.iter().map(|a| structure.attachment_id(found.second, *a));
        let own = if structure.pass(found.second).is_some_and(|pass| pass.dynamic) {
            ""
        } else {
            ", or give the added draws a subpass of their own"
        };
        fix += &format!(
            "; attach {} from the start, with {} in the pipelines of the draws before{own}",
            list(added.collect::<Vec<_>>().into_iter()),
            untouched(structure, found)
        );
    }
    let mut moved: Vec<&str> = found.between.iter().map(|pass| label(*pass)).collect();
    if found.commands_between {
        moved.push("the commands in between");
    }
    if found.barriers_between && !found.added.is_empty() {
        moved.push("the barriers in between");
    }
    if !moved.is_empty() {
        fix += &format!("; record {} before {first}", list(moved.into_iter()));
    }
    fix
}

/// The state of draws that leave alone what is added.
fn untouched(structure: &Structure<'_>, found: &Continuation) -> String {
    let subpasses = structure.pass(found.second).map_or(&[][..], |pass| &pass.subpasses);
    let is_added = |used: &Option<AttachmentUse>| used.is_some_and(|used| found.added.contains(&used.attachment));
    let states = [
        (subpasses.iter().any(|s| s.color.iter().any(is_added)), "colorWriteMask 0"),
        (subpasses.iter().any(|s| is_added(&s.depth)), "depthTestEnable off"),
        (subpasses.iter().any(|s| is_added(&s.stencil)), "stencilTestEnable off"),
    ];
    list(states.into_iter().filter(|(is, _)| *is).map(|(_, state)| state).collect::<Vec<_>>().into_iter())
}

/// Names in a row; of many the first few.
fn list<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const MOST: usize = 4;
    let count = names.len();
    let mut text = String::new();
    for (at, name) in names.enumerate().take(MOST) {
        let gap = match at {
            0 => "",
            at if at + 1 == count => " and ",
            _ => ", ",
        };
        text += gap;
        text += name;
    }
    if count > MOST {
        text += &format!(" and {} more", count - MOST);
    }
    text
}
