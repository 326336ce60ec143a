//! The table of rules: codes are never reused, messages follow one convention, every manual is whole.

use tbdr_model::rules::{RULES, Rule};

const SECTIONS: [&str; 8] = [
    "## What it detects",
    "## Why it costs on a tile-based GPU",
    "## Bad",
    "## Good",
    "## How much",
    "## When to ignore",
    "## Known limits",
    "## References",
];

#[test]
fn codes_names_and_order_are_what_they_were() {
    let table: Vec<String> = RULES.iter().map(|r| format!("{} {} {}", r.code, r.name, r.level.name())).collect();
    // A code that has been released keeps its meaning: lines are added here, never changed.
    assert_eq!(
        table,
        [
            "TL001 load-of-dead-contents warn",
            "TL002 load-after-clear-command warn",
            "TL003 load-after-transfer info",
            "TL004 clear-command-wasted warn",
            "TL005 clear-attachments-at-start warn",
            "TL006 store-never-read warn",
            "TL007 unused-attachment-traffic warn",
            "TL008 read-only-attachment-stored warn",
            "TL009 pass-split warn",
            "TL010 ping-pong warn",
            "TL011 pass-fragmentation note",
            "TL012 render-area-misaligned warn",
            "TL013 load-store-larger-than-drawn warn",
            "TL014 undefined-depth-tested hazard",
            "TL015 discarded-then-read hazard",
            "TL017 copy-not-needed warn",
            "TL018 undefined-stored hazard",
            "TL101 could-be-transient info",
            "TL102 transient-not-lazy warn",
            "TL103 transient-with-traffic warn",
            "TL104 lazy-memory-committed info",
            "TL105 aliased-attachments info",
            "TL106 stencil-unused info",
            "TL201 subpass-not-merged warn",
            "TL202 colour-over-budget info",
            "TL205 dependency-not-by-region warn",
            "TL206 input-attachment-from-memory info",
            "TL208 bypasses-tile-memory info",
            "TL209 many-inputs note",
            "TL301 resolve-by-command warn",
            "TL302 multisampled-colour-stored warn",
            "TL303 multisampled-loaded warn",
            "TL305 multisampled-not-transient info",
            "TL308 too-many-samples info",
            "TL309 multisample-blend-slow info",
            "TL401 signature-lost-undefined info",
            "TL402 signature-lost-layout info",
            "TL403 signature-lost-blit info",
            "TL404 storage-usage-blocks-compression info",
            "TL405 flags-block-compression info",
            "TL406 format-not-compressible info",
            "TL407 general-layout-attachment info",
            "TL408 concurrent-render-target note",
            "TL409 compression-off info",
            "TL501 full-drain info",
            "TL502 destination-too-early info",
            "TL503 source-too-late info",
            "TL504 fragment-to-geometry-dependency info",
            "TL505 redundant-barrier note",
            "TL506 mergeable-barriers note",
            "TL507 event-waited-at-once note",
            "TL509 barrier-breaks-pass info",
            "TL511 compute-graphics-alternation note",
        ]
    );
}

fn each(claim: impl Fn(&Rule) -> bool, what: &str) {
    for rule in RULES {
        assert!(claim(rule), "{}: {what}", rule.code);
    }
}

#[test]
fn codes_fit_their_category_and_names_are_kebab() {
    each(|r| r.code.len() == 5 && r.code.starts_with("TL") && r.code[2..].bytes().all(|b| b.is_ascii_digit()), "code");
    each(|r| r.code.chars().nth(2) == Some(r.category.digit()), "category");
    each(|r| r.name.split('-').all(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase())), "name");
    each(|r| r.speaks_before.iter().all(|code| RULES.iter().any(|other| other.code == *code)), "speaks_before");
}

#[test]
fn every_manual_has_all_sections_in_order_and_each_says_something() {
    for rule in RULES {
        let mut rest = rule.manual;
        for section in SECTIONS {
            let at = rest.find(section).unwrap_or_else(|| panic!("{}: {section}", rule.code));
            rest = &rest[at + section.len()..];
            let body = rest.split("##").next().map(str::trim).unwrap_or_default();
            assert!(body.len() > 10, "{}: {section} is empty", rule.code);
        }
    }
}
