//! Barriers of the sample `pipeline_barriers`: what overlaps on a tile-based GPU as `tilelens run` draws it, and the stages that are enough.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::time::Duration;
use tbdr_model::report::{Finding, Quantity, Report, Schedule};
use tilelens_tests::real::sample::{last_frame, pass_bytes};
use tilelens_tests::real::{Missing, on_lavapipe};
use tilelens_tests::sandbox::Folder;
use tilelens_tests::{artefacts, need, process};

const GPU: &str = "mali-g76";

/// Runs the sample with the command; returns the summary and the report.
fn run(arguments: &[&str]) -> Result<(String, Report), Missing> {
    let folder = Folder::new();
    let mut command = on_lavapipe(artefacts::cli())?;
    command.args(["run", "--gpu", GPU, "--frame-submits", "1", "--out"]).arg(folder.output().join("run")).arg("--");
    command.arg(artefacts::sample("pipeline_barriers")).args(["--size", "256x128", "--frames", "4"]).args(arguments);
    let outcome = process::run(command, &folder.0, Duration::from_secs(60));
    assert!(outcome.status.success(), "{arguments:?}: {}", outcome.text());
    Ok((outcome.stderr, folder.report()))
}

/// The picture of a summary, with its first line and its legend.
fn picture(summary: &str) -> String {
    let from = summary.find("\nOverlap  ").unwrap_or_else(|| panic!("no picture in {summary}")) + 1;
    summary[from..].lines().take(4).map(|line| format!("{line}\n")).collect()
}

fn schedule(report: &Report) -> &Schedule {
    last_frame(report).schedule.as_ref().unwrap()
}

/// Findings about barriers and scheduling.
fn about_barriers(report: &Report) -> Vec<&Finding> {
    report.findings.iter().filter(|finding| finding.code.starts_with("TL5")).collect()
}

const WIDE: [(&str, &str); 3] = [("bottom-to-top", "TL501"), ("all-commands", "TL501"), ("output-to-vertex", "TL502")];
const RIGHT: &str = "Set srcStageMask EARLY_FRAGMENT_TESTS | LATE_FRAGMENT_TESTS | COLOR_ATTACHMENT_OUTPUT and \
                     dstStageMask EARLY_FRAGMENT_TESTS | FRAGMENT_SHADER | LATE_FRAGMENT_TESTS | COLOR_ATTACHMENT_OUTPUT in the \
                     barrier of depth, albedo, normal before lighting (now ";

#[test]
fn a_barrier_that_is_too_wide_keeps_the_vertices_of_lighting_from_running_beside_the_fragments_of_the_g_buffer() {
    for (wide, code) in WIDE {
        let (summary, report) = need!(run(&["--variant", "wrong", "--wide", wide]));
        assert!(picture(&summary).contains("\n  V         a.b..\n  F         .a.b=\n"), "{wide}: {summary}");
        assert_eq!((schedule(&report).steps, schedule(&report).lost()), (5, 1), "{wide}");
        let found = about_barriers(&report);
        let [finding] = found[..] else { panic!("{wide}: {found:#?}") };
        assert_eq!((finding.code.as_str(), finding.level.as_str()), (code, "info"), "{wide}");
        assert!(finding.fix.starts_with(RIGHT), "{wide}: {}", finding.fix);
        let saving = &finding.saving[GPU];
        assert_eq!((saving.quantity, saving.value), (Quantity::Count, 1), "{wide}");
        // The summary shows the whole of it, in lines.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&summary).contains(&words(&finding.fix)), "{wide}: {summary}");
    }
}

#[test]
fn with_the_stages_that_touch_the_g_buffer_they_run_beside_each_other_and_nothing_is_said_of_barriers() {
    let (summary, report) = need!(run(&["--variant", "right"]));
    assert!(picture(&summary).contains("\n  V         ab..\n  F         .ab=\n"), "{summary}");
    assert_eq!((schedule(&report).steps, schedule(&report).lost()), (4, 0));
    assert!(about_barriers(&report).is_empty(), "{:#?}", about_barriers(&report));
}

#[test]
fn barriers_move_no_bytes() {
    let moved = |arguments: &[&str]| Ok(pass_bytes(&last_frame(&run(arguments)?.1).gpus[GPU]));
    let right = need!(moved(&[]));
    assert!(right.0 > 0 && right.1 > 0);
    for (wide, _) in WIDE {
        assert_eq!(need!(moved(&["--variant", "wrong", "--wide", wide])), right, "{wide}");
    }
}

#[test]
fn the_book_shows_what_the_command_draws() {
    let book = include_str!("../../docs/samples.md");
    for variant in ["wrong", "right"] {
        let picture = picture(&need!(run(&["--variant", variant])).0);
        assert!(book.contains(&format!("```text\n{picture}```")), "{variant}:\n{picture}");
    }
}
