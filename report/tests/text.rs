//! The terminal summary of a small set of reports.

mod reports;

use tilelens_report::text::{TextOptions, render};

fn plain(report: &tbdr_model::report::Report) -> String {
    render(report, &TextOptions::default())
}

#[test]
fn a_steady_program_is_answered_on_one_screen() {
    insta::assert_snapshot!(plain(&reports::steady()));
}

#[test]
fn a_report_with_many_passes_gpus_and_gaps_stays_short() {
    let text = plain(&reports::crowded());
    assert!(text.lines().count() < 72, "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn what_merges_and_why_the_rest_does_not_stands_beneath_the_pass() {
    let text = plain(&reports::subpasses());
    assert_eq!(text.matches("never merged").count(), 1, "one note for a driver that never merges:\n{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_program_that_did_nothing_is_told_so() {
    insta::assert_snapshot!(plain(&reports::empty()));
}

#[test]
fn hostile_names_reach_the_terminal_escaped_and_short() {
    let text = plain(&reports::hostile());
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text}");
    assert!(!text.contains(['\u{202e}', '\u{200b}', '\u{2028}']), "{text}");
    assert!(text.len() < 10_000, "{} bytes", text.len());
    insta::assert_snapshot!(text);
}

#[test]
fn a_narrow_terminal_is_not_overrun_by_the_chart() {
    let text = render(&reports::steady(), &TextOptions { color: false, width: 70 });
    insta::assert_snapshot!(text);
}

#[test]
fn colour_adds_escapes_and_changes_no_letter() {
    let colored = render(&reports::crowded(), &TextOptions { color: true, width: 100 });
    let mut stripped = String::new();
    let mut rest = colored.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        stripped.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    stripped.push_str(rest);
    assert_ne!(colored, stripped);
    assert_eq!(stripped, plain(&reports::crowded()));
}

#[test]
fn every_summary_says_that_it_is_modelled() {
    for report in [reports::steady(), reports::crowded(), reports::empty(), reports::hostile()] {
        let text = plain(&report);
        assert!(
            text.lines().next().is_some_and(|line| line.contains("modelled") && line.contains("not measured")),
            "{text}"
        );
    }
}
