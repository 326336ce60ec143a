//! What the shaders of a command buffer can reach: its bind points, and the folds of the subpass and of the dispatches it is in.

use super::{BindPoint, Fold, Reached};
use crate::record::Recording;
use crate::record::static_use::StaticUse;
use std::sync::Arc;

/// A bind point that is followed; ray tracing is not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// Draws.
    Graphics,
    /// Dispatches.
    Compute,
}

/// Bind points with what is bound.
#[derive(Default)]
pub struct Reach {
    points: [BindPoint; 2],
    folds: [Fold; 2],
}

impl Reach {
    /// A bind point, to bind.
    pub fn bind(&mut self, point: Point) -> &mut BindPoint {
        &mut self.points[point as usize]
    }

    /// What is reached from now on belongs to another subpass, or to other dispatches; or somebody else has added to it.
    pub fn restart(&mut self, point: Point) {
        self.folds[point as usize].restart();
        self.points[point as usize].changed = true;
    }

    /// Nothing is bound any more.
    pub fn forget(&mut self) {
        for point in [Point::Graphics, Point::Compute] {
            self.points[point as usize].forget();
            self.restart(point);
        }
    }

    /// Whether anything was bound or begun since the last fold.
    #[inline(always)]
    pub fn is_stale(&self, point: Point) -> bool {
        self.points[point as usize].changed
    }

    /// Adds what work reaches that runs these shaders now; `None` if it is not known which. `conditional` work may not happen.
    pub fn fold<'a>(
        &mut self,
        point: Point,
        uses: Option<impl IntoIterator<Item = &'a Arc<StaticUse>>>,
        conditional: bool,
        recording: &mut Recording,
        reached: &mut Reached,
    ) {
        let at = point as usize;
        self.points[at].changed = false;
        match uses {
            Some(uses) => {
                for uses in uses {
                    self.folds[at].fold(uses, &self.points[at], conditional, recording, reached);
                }
            }
            None => (reached.shader.known, reached.shader.keeps_memory) = (false, false),
        }
    }
}
