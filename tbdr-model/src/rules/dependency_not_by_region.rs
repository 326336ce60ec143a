//! TL205.

use super::{Candidate, Evidence, Gather, Level, Sighting, Structure, Worth, rule};
use crate::frame::{AttachmentUse, Dependency, Pass, SUBPASS_EXTERNAL};
use crate::gpu::{Mode, Profile, stages};
use crate::model::{Outcome, PassView, Run};
use crate::whatif::{Edit, apply_to_pass};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A dependency between two subpasses that orders nothing but accesses to attachments, and yet has no
    /// `VK_DEPENDENCY_BY_REGION_BIT`, or stages outside framebuffer space (fragment shader, early and late fragment tests,
    /// colour attachment output), on a GPU that runs the subpasses apart, or around its tile memory, because of it.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Without the bit the second subpass may begin anywhere only when the first is complete everywhere. The tile cannot wait
    /// for that: what the first subpass rendered goes to memory and comes back.
    ///
    /// ## Bad
    /// `srcStageMask = COLOR_ATTACHMENT_OUTPUT, dstStageMask = FRAGMENT_SHADER, dependencyFlags = 0` between a subpass that writes
    /// a G-buffer and one that reads it as input attachments.
    ///
    /// ## Good
    /// The same with `dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT`.
    ///
    /// ## How much
    /// What the ledger says of the pass with the dependency mended: one write and one read of everything that stays on chip then.
    /// Where the GPU renders straight to memory, what that moves depends on the draws, and no figure is given.
    ///
    /// ## When to ignore
    /// Never, where the access masks name attachments only. If the source stages include shaders it is `info`: the dependency might
    /// order what shaders read and write elsewhere, which no access mask has to name. It is `info`, too, if input attachments have as many
    /// samples as the subpass that reads them: by region a fragment may read the samples that it covers alone.
    ///
    /// ## Known limits
    /// Dependencies whose access masks name more than attachments, or views other than the own one, are left alone. Barriers inside
    /// a subpass are another matter.
    ///
    /// ## References
    /// Vulkan specification, Framebuffer Region Dependencies. Khronos Vulkan-Samples, performance/subpasses.
    DEPENDENCY_NOT_BY_REGION {
        code: "TL205",
        name: "dependency-not-by-region",
        category: Subpasses,
        level: Warn,
        since: "0.1.0",
        speaks_before: &["TL201", "TL208"],
        check: check,
    }
}

/// VkAccessFlags2 that attachments are accessed with: INPUT_ATTACHMENT_READ, COLOR_ATTACHMENT_READ and _WRITE,
/// DEPTH_STENCIL_ATTACHMENT_READ and _WRITE.
const ATTACHMENT_ACCESS: u64 = 0x10 | 0x80 | 0x100 | 0x200 | 0x400;
/// COLOR_ATTACHMENT_OUTPUT, EARLY_FRAGMENT_TESTS and LATE_FRAGMENT_TESTS: stages that access attachments and nothing else.
pub(super) const ATTACHMENT_STAGES: u64 = 0x400 | 0x100 | 0x200;

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    for (number, structure) in &evidence.structures {
        for (pass, recorded) in (0u32..).zip(&structure.whole.passes) {
            let found = far(recorded);
            if found.is_empty() {
                continue;
            }
            let gpus = helped(evidence, structure, pass, &found);
            if gpus.is_empty() {
                continue;
            }
            let edits = found.iter().map(|far| far.edit(pass)).collect();
            gather.add(Sighting { structure: *number, pass, edits, ..Sighting::default() }, || {
                let sure = found.iter().all(|far| far.sure && !far.samples);
                Candidate {
                    gpus: Some(gpus),
                    level: (!sure).then_some(Level::Info),
                    worth: Worth::Saying,
                    fix: fix(&found, structure.pass_label(pass)),
                    why: "a dependency that is not by region keeps subpasses out of one tile".to_string(),
                    ..Candidate::default()
                }
            });
        }
    }
    gather.everywhere()
}

/// A dependency that could be met pixel by pixel and is not.
struct Far {
    number: u32,
    dependency: Dependency,
    stages: (u64, u64),
    /// No stage of the source accesses anything but attachments.
    sure: bool,
    /// Shaders of the destination may read samples beside their own.
    samples: bool,
}

impl Far {
    fn edit(&self, pass: u32) -> Edit {
        Edit::MakeLocal { pass, dependency: self.number, stages: self.stages }
    }
}

fn far(pass: &Pass) -> Vec<Far> {
    let found = |(number, dependency): (u32, &Dependency)| {
        let Dependency { src, dst, src_stages, src_access, dst_access, view_offset, .. } = *dependency;
        let between = src != SUBPASS_EXTERNAL && dst != SUBPASS_EXTERNAL && src != dst && view_offset == 0;
        // Without an access on both sides it orders execution only: what it is for is not known.
        let attachments = is_of_attachments(src_access) && is_of_attachments(dst_access);
        if stages::is_framebuffer_local(dependency) || !between || !attachments {
            return None;
        }
        let sure = src_stages & !ATTACHMENT_STAGES == 0;
        let samples = dst_access & INPUT != 0 && may_read_other_samples(pass, dst);
        Some(Far {
            number,
            dependency: *dependency,
            stages: (of_access(src_access), of_access(dst_access)),
            sure,
            samples,
        })
    };
    (0u32..).zip(&pass.dependencies).filter_map(found).collect()
}

/// VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT.
pub(super) const INPUT: u64 = 0x10;

/// Whether the fragments of a subpass may read samples of input attachments that they do not cover: by region nothing orders these where the
/// attachments have as many samples as it renders with.
pub(super) fn may_read_other_samples(pass: &Pass, subpass: u32) -> bool {
    /// VK_SUBPASS_DESCRIPTION_FRAGMENT_REGION_BIT_EXT: regions are whole pixels.
    const FRAGMENT_REGION: u32 = 0x4;
    let Some(subpass) = pass.subpasses.get(subpass as usize).filter(|subpass| subpass.flags & FRAGMENT_REGION == 0)
    else {
        return false;
    };
    let samples = |used: &AttachmentUse| pass.attachments.get(used.attachment as usize).map_or(1, |a| a.samples);
    // Without a target the pipeline decides.
    let on_chip = (subpass.samples > 0).then_some(subpass.samples);
    let renders = on_chip.or_else(|| subpass.targets().map(samples).max());
    let same = |input: u32| input > 1 && renders.is_none_or(|renders| renders == input);
    subpass.input.iter().flatten().map(samples).any(same)
}

/// Whether accesses are known, and to attachments alone.
pub(super) fn is_of_attachments(access: u64) -> bool {
    access != 0 && access & !ATTACHMENT_ACCESS == 0
}

/// The stages that access attachments so.
pub(super) fn of_access(access: u64) -> u64 {
    let stage = |mask: u64, stages: u64| if access & mask == 0 { 0 } else { stages };
    stage(0x10, 0x80) | stage(0x80 | 0x100, 0x400) | stage(0x200 | 0x400, 0x100 | 0x200)
}

/// Ids of the GPUs that run more subpasses together, or through tile memory, with these dependencies mended.
fn helped(evidence: &Evidence<'_>, structure: &Structure<'_>, pass: u32, found: &[Far]) -> BTreeSet<String> {
    let edits: Vec<Edit> = found.iter().map(|far| far.edit(0)).collect();
    let Some(mended) = structure.pass(pass).map(|pass| apply_to_pass(pass, &edits)) else { return BTreeSet::new() };
    let view = PassView::new(&mended, &structure.frame.images).remembering();
    let shape = |run: &Run| (run.plans.len(), run.plans.iter().filter(|plan| plan.mode == Mode::Immediate).count());
    let helps = |profile: &Profile| {
        let Some(was) = structure.run(&profile.id, pass).map(shape) else { return false };
        let is = shape(&Outcome::of(&view, profile, &mut BTreeSet::new()).run);
        is.0 <= was.0 && is.1 <= was.1 && is != was
    };
    let mut known: Vec<(&Profile, bool)> = Vec::new();
    for profile in evidence.profiles {
        let same = known.iter().find(|(other, _)| other.decides_like(profile)).map(|(_, helps)| *helps);
        known.push((profile, same.unwrap_or_else(|| helps(profile))));
    }
    known.into_iter().filter(|(_, helps)| *helps).map(|(profile, _)| profile.id.clone()).collect()
}

fn fix(found: &[Far], label: &str) -> String {
    let named = |far: &Far| {
        let (source, destination) = (words(far.stages.0), words(far.stages.1));
        format!(
            "VK_DEPENDENCY_BY_REGION_BIT with srcStageMask {source} and dstStageMask {destination} from subpass {} to {}",
            far.dependency.src, far.dependency.dst
        )
    };
    let all: Vec<String> = found.iter().map(named).collect();
    let mut unless = Vec::new();
    if found.iter().any(|far| !far.sure) {
        unless.push(", unless the later subpass writes buffers or images that shaders of the earlier one access");
    }
    if found.iter().any(|far| far.samples) {
        unless.push(", unless shaders read samples of input attachments that their fragment does not cover");
    }
    format!("Set in the dependencies of {label}: {}{}", all.join("; "), unless.concat())
}

/// Stages by name.
pub(super) fn words(mask: u64) -> String {
    let names = [
        (0x80, "FRAGMENT_SHADER"),
        (0x100, "EARLY_FRAGMENT_TESTS"),
        (0x200, "LATE_FRAGMENT_TESTS"),
        (0x400, "COLOR_ATTACHMENT_OUTPUT"),
    ];
    let found: Vec<&str> = names.iter().filter(|(bit, _)| mask & bit != 0).map(|(_, name)| *name).collect();
    found.join(" | ")
}

/// Whether it is said of this pass, so that what follows from it need not be said again.
pub fn can_be_mended(pass: &Pass) -> bool {
    !far(pass).is_empty()
}
