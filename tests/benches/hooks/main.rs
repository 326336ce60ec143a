//! What a hook costs: the time of a command above the fake driver, without a layer, below a layer that only calls down, and below
//! ours, on one thread and on two.
//!
//! The driver's own functions do next to nothing, so the difference is the layer's. First come the figures of divan, then the table:
//! the best of many rounds, the three ways in turn, so that a change of the clock meets all of them. Figures of a machine that does
//! something else at the same time are no measure; instruction counts (`callgrind`) are.
#![allow(clippy::unwrap_used)]

mod table;

use std::cell::OnceCell;
use std::sync::OnceLock;
use tilelens_tests::sandbox::Folder;
use tilelens_tests::workload::{Application, Command, Recorder, Through};

/// Submissions that end a frame: one more than a round of [`table`] makes, warm-up included.
const FRAME_SUBMITS: u32 = 2 * table::CALLS_OF_SUBMIT + 1;

/// The application of a way, one for all threads.
fn application(through: Through) -> &'static Application {
    static APPLICATIONS: [OnceLock<Application>; 3] = [const { OnceLock::new() }; 3];
    APPLICATIONS[through as usize].get_or_init(|| Application::new(through))
}

thread_local! {
    static RECORDERS: [OnceCell<Recorder<'static>>; 3] = const { [const { OnceCell::new() }; 3] };
}

/// Runs a command with this thread's own command buffer and queue.
fn run(through: Through, command: Command, times: u32) {
    use std::sync::atomic::{AtomicU32, Ordering};
    static THREADS: AtomicU32 = AtomicU32::new(0);
    RECORDERS.with(|all| {
        let new = || application(through).recorder(THREADS.fetch_add(1, Ordering::Relaxed));
        all[through as usize].get_or_init(new).run(command, times);
    });
}

/// A benchmark of divan for a command: each of its iterations is as many calls as divan counts as items.
macro_rules! benches {
    ($($name:ident: $command:ident, $times:literal;)*) => {
        $(
            #[divan::bench(args = Through::ALL, threads = [1, 2], sample_count = 50, sample_size = 1)]
            fn $name(bencher: divan::Bencher<'_, '_>, through: Through) {
                // Opened before the clock runs.
                application(through);
                let items = divan::counter::ItemsCount::new($times as u32);
                bencher.counter(items).bench(|| run(through, Command::$command, $times));
            }
        )*
    };
}

benches! {
    draw: Draw, 10_000;
    bind_draw: BindDraw, 10_000;
    state_draw: StateDraw, 10_000;
    pass: Pass, 640;
    barrier: Barrier, 640;
    copy: Copy, 640;
    submit: Submit, 256;
}

fn main() {
    let folder = Folder::new();
    // SAFETY: no other thread runs yet.
    unsafe {
        std::env::set_var("VK_TILELENS_TBDR_OUTPUT_DIR", folder.output());
        std::env::set_var("VK_TILELENS_TBDR_LOG_LEVEL", "error");
        // What the analysis thread does is measured by `analysis`; here it shall do little beside the hooks.
        std::env::set_var("VK_TILELENS_TBDR_REPORT", "0");
        std::env::set_var("VK_TILELENS_TBDR_CAPTURE", "0");
        std::env::set_var("VK_TILELENS_TBDR_FRAME_SUBMITS", FRAME_SUBMITS.to_string());
    }
    divan::main();
    table::print();
}
