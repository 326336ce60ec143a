//! The table of hook costs: nanoseconds of a call and what a layer adds, by command and number of threads.

use super::{application, run};
use std::io::Write;
use std::sync::Barrier;
use std::time::{Duration, Instant};
use tilelens_tests::workload::{Command, Through};

/// Submissions of a round, on all threads together. The frame that they belong to ends between rounds.
pub const CALLS_OF_SUBMIT: u32 = 2048;
/// Rounds of each way.
const ROUNDS: u32 = 40;

/// Calls that each of so many threads makes in a round: enough for a millisecond or so, or the start of the threads would count.
fn calls(command: Command, threads: u32) -> u32 {
    match command {
        Command::Draw | Command::BindDraw | Command::StateDraw => 200_000,
        Command::Pass | Command::Barrier | Command::Copy => 6400,
        Command::Submit => CALLS_OF_SUBMIT / threads,
    }
}

/// The time of the slowest thread.
fn round(through: Through, command: Command, threads: u32) -> Duration {
    let calls = calls(command, threads);
    let ready = Barrier::new(threads as usize);
    let thread = || {
        // The thread's command buffer, the memory that its recordings take, and a clock that has woken up.
        run(through, command, calls);
        ready.wait();
        let start = Instant::now();
        run(through, command, calls);
        start.elapsed()
    };
    if threads == 1 {
        return thread();
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(thread)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).max().unwrap_or_default()
    })
}

/// Ends the frame that a round of submissions belongs to, and lets the analysis catch up: with a queue full of frames the next
/// round would measure how frames are dropped.
fn settle(through: Through, command: Command) {
    if command == Command::Submit {
        run(through, Command::Submit, 1);
        std::thread::sleep(Duration::from_millis(if through == Through::Tilelens { 20 } else { 0 }));
    }
}

/// Nanoseconds of a call, for each way, from the best round.
fn best(command: Command, threads: u32) -> [f64; 3] {
    let mut best = [Duration::MAX; 3];
    for _ in 0..ROUNDS {
        for (through, best) in Through::ALL.into_iter().zip(&mut best) {
            *best = round(through, command, threads).min(*best);
            settle(through, command);
        }
    }
    best.map(|time| time.as_nanos() as f64 / f64::from(calls(command, threads)))
}

/// Measures and prints.
pub fn print() {
    // Opened before the clock runs.
    for through in Through::ALL {
        application(through);
    }
    let mut out = std::io::stdout();
    let head = ["command", "threads", "no layer", "pass-through", "tilelens", "added", "over pass-through"];
    let [command, threads, nothing, empty, ours, added, ratio] = head;
    writeln!(out, "\n{command:<10} {threads:>7} {nothing:>10} {empty:>13} {ours:>10} {added:>10} {ratio:>18}").unwrap();
    for command in Command::ALL {
        for threads in [1, 2] {
            let [nothing, empty, ours] = best(command, threads);
            let (name, added, ratio) = (command.name(), ours - nothing, ours / empty);
            writeln!(
                out,
                "{name:<10} {threads:>7} {nothing:>7.1} ns {empty:>10.1} ns {ours:>7.1} ns {added:>7.1} ns {ratio:>16.1} x"
            )
            .unwrap();
        }
    }
    if cfg!(debug_assertions) {
        writeln!(out, "a debug build: no measure").unwrap();
    }
}
