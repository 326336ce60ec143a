//! Log lines, as text or JSON, on stderr or in a file. stdout is never touched: it may carry the application's data.
//!
//! The subscriber is local to each call: a global one would be the application's to set. Lines come from the analysis
//! thread; from the application's threads only for settings, at the creation of an instance or a device, and for a fault. A line
//! that cannot be written is lost: no thread waits for it, and no signal comes of it.

use super::said;
use super::signals::unharmed;
use super::stderr::{self, Stderr};
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, OnceLock};
use tbdr_model::report::{Finding, Quantity};
use tbdr_model::units::Bytes;
use tilelens_manifest::{LogFormat, LogLevel, Settings};
use tracing::{Dispatch, Level, dispatcher};

static LOG: OnceLock<Dispatch> = OnceLock::new();

/// Findings that are logged; the report has all.
const MOST_FINDINGS: usize = 10;

/// Where lines go.
enum Target {
    File(File),
    Stderr(Stderr),
    /// There is no log file, and the program has closed its standard error.
    Nowhere,
}

impl Write for &Target {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        unharmed(|| match self {
            Target::File(file) => drop((&*file).write_all(line)),
            Target::Stderr(stderr) => stderr.write(line),
            Target::Nowhere => {}
        });
        // A failure must not be told on the application's standard error, as the subscriber would.
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sets the log up, by the settings of the first instance. An unwritable log file falls back to stderr; that is returned, to be told.
pub fn init(settings: &Settings) -> Option<String> {
    let mut problem = None;
    LOG.get_or_init(|| {
        let (log, failed) = build(settings);
        problem = failed;
        log
    });
    problem
}

fn build(settings: &Settings) -> (Dispatch, Option<String>) {
    let level = match settings.log_level {
        LogLevel::Off => return (Dispatch::none(), None),
        LogLevel::Error => Level::ERROR,
        LogLevel::Warn => Level::WARN,
        LogLevel::Info => Level::INFO,
        LogLevel::Debug => Level::DEBUG,
    };
    let (file, problem) = match settings.log_file.as_ref().map(|path| (path, tilelens_capture::append(path))) {
        Some((_, Ok(file))) => (Some(file), None),
        Some((path, Err(error))) => {
            let remedy = "logging to stderr; set log_file to a path that can be written";
            (None, Some(format!("log_file: cannot open {}: {error}; {remedy}", path.display())))
        }
        None => (None, None),
    };
    let target = match file {
        Some(file) => Target::File(file),
        None => Stderr::open().map_or(Target::Nowhere, Target::Stderr),
    };
    let log = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(Arc::new(target))
        .log_internal_errors(false)
        .with_ansi(false)
        .without_time()
        .with_target(false);
    let log = match settings.log_format {
        LogFormat::Text => Dispatch::new(log.event_format(Line).finish()),
        LogFormat::Json => Dispatch::new(log.json().flatten_event(true).finish()),
    };
    (log, problem)
}

/// `tilelens: info: message key=value`: names the layer, since the stream is shared with the application.
struct Line;

impl<S, N> tracing_subscriber::fmt::FormatEvent<S, N> for Line
where
    S: tracing::Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a>,
    N: for<'a> tracing_subscriber::fmt::FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &tracing_subscriber::fmt::FmtContext<'_, S, N>,
        mut writer: tracing_subscriber::fmt::format::Writer<'_>,
        event: &tracing::Event<'_>,
    ) -> std::fmt::Result {
        write!(writer, "tilelens: {}: ", event.metadata().level().as_str().to_ascii_lowercase())?;
        context.field_format().format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

fn emit(f: impl FnOnce()) {
    let line = || {
        if let Some(lost) = stderr::lost() {
            tracing::warn!("{lost} lines of this log are lost: standard error was full");
        }
        f();
    };
    match LOG.get() {
        Some(log) => dispatcher::with_default(log, line),
        None => dispatcher::with_default(&build(&Settings::default()).0, line),
    }
}

/// One line on one stream: control characters of application strings cannot break it.
pub fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// As [`clean`], and not longer than a name that people read.
fn short(text: &str) -> String {
    const LONGEST: usize = 300;
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    clean(&short)
}

/// Something was lost.
pub fn error(message: &str) {
    emit(|| tracing::error!("{}", clean(message)));
}

/// Something is not as asked.
pub fn warn(message: &str) {
    emit(|| tracing::warn!("{}", clean(message)));
}

/// Something is not as asked, and would be so again for the next device: said once per process.
pub fn warn_once(message: &str) {
    if said::first_time(message) {
        warn(message);
    }
}

/// Something worth knowing.
pub fn info(message: &str) {
    emit(|| tracing::info!("{}", clean(message)));
}

/// A fault of the layer in `place`, and what comes of it, in one line.
pub fn fault_line(place: &str, why: &str) -> String {
    format!("fault in {place}: {}; nothing is recorded from now on, the program runs on without the layer", clean(why))
}

/// A fault of the layer in `place`, as [`fault_line`] tells it.
pub fn fault(place: &str, line: &str) {
    emit(|| tracing::error!(place, "{line}"));
}

/// A frame was analysed; `totals` are GPU, bytes read and bytes written.
pub fn frame(index: u64, structure: u32, totals: &[(&str, Bytes, Bytes)]) {
    emit(|| {
        if !tracing::enabled!(Level::INFO) {
            return;
        }
        let gpus: Vec<String> =
            totals.iter().map(|(gpu, read, write)| format!("{gpu} reads {} B, writes {} B", read.0, write.0)).collect();
        tracing::info!(frame = index, structure, "modelled: {}", gpus.join("; "));
    });
}

/// A finding in one line, with what it saves on `gpu`.
pub fn finding(finding: &Finding, gpu: &str) -> String {
    let Finding { name, pass, attachment, saving, fix, .. } = finding;
    let place = pass.as_ref().or(attachment.as_ref()).map_or(String::new(), |place| format!(" in {}", short(place)));
    let saving = saving.get(gpu).map_or(String::new(), |saving| {
        let (sign, value) = (saving.basis.sign(), saving.value);
        match saving.quantity {
            Quantity::Dram => format!(" saves {sign} {value} B a frame on {gpu};"),
            Quantity::Footprint => format!(" saves {sign} {value} B of memory on {gpu};"),
            Quantity::Work | Quantity::Count => format!(" saves {sign} {} a frame on {gpu};", finding.counted(value)),
        }
    });
    clean(&format!("{name}{place}:{saving} {}", short(fix)))
}

/// What the run's report advises, most important first, with what it saves on `gpu`.
pub fn findings(findings: &[Finding], gpu: &str) {
    emit(|| {
        for finding in findings.iter().take(MOST_FINDINGS) {
            tracing::info!(code = finding.code, "{}", self::finding(finding, gpu));
        }
        if let Some(more) = findings.len().checked_sub(MOST_FINDINGS).filter(|more| *more > 0) {
            tracing::info!("{more} more findings are in the report");
        }
    });
}
