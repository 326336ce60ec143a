//! The terminal summary of a small set of reports.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod reports;

use tbdr_model::report::{DriverCompression, Image, LazyMemory, Schedule, ScheduledWait, ScheduledWork};
use tbdr_model::units::{Bytes, Extent3D};
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
    assert!(text.lines().count() < 80, "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn what_merges_and_why_the_rest_does_not_stands_beneath_the_pass() {
    let text = plain(&reports::subpasses());
    assert_eq!(text.matches("never merged").count(), 1, "one note for a driver that never merges:\n{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn what_is_undecided_never_looks_cheap() {
    let text = plain(&reports::undecided());
    let gpu = text.lines().find(|line| line.starts_with("adreno-650 ")).unwrap();
    assert!(gpu.contains("3.00 MiB + ?") && gpu.contains("1 entry undecided"), "{text}");
    assert!(!gpu.contains("0.00 MiB + ?"), "nothing that is read is undecided:\n{text}");
    let in_detail = |id: &str| text.contains(&format!("{id}  {}; hardware facts", id.to_uppercase()));
    assert!(in_detail("adreno-650"), "the lightest of four GPUs is shown in detail:\n{text}");
    assert!(in_detail("mali-g76") && in_detail("mali-g57") && !in_detail("apple-m1"), "{text}");
    assert_eq!(text.matches("undecided: immediate mode: the attachments do not fit GMEM").count(), 1, "{text}");
    assert!(text.contains("2 transfer commands"), "of two kinds:\n{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn of_frames_that_are_equally_frequent_the_heaviest_is_shown() {
    let text = plain(&reports::undecided());
    assert!(text.contains("Shown is the heaviest of the most frequent: 2 (1 frame)"), "{text}");
    assert!(plain(&reports::crowded()).contains("Shown is the most frequent: 4"), "the steady state comes first");
}

#[test]
fn a_finding_says_in_how_much_of_the_run_it_is_proved() {
    let mut report = reports::undecided();
    assert!(plain(&report).contains("(proved in frames 0–2 of 4)"), "{}", plain(&report));
    report.findings[0].frames = vec![[1, 1, 1]];
    assert!(plain(&report).contains("(proved in frame 1 of 4)"), "{}", plain(&report));
}

#[test]
fn savings_that_are_about_the_same_bytes_do_not_look_as_if_they_added_up() {
    use tbdr_model::report::{Basis, Quantity, Saving};
    const MIB: u64 = 1 << 20;
    /// GPU, bytes and how far they may be off.
    type Amounts<'a> = &'a [(&'a str, u64, Basis)];
    let of = |amounts: Amounts<'_>| {
        let saving = |value, basis| Saving { quantity: Quantity::Dram, value, basis };
        amounts.iter().map(|(id, value, basis)| ((*id).to_string(), saving(*value, *basis))).collect()
    };
    let told = |alone: Amounts<'_>, after: Amounts<'_>| {
        let mut report = reports::undecided();
        (report.findings[0].saving, report.findings[0].after_previous) = (of(alone), of(after));
        let text = plain(&report);
        let line = text.lines().find_map(|line| line.trim().strip_prefix("once the findings above are mended: "));
        line.map(str::to_string)
    };
    use Basis::{Bound, Exact};
    let alone = [("apple-m1", 4 * MIB, Exact), ("mali-g76", 2 * MIB, Exact)];
    let cases: [(Amounts<'_>, Option<&str>); 7] = [
        (&alone, None),
        (&[("apple-m1", 4 * MIB, Bound), ("mali-g76", 2 * MIB, Exact)], None),
        (&[], Some("nothing more")),
        (&[("apple-m1", MIB, Exact), ("mali-g76", MIB, Exact)], Some("1.00 MiB")),
        (&[("apple-m1", MIB, Exact), ("mali-g76", 2 * MIB, Exact)], Some("apple-m1 1.00 MiB")),
        (&[("apple-m1", 4 * MIB, Exact)], Some("mali-g76 nothing more")),
        (&[("apple-m1", 5 * MIB, Bound)], Some("apple-m1 <= 5.00 MiB, mali-g76 nothing more")),
    ];
    for (after, expected) in cases {
        assert_eq!(told(&alone, after).as_deref(), expected, "{after:?}");
    }
}

#[test]
fn a_saving_that_is_no_bytes_says_of_what_it_is() {
    use tbdr_model::report::{Basis, Quantity, Saving};
    let told = |code: &str, quantity, value, basis| {
        let mut report = reports::undecided();
        let finding = &mut report.findings[0];
        finding.code = code.into();
        finding.saving = [("mali-g76".to_string(), Saving { quantity, value, basis })].into();
        finding.after_previous = finding.saving.clone();
        let text = plain(&report);
        let line = text.lines().find_map(|line| line.trim().strip_prefix("saves"));
        line.unwrap_or_else(|| panic!("{text}")).to_string()
    };
    use Quantity::{Count, Footprint, Work};
    let cases = [
        ("TL011", Count, 10, Basis::Exact, " per frame: mali-g76 10 passes"),
        ("TL011", Count, 1, Basis::Exact, " per frame: mali-g76 1 pass"),
        ("TL005", Work, 4096, Basis::Exact, " per frame: mali-g76 4096 fragments"),
        ("TL501", Count, 3, Basis::Estimate, " per frame: mali-g76 ~ 3 empty steps"),
        ("TL106", Footprint, 1 << 20, Basis::Bound, ": mali-g76 <= 1.00 MiB of memory"),
        // A report of a newer version: what its rule counts only that version knows.
        ("TL999", Count, 2, Basis::Exact, " per frame: mali-g76 2"),
    ];
    for (code, quantity, value, basis, expected) in cases {
        assert_eq!(told(code, quantity, value, basis), expected);
    }
}

#[test]
fn a_program_that_did_nothing_is_told_so() {
    insta::assert_snapshot!(plain(&reports::empty()));
}

#[test]
fn where_the_settings_that_choose_frames_took_none_the_summary_says_which_setting_that_was() {
    use tbdr_model::record::{Gap, GapReason};
    let told = |settings: &[(&str, &str)]| {
        let mut report = reports::empty();
        report.gaps = vec![Gap { first: 0, count: 60, reason: GapReason::Selection }];
        report.run.settings.extend(settings.iter().map(|(key, value)| ((*key).into(), (*value).into())));
        plain(&report).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let label = told(&[("frames_label", "captrue"), ("frames", "")]);
    assert!(label.contains("made 60 frames") && label.contains("`frames_label` is `captrue`: does that"), "{label}");
    assert!(told(&[("frames", "100..")]).contains("`frames` is `100..`"), "{}", told(&[("frames", "100..")]));
    assert!(told(&[]).contains("`frames_file` was not there, or said `off`"), "{}", told(&[]));
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
    let text = render(&reports::steady(), &TextOptions { width: 70, ..TextOptions::default() });
    insta::assert_snapshot!(text);
}

#[test]
fn colour_adds_escapes_and_changes_no_letter() {
    let colored = render(&reports::crowded(), &TextOptions { color: true, ..TextOptions::default() });
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

#[test]
fn an_attachment_that_moves_and_that_no_draw_touches_is_named_once_beneath_its_pass() {
    let mut report = reports::steady();
    let line = "no draw tests, blends or writes";
    let attachment = &mut report.frames[0].passes[1].attachments[0];
    attachment.never_written = vec!["color".into()];
    assert!(!plain(&report).contains(line), "it may be blended with");
    report.frames[0].passes[1].attachments[0].never_read = vec!["color".into()];
    let text = plain(&report);
    assert_eq!(text.matches(line).count(), 1, "whatever the number of GPUs:\n{text}");
    assert!(text.contains(&format!("{line} colour (color)")), "{text}");
    // What moves nothing is no loss.
    for gpu in report.frames[0].gpus.values_mut() {
        gpu.passes[1].entries.retain(|entry| entry.aspect != "color");
    }
    assert!(!plain(&report).contains(line));
}

#[test]
fn what_a_setting_keeps_quiet_is_counted() {
    let mut report = reports::steady();
    report.allowed = [("TL001".to_string(), 2), ("TL006".to_string(), 1)].into();
    let line = "Allowed by the setting `allow`, and not shown: 2 of TL001, 1 of TL006.";
    assert!(plain(&report).contains(line), "without findings:\n{}", plain(&report));
    let mut report = reports::undecided();
    report.allowed = [("TL001".to_string(), 2)].into();
    let text = plain(&report);
    assert!(text.find("Findings") < text.find("Allowed by the setting"), "{text}");
}

#[test]
fn what_the_driver_that_ran_made_of_the_images_stands_beneath_the_passes() {
    let mut report = reports::steady();
    assert!(!plain(&report).contains("the driver that ran the program"));
    let image = |id: &str, kind: &'static str, fixed_rates: &[u32]| Image {
        id: id.into(),
        format: "R8G8B8A8_UNORM".into(),
        extent: Extent3D { width: 8, height: 8, depth: 1 },
        samples: 1,
        layers: 1,
        mips: 1,
        driver_compression: Some(DriverCompression { kind: kind.into(), fixed_rates: fixed_rates.to_vec() }),
        lazy_memory: None,
    };
    report.frames[0].images = vec![
        image("a", "default", &[]),
        image("b", "default", &[]),
        image("hdr", "fixed_rate_default", &[2]),
        image("c", "default", &[]),
        image("d\u{1b}[m", "default", &[]),
        image("lut", "disabled", &[]),
        Image {
            driver_compression: None,
            lazy_memory: Some(LazyMemory { size_bytes: Bytes(2 << 20), committed_bytes: Bytes(1 << 20) }),
            ..image("depth", "", &[])
        },
    ];
    let text = plain(&report).split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "the driver that ran the program keeps hdr at a fixed rate of 2 bits per component, its own choice; lut without \
                    compression; a, b, c and 1 other image without loss, compressed or not as it likes";
    assert!(text.contains(expected), "{text}");
    let expected = "committed 1.00 MiB of the 2.00 MiB of lazily allocated memory that depth lies in";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn gpus_that_move_the_same_are_told_once_where_there_are_many() {
    let text = plain(&reports::many());
    assert!(text.contains("mali-g50 +10") && text.contains("mali-g53 "), "{text}");
    assert!(text.contains("mali-g50 stands for mali-g51 g52 g54 "), "{text}");
    assert!(text.contains("mali-g50 and 11 more 9.15 MiB"), "{text}");
    assert!(text.contains("or 9.15 MiB + ? instead of 27.45 MiB in 1 pass: the driver renders straight"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn gpus_that_differ_in_what_compression_leaves_alone_share_a_row_from_the_least_to_the_most() {
    let mut report = reports::many();
    let row = |report: &tbdr_model::report::Report| {
        let text = plain(report);
        let potential = text.split("Potential").nth(1).unwrap().to_string();
        let row = potential.lines().find(|line| line.starts_with("mali-g50")).unwrap().to_string();
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (row, words.contains("Compressed: from the least to the most"))
    };
    let (equal, told) = row(&report);
    assert!(equal.starts_with("mali-g50 +10 ") && equal.ends_with(" 22.38-29.84 MiB") && !told, "{equal}");
    let gpus = &mut report.frames[0].gpus;
    let of = gpus.get_mut("mali-g52").unwrap().compressed.as_mut().unwrap();
    of.read[0] = Bytes(of.read[0].0 - (1 << 20));
    let (wider, told) = row(&report);
    assert!(wider.starts_with("mali-g50 +10 ") && wider.ends_with(" 21.38-29.84 MiB") && told, "{wider}");
    // One that does not compress moves it all.
    report.frames[0].gpus.get_mut("mali-g51").unwrap().compressed = None;
    let (widest, told) = row(&report);
    assert!(widest.starts_with("mali-g50 +10 ") && widest.ends_with(" 21.38-49.73 MiB") && told, "{widest}");
}

#[test]
fn gpus_stand_in_the_order_in_which_they_were_asked_for() {
    let mut report = reports::steady();
    let places = |report: &tbdr_model::report::Report| {
        let text = plain(report);
        ["\nmali-g76 ", "\nadreno-650 "].map(|id| text.match_indices(id).map(|(at, _)| at).collect::<Vec<_>>())
    };
    // In the tables, and above the passes.
    report.gpu_order = vec!["mali-g76".into(), "adreno-650".into()];
    let [mali, adreno] = places(&report);
    assert!(mali.len() == 3 && adreno.len() == 3 && mali.iter().zip(&adreno).all(|(a, b)| a < b), "{}", plain(&report));
    // A report that has no order has that of the ids.
    report.gpu_order.clear();
    let [mali, adreno] = places(&report);
    assert!(mali.iter().zip(&adreno).all(|(a, b)| a > b), "{}", plain(&report));
}

#[test]
fn a_rate_stands_beside_its_frames_per_second_and_power_is_shown_on_demand() {
    let options = TextOptions { fps: 90, energy: true, ..TextOptions::default() };
    let text = render(&reports::steady(), &options).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("at 90 fps") && !text.contains("60 fps"), "{text}");
    // 49.73 MiB at 90 frames a second are 4.69 GB/s.
    assert!(text.contains("375-563 mW") && text.contains("80 to 120 mW for each GB/s; at 90 fps"), "{text}");
    assert!(!plain(&reports::steady()).contains("mW"));
}

#[test]
fn nothing_proved_is_no_promise_that_nothing_is_wasted() {
    let mut report = reports::steady();
    report.frames[0].gpus.values_mut().for_each(|gpu| gpu.avoidable_bytes = Some(tbdr_model::units::Bytes(0)));
    assert!(plain(&report).contains("Nothing of what moves is proved to be waste."));
    for (part, told) in [(0.41, ", though only 41 % of it has to move on mali-g76."), (0.75, "."), (1.0, ".")] {
        let gpu = report.frames[0].gpus.get_mut("mali-g76").unwrap();
        gpu.floor.as_mut().unwrap().efficiency = Some(part);
        let line = format!("\nNothing of what moves is proved to be waste{told}\n");
        assert!(plain(&report).contains(&line), "{part}: {}", plain(&report));
    }
}

/// Passes of which each waits for the one before, or none does.
fn scheduled(serial: bool) -> Schedule {
    let at = |slot: &'static str, pass: u32, from: u64| ScheduledWork {
        slot: slot.into(),
        pass: Some(pass),
        from,
        to: from + 1,
        ..ScheduledWork::default()
    };
    let apart = if serial { 2 } else { 1 };
    let pass =
        |pass: u32| [at("vertex", pass, apart * u64::from(pass)), at("fragment", pass, apart * u64::from(pass) + 1)];
    let work: Vec<ScheduledWork> = (0..2).flat_map(pass).collect();
    let wait = ScheduledWait { work: 2, cause: "barrier".into(), steps: 1 };
    let waits = if serial { vec![wait] } else { vec![] };
    Schedule { steps: if serial { 4 } else { 3 }, steps_unordered: 3, work, waits }
}

#[test]
fn what_overlaps_is_drawn_with_what_has_to_wait_and_a_lone_pass_is_not() {
    let mut report = reports::steady();
    let mut alone = scheduled(false);
    alone.work.truncate(2);
    report.frames[0].schedule = Some(alone);
    assert_eq!(plain(&report), plain(&reports::steady()));
    report.frames[0].schedule = Some(scheduled(false));
    let text = plain(&report);
    assert!(text.contains("Overlap  3 steps; nothing has to wait"), "{text}");
    assert!(text.contains("  V         ab.\n  F         .ab\n"), "{text}");
    assert!(!text.contains("work waits for"), "{text}");
    report.frames[0].schedule = Some(scheduled(true));
    let text = plain(&report);
    assert!(text.contains("Overlap  4 steps, 3 if nothing had to wait"), "{text}");
    assert!(text.contains("  V         a.b.\n  F         .a.b\n"), "{text}");
    assert!(text.contains("a shadow, b main pass"), "{text}");
    assert!(text.contains("by what work waits for: barrier 1"), "{text}");
}

#[test]
fn names_in_the_picture_of_what_overlaps_cannot_write_to_the_terminal() {
    let mut report = reports::hostile();
    report.frames[0].schedule = Some(scheduled(true));
    let text = plain(&report);
    assert!(text.contains("Overlap") && !text.contains('\x1b'), "{text}");
}

#[test]
fn a_frame_of_many_steps_is_cut_at_the_edge_of_the_terminal() {
    let mut report = reports::steady();
    let mut long = scheduled(true);
    long.steps = 1_000_000;
    long.work[3].to = u64::MAX;
    report.frames[0].schedule = Some(long);
    let text = plain(&report);
    let rows: Vec<&str> = text.lines().filter(|l| l.starts_with("  V  ") || l.starts_with("  F  ")).collect();
    assert!(rows.len() == 2 && rows.iter().all(|row| row.chars().count() <= 101 && row.ends_with('…')), "{rows:?}");
}
