//! How the subpasses of a render pass are put together into tile passes, with a VkSubpassMergeStatusEXT for each.
//!
//! The enum is the specification's; which status a driver's reason is given is this project's reading, since no open driver
//! reports one. Statuses that no policy gives (side effects, aliasing) are never guessed; what the application disallows is no policy.

use super::Plan;
use crate::frame::Pass;
use crate::model::PassView;
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// VkSubpassMergeStatusEXT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MergeStatus {
    /// Merged with a previous subpass.
    Merged,
    /// The application disallowed merging.
    Disallowed,
    /// Side effects forbid it.
    SideEffects,
    /// Sample counts differ.
    SamplesMismatch,
    /// View masks differ.
    ViewsMismatch,
    /// Attachments alias.
    Aliasing,
    /// A dependency is not by region or leaves framebuffer space.
    Dependencies,
    /// An input attachment is not a colour attachment of the subpass before, or of another format.
    IncompatibleInputAttachment,
    /// More attachments than a tile pass may have.
    TooManyAttachments,
    /// No room on chip.
    InsufficientStorage,
    /// More than one depth/stencil attachment.
    DepthStencilCount,
    /// A resolve target is read as input attachment later.
    ResolveAttachmentReuse,
    /// The render pass has one subpass.
    SingleSubpass,
    /// Another reason.
    Unspecified,
}

impl MergeStatus {
    /// Every status, in the order of its value.
    pub const ALL: [Self; 14] = [
        Self::Merged,
        Self::Disallowed,
        Self::SideEffects,
        Self::SamplesMismatch,
        Self::ViewsMismatch,
        Self::Aliasing,
        Self::Dependencies,
        Self::IncompatibleInputAttachment,
        Self::TooManyAttachments,
        Self::InsufficientStorage,
        Self::DepthStencilCount,
        Self::ResolveAttachmentReuse,
        Self::SingleSubpass,
        Self::Unspecified,
    ];

    /// The status of this value of VkSubpassMergeStatusEXT.
    pub fn of_value(value: i32) -> Option<Self> {
        Self::ALL.get(usize::try_from(value).ok()?).copied()
    }

    /// The specification's spelling.
    pub const fn spelled(self) -> &'static str {
        match self {
            Self::Merged => "VK_SUBPASS_MERGE_STATUS_MERGED_EXT",
            Self::Disallowed => "VK_SUBPASS_MERGE_STATUS_DISALLOWED_EXT",
            Self::SideEffects => "VK_SUBPASS_MERGE_STATUS_NOT_MERGED_SIDE_EFFECTS_EXT",
            Self::SamplesMismatch => "VK_SUBPASS_MERGE_STATUS_NOT_MERGED_SAMPLES_MISMATCH_EXT",
            Self::ViewsMismatch => "VK_SUBPASS_MERGE_STATUS_NOT_MERGED_VIEWS_MISMATCH_EXT",
            Self::Aliasing => "VK_SUBPASS_MERGE_STATUS_NOT_MERGED_ALIASING_EXT",
            Self::Dependencies => "VK_SUBPASS_MERGE_STATUS_NOT_MERGED_DEPENDENCIES_EXT",
            Self::IncompatibleInputAttachment => "VK_SUBPASS_MERGE_STATUS_NOT_MERGED_INCOMPATIBLE_INPUT_ATTACHMENT_EXT",
            Self::TooManyAttachments => "VK_SUBPASS_MERGE_STATUS_NOT_MERGED_TOO_MANY_ATTACHMENTS_EXT",
            Self::InsufficientStorage => "VK_SUBPASS_MERGE_STATUS_NOT_MERGED_INSUFFICIENT_STORAGE_EXT",
            Self::DepthStencilCount => "VK_SUBPASS_MERGE_STATUS_NOT_MERGED_DEPTH_STENCIL_COUNT_EXT",
            Self::ResolveAttachmentReuse => "VK_SUBPASS_MERGE_STATUS_NOT_MERGED_RESOLVE_ATTACHMENT_REUSE_EXT",
            Self::SingleSubpass => "VK_SUBPASS_MERGE_STATUS_NOT_MERGED_SINGLE_SUBPASS_EXT",
            Self::Unspecified => "VK_SUBPASS_MERGE_STATUS_NOT_MERGED_UNSPECIFIED_EXT",
        }
    }
}

/// What is said of one subpass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Its status.
    pub status: MergeStatus,
    /// The status in words, with the attachment, dependency or limit that decided.
    pub note: Cow<'static, str>,
}

impl Verdict {
    /// A status with its words.
    pub fn new(status: MergeStatus, note: impl Into<Cow<'static, str>>) -> Self {
        Self { status, note: note.into() }
    }

    /// The verdict of a subpass that opens the first tile pass of its render pass.
    pub fn first() -> Self {
        Self::new(MergeStatus::Unspecified, "first subpass of its tile pass")
    }

    /// The verdict of a subpass that joins those before it.
    pub fn merged() -> Self {
        Self::new(MergeStatus::Merged, "merged with the subpasses before it")
    }
}

/// How certain a grouping is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MergeBasis {
    /// A driver's code or its vendor's documents decide.
    #[default]
    Documented,
    /// Concluded from measurements; the alternative stands beside it.
    Inferred,
}

impl MergeBasis {
    /// The word that the report uses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::Inferred => "inferred",
        }
    }
}

/// The subpasses of a render pass as tile passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grouping {
    /// Subpasses of each tile pass in order of execution; every subpass is in exactly one.
    pub groups: Vec<Vec<usize>>,
    /// One verdict per subpass.
    pub verdicts: Vec<Verdict>,
    /// How certain it is.
    pub basis: MergeBasis,
    /// What may happen instead, where that is not certain.
    pub alternative: Option<Box<Alternative>>,
}

/// Another way to run a render pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alternative {
    /// When it happens.
    pub note: Cow<'static, str>,
    /// The subpasses as tile passes.
    pub grouping: Arc<Grouping>,
    /// How the tile passes run, where the family's plan for them is not the answer. All GPUs that share the grouping to which this is the
    /// alternative then move the same in it.
    pub plans: Option<Arc<[Plan]>>,
}

/// Whether the application forbids merging a subpass with those before it. The specification gives the status for it to every subpass of a
/// render pass that forbids merging, the first and a lone one included.
fn is_forbidden(pass: &Pass, subpass: usize) -> bool {
    pass.disallow_merging || pass.subpasses.get(subpass).is_some_and(|s| s.disallow_merging)
}

impl Grouping {
    /// Every subpass for itself, for the reason given; a render pass with one subpass is single, whatever the reason.
    pub fn separate(subpasses: usize, status: MergeStatus, note: impl Into<Cow<'static, str>>) -> Self {
        let verdicts = if subpasses == 1 {
            alloc::vec![Verdict::new(MergeStatus::SingleSubpass, "the render pass has one subpass")]
        } else {
            let note = note.into();
            (0..subpasses).map(|_| Verdict::new(status, note.clone())).collect()
        };
        Self { groups: (0..subpasses).map(|s| alloc::vec![s]).collect(), verdicts, ..Self::default() }
    }

    /// [`Self::separate`] for the subpasses of a pass, recalled where another GPU says the same of it.
    pub fn apart(view: &PassView<'_>, status: MergeStatus, note: &'static str) -> Arc<Self> {
        /// The reason; a lone subpass needs none.
        #[derive(PartialEq)]
        struct Basis(Option<(MergeStatus, &'static str)>);
        let subpasses = view.pass.subpasses.len();
        view.shape()
            .by(Basis((subpasses > 1).then_some((status, note))), |_| Arc::new(Self::separate(subpasses, status, note)))
    }

    /// All subpasses in one tile pass.
    pub fn whole(subpasses: usize) -> Self {
        if subpasses == 1 {
            return Self::separate(1, MergeStatus::SingleSubpass, "");
        }
        let verdict = |s| if s == 0 { Verdict::first() } else { Verdict::merged() };
        Self {
            groups: alloc::vec![(0..subpasses).collect()],
            verdicts: (0..subpasses).map(verdict).collect(),
            ..Self::default()
        }
    }

    /// Whether the application forbids merging somewhere in the pass.
    pub fn is_restricted(pass: &Pass) -> bool {
        (0..pass.subpasses.len()).any(|subpass| is_forbidden(pass, subpass))
    }

    /// The same, as far as the application allows it: merging that it forbids by VkRenderPassCreationControlEXT does not happen, whatever the
    /// driver would do.
    pub fn as_allowed(mut self, pass: &Pass) -> Self {
        if !Self::is_restricted(pass) {
            return self;
        }
        let forbidden = |subpass: usize| is_forbidden(pass, subpass);
        let before = self.groups.len();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for group in &self.groups {
            for (at, subpass) in group.iter().enumerate() {
                match groups.last_mut().filter(|_| at > 0 && !forbidden(*subpass)) {
                    Some(open) => open.push(*subpass),
                    None => groups.push(alloc::vec![*subpass]),
                }
            }
        }
        self.groups = groups;
        for (_, verdict) in self.verdicts.iter_mut().enumerate().filter(|(s, _)| forbidden(*s)) {
            *verdict = Verdict::new(MergeStatus::Disallowed, "the application disallows merging");
        }
        if let Some(other) = &mut self.alternative {
            other.grouping = Arc::new(Self::clone(&other.grouping).as_allowed(pass));
            if other.plans.as_ref().is_some_and(|plans| plans.len() != other.grouping.groups.len()) {
                other.plans = None;
            }
        }
        if self.groups.len() != before {
            // What the alternative was to is no longer there where both come out alike.
            self.alternative =
                self.alternative.filter(|other| other.plans.is_some() || other.grouping.groups != self.groups);
        }
        self
    }

    /// Extends a tile pass subpass by subpass: `join` says why a subpass cannot join the open group.
    pub fn greedy(subpasses: usize, mut join: impl FnMut(&[usize], usize) -> Result<(), Verdict>) -> Self {
        if subpasses == 1 {
            return Self::separate(1, MergeStatus::SingleSubpass, "");
        }
        let mut grouping = Self::default();
        for subpass in 0..subpasses {
            let verdict = match grouping.groups.last_mut() {
                None => Err(Verdict::first()),
                Some(open) => join(open, subpass).map(|()| open.push(subpass)),
            };
            grouping.verdicts.push(match verdict {
                Ok(()) => Verdict::merged(),
                Err(reason) => {
                    grouping.groups.push(alloc::vec![subpass]);
                    reason
                }
            });
        }
        grouping
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn the_statuses_have_the_values_of_the_specification() {
        assert_eq!(MergeStatus::ALL.len(), 14);
        for (value, status) in MergeStatus::ALL.iter().enumerate() {
            assert_eq!(*status as usize, value);
            assert!(status.spelled().starts_with("VK_SUBPASS_MERGE_STATUS_") && status.spelled().ends_with("_EXT"));
        }
    }

    #[test]
    fn what_the_application_disallows_is_not_merged() {
        let subpass = |disallow_merging| crate::frame::Subpass { disallow_merging, ..Default::default() };
        let mut pass = Pass { subpasses: [false, false, true, false].map(subpass).into(), ..Pass::default() };
        let grouping = Grouping::whole(4).as_allowed(&pass);
        assert_eq!(grouping.groups, [vec![0, 1], vec![2, 3]]);
        let merged = MergeStatus::Merged;
        let statuses: Vec<_> = grouping.verdicts.iter().map(|v| v.status).collect();
        assert_eq!(statuses, [MergeStatus::Unspecified, merged, MergeStatus::Disallowed, merged]);
        pass.disallow_merging = true;
        let apart = Grouping::whole(4).as_allowed(&pass);
        assert_eq!(apart.groups.len(), 4);
        assert!(apart.verdicts.iter().all(|v| v.status == MergeStatus::Disallowed));
        pass.subpasses.truncate(1);
        assert_eq!(Grouping::whole(1).as_allowed(&pass).verdicts[0].status, MergeStatus::Disallowed);
    }

    #[test]
    fn a_single_subpass_is_single_whatever_the_policy() {
        for grouping in [
            Grouping::whole(1),
            Grouping::separate(1, MergeStatus::Unspecified, "never"),
            Grouping::greedy(1, |_, _| Ok(())),
        ] {
            assert_eq!(grouping.verdicts[0].status, MergeStatus::SingleSubpass);
            assert_eq!(grouping.groups, [[0]]);
        }
    }
}
