//! A frame while edits are made: its passes and transfers are found by the numbers that they had in the beginning.

use super::Touched;
use crate::frame::{FrameStructure, Op, Pass, Transfer};
use alloc::vec::Vec;

/// A frame that is being edited.
#[derive(Debug)]
pub struct Draft {
    /// The frame. No operation goes before [`done`](Self::done).
    pub frame: FrameStructure,
    /// What goes then.
    pub gone: Touched,
    /// Submission and operation of each pass, and of each transfer.
    passes: Vec<(usize, usize)>,
    transfers: Vec<(usize, usize)>,
}

impl Draft {
    /// A copy of a frame.
    pub fn of(frame: &FrameStructure) -> Self {
        let (mut passes, mut transfers) = (Vec::new(), Vec::new());
        for (submission, ops) in frame.submissions.iter().map(|s| &s.ops).enumerate() {
            for (number, op) in ops.iter().enumerate() {
                match op {
                    Op::Pass(_) => passes.push((submission, number)),
                    Op::Transfer(_) => transfers.push((submission, number)),
                    Op::Barrier(_) | Op::Event(_) | Op::Dispatch(_) | Op::Opaque(_) => {}
                }
            }
        }
        Self { frame: frame.clone(), gone: Touched::default(), passes, transfers }
    }

    /// A pass by its number.
    pub fn pass_mut(&mut self, number: u32) -> Option<&mut Pass> {
        let (submission, op) = *self.passes.get(number as usize)?;
        match self.frame.submissions.get_mut(submission)?.ops.get_mut(op)? {
            Op::Pass(pass) => Some(pass),
            _ => None,
        }
    }

    /// A transfer by its number.
    pub fn transfer(&self, number: u32) -> Option<&Transfer> {
        let (submission, op) = *self.transfers.get(number as usize)?;
        match self.frame.submissions.get(submission)?.ops.get(op)? {
            Op::Transfer(transfer) => Some(transfer),
            _ => None,
        }
    }

    /// A transfer by its number, to be changed.
    pub fn transfer_mut(&mut self, number: u32) -> Option<&mut Transfer> {
        let (submission, op) = *self.transfers.get(number as usize)?;
        match self.frame.submissions.get_mut(submission)?.ops.get_mut(op)? {
            Op::Transfer(transfer) => Some(transfer),
            _ => None,
        }
    }

    /// The frame without what is gone.
    pub fn done(mut self) -> FrameStructure {
        let gone = &self.gone;
        if *gone == Touched::default() {
            return self.frame;
        }
        let (mut pass, mut transfer) = (0, 0);
        for submission in &mut self.frame.submissions {
            submission.ops.retain(|op| {
                let (number, gone) = match op {
                    Op::Pass(_) => (&mut pass, &gone.passes),
                    Op::Transfer(_) => (&mut transfer, &gone.transfers),
                    Op::Barrier(_) | Op::Event(_) | Op::Dispatch(_) | Op::Opaque(_) => return true,
                };
                *number += 1;
                !gone.contains(&(*number - 1))
            });
        }
        self.frame
    }
}
