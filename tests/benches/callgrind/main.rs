//! Instructions that our layer adds to a command, counted by `valgrind --tool=callgrind` and compared with the stored counts of
//! `instructions.toml`: a hook that has become more than 10 % dearer fails.
//!
//! The counted program is `hook_loop`: fake loader and driver in process, and the layer's library as it is shipped. It runs a command
//! N and 2N times, with the layer and without; what the second N cost more with the layer is the hook's, without start-up, loop and
//! driver. Only the application's thread counts. `TILELENS_BLESS=1` writes the counts anew.
#![allow(clippy::unwrap_used)]

mod count;
mod stored;

use std::io::Write;
use stored::Stored;
use tilelens_tests::workload::{Command, Through};
use tilelens_tests::{artefacts, real};

/// What a count may exceed the stored one by.
const MORE: f64 = 0.10;

fn main() {
    let mut out = std::io::stdout();
    if cfg!(debug_assertions) {
        // `cargo test --benches` builds it this way.
        writeln!(out, "a debug build: no measure").unwrap();
        return;
    }
    let valgrind = match real::program("valgrind", "valgrind") {
        Ok(valgrind) => valgrind,
        Err(missing) => return real::skip(&missing),
    };
    // Brought up to date here: the counted program is told that it is.
    artefacts::layer();
    let counts = Command::ALL.map(|command| {
        let added = |through| count::per_call(&valgrind, through, command);
        let [nothing, empty, ours] = Through::ALL.map(added);
        (command, ours - nothing, empty - nothing)
    });
    let here = stored::build();
    if std::env::var_os("TILELENS_BLESS").is_some() {
        Stored::write(&here, &counts.map(|(command, ours, _)| (command, ours)));
    }
    let stored = Stored::read();
    let judged = stored.build == here;
    writeln!(out, "instructions added to a call, {here}; bound: {} + {:.0} %", stored.build, MORE * 100.0).unwrap();
    writeln!(out, "{:<10} {:>12} {:>10} {:>8}  verdict", "command", "pass-through", "tilelens", "stored").unwrap();
    let mut dearer = Vec::new();
    for (command, ours, empty) in counts {
        let found = stored.of(command);
        let bound = found.unwrap_or(ours);
        let verdict = if found.is_none() {
            "not stored yet (TILELENS_BLESS=1)"
        } else if !judged {
            "not judged"
        } else if ours > bound * (1.0 + MORE) {
            dearer.push(command.name());
            "DEARER"
        } else if ours < bound * (1.0 - MORE) {
            "cheaper: store it (TILELENS_BLESS=1)"
        } else {
            "as stored"
        };
        let name = command.name();
        writeln!(out, "{name:<10} {empty:>12.1} {ours:>10.1} {bound:>8.1}  {verdict}").unwrap();
    }
    if !judged {
        writeln!(
            out,
            "SKIPPED the comparison: the stored counts are of another compiler or architecture; compilers differ by more than the bound"
        )
        .unwrap();
    }
    assert!(
        dearer.is_empty(),
        "more than {:.0} % dearer than stored: {dearer:?}. Find out why; if it has to be, TILELENS_BLESS=1 stores the new counts in {}",
        MORE * 100.0,
        stored::FILE
    );
}
