//! What one GPU makes of one pass, as compactly as it can be kept: how its subpasses are grouped, how each tile pass runs, the ledger,
//! and what stands beside it. Nothing here is written for a reader: `super::told` does that, when a report is asked for.
//!
//! Every part is shared with whatever other GPU comes to the same one.

use super::attachments::{Ledger, ledger};
use super::uses::known_uses;
use super::{PassView, compression};
use crate::gpu::{Grouping, Mode, Plan, Profile};
use crate::report::Compression;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// What one GPU makes of one pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What is counted.
    pub run: Run,
    /// What may happen instead ([`Grouping::alternative`]), if it was asked for.
    pub alternative: Option<Run>,
    /// Which attachments compression applies to, if it was asked for; those of pass 0.
    pub compression: Arc<[Compression]>,
}

/// One way to run a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Which subpasses run together.
    pub grouping: Arc<Grouping>,
    /// How each tile pass runs.
    pub plans: Arc<[Plan]>,
    /// What they move.
    pub ledger: Arc<Ledger>,
}

impl Outcome {
    /// What `profile` makes of a pass, without what stands beside the ledger. Whatever cannot be said is added to `left_out`.
    pub fn of(view: &PassView<'_>, profile: &Profile, left_out: &mut BTreeSet<String>) -> Self {
        if view.pass.subpasses.is_empty() {
            left_out.insert(text("a render pass without subpasses"));
        }
        let run = Run::of(view, profile, grouping(view, profile), None, left_out);
        beside_the_ledger(view, &run, left_out);
        Self { run, alternative: None, compression: Arc::default() }
    }

    /// The same with what may happen instead.
    pub fn with_alternative(mut self, view: &PassView<'_>, profile: &Profile, left_out: &mut BTreeSet<String>) -> Self {
        self.alternative = alternative(view, profile, &self.run.grouping, left_out);
        self
    }

    /// The same with the attachments that compression applies to.
    pub fn with_compression(mut self, view: &PassView<'_>, profile: &Profile) -> Self {
        self.compression = compression::facts(view, profile, &self.run);
        self
    }
}

/// Which subpasses of a pass run together, as far as the application allows it.
pub fn grouping(view: &PassView<'_>, profile: &Profile) -> Arc<Grouping> {
    let grouping = profile.tiler.grouping(view);
    if !Grouping::is_restricted(view.pass) {
        return grouping;
    }
    Arc::new(Grouping::clone(&grouping).as_allowed(view.pass))
}

/// What may happen instead of this grouping.
fn alternative(
    view: &PassView<'_>,
    profile: &Profile,
    to: &Arc<Grouping>,
    left_out: &mut BTreeSet<String>,
) -> Option<Run> {
    /// That follows from the grouping alone: it comes with its plans.
    struct Instead(Arc<Grouping>);
    let other = to.alternative.as_deref()?;
    let known = view.memo().known(|known: &Instead| Arc::ptr_eq(&known.0, to));
    Some(known.unwrap_or_else(|| {
        let run = Run::of(view, profile, Arc::clone(&other.grouping), other.plans.clone(), left_out);
        if other.plans.is_none() { run } else { view.memo().keep(|| Instead(Arc::clone(to)), run) }
    }))
}

impl Run {
    /// The run of these groups; `plans` where the family's plan for them is not the answer.
    fn of(
        view: &PassView<'_>,
        profile: &Profile,
        grouping: Arc<Grouping>,
        plans: Option<Arc<[Plan]>>,
        left_out: &mut BTreeSet<String>,
    ) -> Self {
        let plans = plans.unwrap_or_else(|| profile.tiler.plans(view, &grouping.groups));
        let uses = known_uses(view, &grouping.groups, profile.tiler.rules(), left_out);
        let ledger = ledger(view, profile, &grouping, &plans, &uses);
        Self { grouping, plans, ledger }
    }
}

/// What a pass asks for that changes tiles or traffic in ways that no figure contains.
fn beside_the_ledger(view: &PassView<'_>, run: &Run, left_out: &mut BTreeSet<String>) {
    let pass = view.pass;
    if pass.tile_memory > 0 {
        left_out.insert(text(
            "tile memory set aside by VkTileMemorySizeInfoQCOM: tiles are predicted as if all of it were free",
        ));
    }
    if pass.tile_shading.is_some_and(|shading| shading.apron.width > 0 || shading.apron.height > 0) {
        left_out.insert(text("what tiles load around them for the apron of tile shading (VK_QCOM_tile_shading)"));
    }
    let in_memory = |(group, plan): (&Vec<usize>, &Plan)| {
        let members = group.iter().filter_map(|s| pass.subpasses.get(*s));
        plan.mode == Mode::Immediate && members.into_iter().any(|s| s.samples > 1)
    };
    if run.grouping.groups.iter().zip(run.plans.iter()).any(in_memory) {
        left_out.insert(text(
            "the samples of VK_EXT_multisampled_render_to_single_sampled in immediate mode, where they need memory",
        ));
    }
}

fn text(text: &str) -> String {
    text.to_string()
}
