//! Runs the program and waits for it, whatever signals come: the report is finished in any case.

use std::ffi::OsString;
use std::io;
use std::process::{Child, Command, ExitStatus};

/// How the program ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status; 128 + signal if a signal ended it, as shells have it.
    pub status: u8,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Ended {
    fn new(status: ExitStatus) -> Self {
        #[cfg(unix)]
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        #[cfg(not(unix))]
        let signal = None;
        let code = status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(1);
        // Windows has statuses of 32 bits; what does not fit must not become success.
        Self { status: u8::try_from(code).unwrap_or(1), signal }
    }
}

/// Runs `command` with `variables` set, to its end. An error means that it did not start.
pub fn run(command: &[OsString], variables: &[(String, OsString)]) -> io::Result<Ended> {
    let mut child = Command::new(&command[0]);
    child.args(&command[1..]).envs(variables.iter().map(|(name, value)| (name, value)));
    wait(&mut child).map(Ended::new)
}

#[cfg(not(unix))]
fn wait(command: &mut Command) -> io::Result<ExitStatus> {
    command.spawn()?.wait()
}

#[cfg(unix)]
fn wait(command: &mut Command) -> io::Result<ExitStatus> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use std::sync::{Arc, Mutex};

    // Caught before the program starts, and by handlers, which unlike SIG_IGN are not passed on to it.
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
    let handle = signals.handle();
    let mut child = command.spawn()?;
    let running = Arc::new(Mutex::new(Some(rustix::process::Pid::from_child(&child))));
    let forwarder = std::thread::spawn({
        let running = Arc::clone(&running);
        move || {
            for signal in signals.forever() {
                forward(signal, &running);
            }
        }
    });
    let status = wait_unreaped(&child).and_then(|()| {
        // From here on the process id may belong to another: no signal goes to it any more.
        *running.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
        child.wait()
    });
    handle.close();
    let _ = forwarder.join();
    status
}

/// Waits until the child has ended, and leaves it as a zombie that keeps its process id.
#[cfg(unix)]
fn wait_unreaped(child: &Child) -> io::Result<()> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    rustix::io::retry_on_intr(|| waitid(WaitId::Pid(Pid::from_child(child)), options))?;
    Ok(())
}

/// Passes a signal on that only we were sent. What comes from the terminal, its whole process group gets already.
#[cfg(unix)]
fn forward(signal: i32, running: &std::sync::Mutex<Option<rustix::process::Pid>>) {
    use std::io::IsTerminal;
    let from_terminal = signal != signal_hook::consts::SIGTERM && io::stdin().is_terminal();
    let running = running.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let (Some(pid), Some(signal), false) = (*running, rustix::process::Signal::from_named_raw(signal), from_terminal)
    {
        let _ = rustix::process::kill_process(pid, signal);
    }
}
