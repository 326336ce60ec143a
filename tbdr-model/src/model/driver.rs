//! What the driver of the device that ran the program said of merging, beside what is predicted: shown, never a basis of any figure.

use crate::frame::{self, Pass};
use crate::gpu::MergeStatus;
use crate::report::{DriverMerging, DriverSubpass};
use alloc::borrow::Cow;
use alloc::string::ToString;

/// A value of VkSubpassMergeStatusEXT as the specification spells it; of a value that is not known, the number.
fn spelled(value: i32) -> Cow<'static, str> {
    MergeStatus::of_value(value).map_or_else(|| value.to_string().into(), |status| status.spelled().into())
}

/// The driver's status of a subpass, where the driver merges it and the prediction does not, or the other way round.
pub fn differs(pass: &Pass, subpass: usize, predicted: MergeStatus) -> Option<Cow<'static, str>> {
    let said = pass.driver_merging.as_ref()?.subpasses.iter().find(|s| s.subpass as usize == subpass)?;
    // What is no status says nothing, and drivers may call a first subpass what they like.
    let status = MergeStatus::of_value(said.status).filter(|_| subpass > 0)?;
    let merged = |status: MergeStatus| status == MergeStatus::Merged;
    (merged(status) != merged(predicted)).then(|| status.spelled().into())
}

/// The feedback as the report shows it.
pub fn shown(said: &frame::DriverMerging) -> DriverMerging {
    let subpass = |s: &frame::DriverSubpass| DriverSubpass {
        subpass: s.subpass,
        merge_status: spelled(s.status),
        post_merge_index: s.post_merge_index,
        description: s.description.clone(),
    };
    DriverMerging {
        post_merge_subpasses: said.post_merge_subpasses,
        subpasses: said.subpasses.iter().map(subpass).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn only_merged_against_not_merged_is_a_difference_and_never_of_the_first_subpass() {
        let said = |subpass, status| frame::DriverSubpass { subpass, status, ..frame::DriverSubpass::default() };
        let subpasses = vec![said(0, 0), said(1, 0), said(2, 6), said(3, 99)];
        let merging = frame::DriverMerging { post_merge_subpasses: Some(3), subpasses };
        let pass = Pass { driver_merging: Some(merging), ..Pass::default() };
        let differs = |subpass, status| differs(&pass, subpass, status).is_some();
        assert!(!differs(0, MergeStatus::Unspecified));
        assert!(differs(1, MergeStatus::Dependencies) && !differs(1, MergeStatus::Merged));
        assert!(differs(2, MergeStatus::Merged) && !differs(2, MergeStatus::DepthStencilCount));
        assert!(!differs(3, MergeStatus::Merged) && !differs(4, MergeStatus::Merged));
        assert_eq!(spelled(99), "99");
    }
}
