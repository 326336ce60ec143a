//! The findings as text and as JSON.

use super::finding::{Findings, Status};
use crate::output::{ERROR, NOTE, WARNING};
use anstyle::AnsiColor;
use serde::Serialize;
use std::fmt::Write;

/// The root of the JSON.
#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    problems: usize,
    warnings: usize,
    findings: &'a [super::finding::Finding],
}

/// As JSON, `tilelens.doctor/1`.
pub fn json(findings: &Findings) -> anyhow::Result<String> {
    let report = Report {
        schema: "tilelens.doctor/1",
        problems: findings.count(Status::Problem),
        warnings: findings.count(Status::Warning),
        findings: &findings.0,
    };
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

/// As text: a line per finding and a line per remedy, then the sum.
pub fn text(findings: &Findings) -> String {
    let mut text = String::new();
    for finding in &findings.0 {
        let style = match finding.status {
            Status::Ok => AnsiColor::Green.on_default(),
            Status::Warning => WARNING,
            Status::Problem => ERROR,
        };
        let (status, code) = (finding.status.name(), finding.code);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{style}{status:7}{style:#}  {} [{code}]", one_line(&finding.what));
        if !finding.remedy.is_empty() {
            let _ = writeln!(text, "         {NOTE}remedy:{NOTE:#} {}", one_line(&finding.remedy));
        }
    }
    let counted = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    let (problems, warnings) = (findings.count(Status::Problem), findings.count(Status::Warning));
    let _ = match (problems, warnings) {
        (0, 0) => writeln!(text, "\nNothing is wrong."),
        _ => writeln!(text, "\n{}, {}.", counted(problems, "problem"), counted(warnings, "warning")),
    };
    text
}

/// Paths may hold anything.
fn one_line(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_unicode().collect::<Vec<_>>() } else { vec![c] }).collect()
}
