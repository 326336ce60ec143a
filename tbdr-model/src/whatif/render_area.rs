//! Another render area.

use super::Draft;
use crate::units::Rect2D;

pub fn apply(draft: &mut Draft<'_>, pass: u32, area: Rect2D) {
    if let Some(pass) = draft.pass_mut(pass) {
        pass.render_area = area;
    }
}
