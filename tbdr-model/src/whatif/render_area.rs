//! Another render area.

use super::pass_mut;
use crate::frame::FrameStructure;
use crate::units::Rect2D;

pub fn apply(frame: &mut FrameStructure, pass: u32, area: Rect2D) {
    if let Some(pass) = pass_mut(frame, pass) {
        pass.render_area = area;
    }
}
