//! Where the command's words go: results to standard output or a file, everything else to standard error.

use anstyle::{AnsiColor, Style};
use anyhow::{Context, Result, bail};
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

/// Writes a result to `path`, or to standard output. A file is replaced whole or not at all; what is no file, as a pipe or a device,
/// is written into.
pub fn deliver(text: &str, path: Option<&Path>) -> Result<()> {
    if let Some(path) = path.filter(|path| !is_standard_output(path)) {
        // Escapes belong to a terminal.
        let plain = anstream::adapter::strip_str(text).to_string();
        let written = match path.metadata() {
            Ok(found) if !found.is_file() && !found.is_dir() => write_into(path, plain.as_bytes()),
            _ => write_atomic(path, plain.as_bytes(), Access::Umask),
        };
        return written.with_context(|| format!("cannot write {}; name another file with -o", path.display()));
    }
    let mut stdout = anstream::stdout();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("cannot write to the standard output")
}

fn write_into(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut target = std::fs::OpenOptions::new().write(true).open(path)?;
    target.write_all(bytes)
}

/// Whether `path` is a name that the system gives to our standard output, as `/dev/stdout`. Where that is a file, it must not be
/// replaced by another one.
#[cfg(unix)]
fn is_standard_output(path: &Path) -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    let open = io::stdout().as_fd().try_clone_to_owned().and_then(|open| std::fs::File::from(open).metadata());
    match (path.metadata(), open) {
        (Ok(named), Ok(open)) => is_link && (named.dev(), named.ino()) == (open.dev(), open.ino()),
        _ => false,
    }
}

/// Other systems have no such names.
#[cfg(not(unix))]
fn is_standard_output(_: &Path) -> bool {
    false
}

/// Refuses to put a result in the place of a file that it is made from.
pub fn refuse_input<'a>(output: Option<&Path>, inputs: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    let Some(output) = output else { return Ok(()) };
    let Ok(place) = output.canonicalize() else { return Ok(()) };
    if inputs.into_iter().any(|input| input.canonicalize().is_ok_and(|input| input == place)) {
        bail!("{} is what the result is made from and would be replaced; name another file with -o", output.display());
    }
    Ok(())
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
