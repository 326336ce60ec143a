//! Instructions of the counted program's first thread.

use std::fs;
use std::path::Path;
use std::process::Command as Process;
use std::time::Duration;
use tilelens_tests::process;
use tilelens_tests::sandbox::Folder;
use tilelens_tests::workload::{Command, Through};

/// Calls of the shorter of the two runs.
const fn calls(command: Command) -> u32 {
    match command {
        Command::Draw | Command::BindDraw | Command::StateDraw => 2000,
        // Sixteen command buffers full, so that memory is being reused by then.
        Command::Pass | Command::Barrier | Command::Copy => 1024,
        Command::Submit => 512,
    }
}

/// Instructions that one more call takes.
pub fn per_call(valgrind: &Path, through: Through, command: Command) -> f64 {
    let calls = calls(command);
    let [once, twice] = [calls, 2 * calls].map(|times| instructions(valgrind, through, command, times));
    (twice as f64 - once as f64) / f64::from(calls)
}

fn instructions(valgrind: &Path, through: Through, command: Command, times: u32) -> u64 {
    let folder = Folder::new();
    let counts = folder.0.join("counts");
    let mut program = Process::new(valgrind);
    process::clean(&mut program);
    program.args(["--tool=callgrind", "--separate-threads=yes"]);
    program.arg(format!("--callgrind-out-file={}", counts.display()));
    program.arg(env!("CARGO_BIN_EXE_hook_loop")).args([through.name(), command.name(), &times.to_string()]);
    folder.tell(&mut program);
    program.env("VK_TILELENS_TBDR_LOG_LEVEL", "error");
    let outcome = process::run(program, &folder.0, Duration::from_secs(300));
    assert!(outcome.status.success(), "{}", outcome.text());
    // One file for each thread, the first one's ends in -01.
    let text = fs::read_to_string(folder.0.join("counts-01")).unwrap_or_else(|e| panic!("callgrind's counts: {e}"));
    let total = text.lines().find_map(|line| line.strip_prefix("summary:").or(line.strip_prefix("totals:")));
    total.and_then(|count| count.trim().parse().ok()).unwrap_or_else(|| panic!("no total in callgrind's counts"))
}
