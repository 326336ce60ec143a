//! Runs one command over and over above the fake driver, for instruction counts.
//!
//! Usage: `hook_loop nothing|pass_through|tilelens draw|bind_draw|state_draw|pass|barrier|copy|submit TIMES`. The process ends without
//! tearing anything down, so that what it does beyond the commands is the same whatever TIMES is.
#![allow(clippy::unwrap_used)]

use tilelens_tests::workload::{Application, Command, Through};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let through = Through::by_name(&arguments[1]).unwrap();
    let command = Command::by_name(&arguments[2]).unwrap();
    let times = arguments[3].parse().unwrap();
    Application::new(through).recorder(0).run(command, times);
    // SAFETY: ends the process; nothing of it is used afterwards.
    unsafe { libc::_exit(0) }
}
