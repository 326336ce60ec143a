//! A subpass dependency that is met pixel by pixel.

use super::pass_mut;
use crate::frame::{Dependency, FrameStructure};

pub fn make_local(frame: &mut FrameStructure, pass: u32, dependency: u32, stages: (u64, u64)) {
    let found = pass_mut(frame, pass).and_then(|pass| pass.dependencies.get_mut(dependency as usize));
    if let Some(dependency) = found {
        dependency.flags |= Dependency::BY_REGION;
        (dependency.src_stages, dependency.dst_stages) = stages;
    }
}
