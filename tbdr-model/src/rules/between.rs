//! Where operations that are no passes stand among the passes of a frame.

use super::Structure;
use crate::frame::{FrameStructure, Op};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Operations and the passes beside them.
pub struct Between {
    /// Passes before each operation.
    before: Vec<u32>,
    /// All passes.
    passes: u32,
}

/// A pass beside an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Beside {
    /// The pass after the operation or, if there is none, the last before it.
    pub pass: u32,
    /// Whether it comes after it.
    pub before_pass: bool,
}

impl Between {
    /// Of a frame.
    pub fn of(frame: &FrameStructure) -> Self {
        let mut passes = 0;
        let before = frame.ops().map(|op| {
            let before = passes;
            passes += u32::from(matches!(op, Op::Pass(_)));
            before
        });
        Self { before: before.collect(), passes }
    }

    /// The pass beside an operation; `None` in a frame without passes.
    pub fn beside(&self, op: u32) -> Option<Beside> {
        let next = self.before.get(op as usize).copied()?;
        let before_pass = next < self.passes;
        let pass = if before_pass { next } else { self.passes.checked_sub(1)? };
        Some(Beside { pass, before_pass })
    }
}

impl Beside {
    /// `before` or `after`, and what people call the pass.
    pub fn words(self, structure: &Structure<'_>) -> String {
        format!("{} {}", if self.before_pass { "before" } else { "after" }, structure.pass_label(self.pass))
    }
}
