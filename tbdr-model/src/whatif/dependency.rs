//! A subpass dependency that is met pixel by pixel.

use super::Draft;
use crate::frame::Dependency;

pub fn make_local(draft: &mut Draft<'_>, pass: u32, dependency: u32, stages: (u64, u64)) {
    let found = draft.pass_mut(pass).and_then(|pass| pass.dependencies.get_mut(dependency as usize));
    if let Some(dependency) = found {
        dependency.flags |= Dependency::BY_REGION;
        (dependency.src_stages, dependency.dst_stages) = stages;
    }
}
