//! Where the command's words go: results to standard output or a file, everything else to standard error.

use anstyle::{AnsiColor, Style};
use anyhow::{Context, Result};
use clap::ValueEnum;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use tilelens_capture::{Access, write_atomic};
use tilelens_report::text::TextOptions;

/// How a message of an error begins.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// How a message of a warning begins.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// How a message that only informs begins.
pub const NOTE: Style = AnsiColor::Cyan.on_default().bold();

/// How a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Writes one message to standard error. Nobody can be told if that fails.
pub fn message(style: Style, kind: &str, text: &str) {
    let _ = writeln!(anstream::stderr(), "{style}{kind}:{style:#} {text}");
}

/// Writes a rendered text to standard error.
pub fn to_stderr(text: &str) {
    let _ = anstream::stderr().write_all(text.as_bytes());
}

/// Writes a result to the file `path`, whole or not at all, or to standard output.
pub fn deliver(text: &str, path: Option<&Path>) -> Result<()> {
    if let Some(path) = path {
        // Escapes belong to a terminal.
        let plain = anstream::adapter::strip_str(text).to_string();
        return write_atomic(path, plain.as_bytes(), Access::Umask)
            .with_context(|| format!("cannot write {}; name another file with -o", path.display()));
    }
    let mut stdout = anstream::stdout();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("cannot write to the standard output")
}

/// Whether the reader of our output has gone.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe))
}

/// How a summary is laid out on standard output, or on standard error.
pub fn text_options(to_stderr: bool) -> TextOptions {
    let size = match to_stderr {
        true => terminal_size::terminal_size_of(io::stderr()),
        false if io::stdout().is_terminal() => terminal_size::terminal_size_of(io::stdout()),
        false => None,
    };
    // The streams drop the escapes where they are not wanted.
    let default = TextOptions { color: true, ..TextOptions::default() };
    size.map_or(default, |(width, _)| TextOptions { width: usize::from(width.0), ..default })
}
