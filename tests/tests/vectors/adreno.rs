//! Adreno: where turnip's input attachments are read from.

use super::{Outcome, list, same};
use serde_json::Value as Json;
use tbdr_model::frame::Pass;
use tbdr_model::gpu::adreno;

pub fn inputs(case: &Json, pass: &Pass) -> Outcome {
    for (index, (expected, subpass)) in list(case, "subpasses").iter().zip(&pass.subpasses).enumerate() {
        let from_gmem: Vec<bool> = list(expected, "input_from_gmem").iter().map(|flag| *flag == true).collect();
        same(&format!("subpass {index}: input_from_gmem"), adreno::reads_gmem(pass, index), from_gmem)?;
        let feedback = adreno::feedback(subpass);
        same(&format!("subpass {index}: feedback_color"), feedback.color, expected["feedback_color"] == true)?;
        same(&format!("subpass {index}: feedback_ds"), feedback.depth_stencil, expected["feedback_ds"] == true)?;
    }
    Ok(())
}
