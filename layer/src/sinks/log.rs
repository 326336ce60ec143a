//! Log lines, as text or JSON, on stderr or in a file. stdout is never touched: it may carry the application's data.
//!
//! The subscriber is local to each call: a global one would be the application's to set. Lines come from the analysis
//! thread; from the application's threads only once, for a setting at instance creation or for a fault.

use std::sync::{Mutex, OnceLock};
use tbdr_model::units::Bytes;
use tilelens_manifest::{LogFormat, LogLevel, Settings};
use tracing::{Dispatch, Level, dispatcher};
use tracing_subscriber::fmt::writer::BoxMakeWriter;

static LOG: OnceLock<Dispatch> = OnceLock::new();

/// Sets the log up, by the settings of the first instance. An unwritable log file falls back to stderr and says so.
pub fn init(settings: &Settings) {
    let mut problem = None;
    LOG.get_or_init(|| {
        let (log, failed) = build(settings);
        problem = failed;
        log
    });
    if let Some(problem) = problem {
        warn(&problem);
    }
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
    let writer = match file {
        Some(file) => BoxMakeWriter::new(Mutex::new(file)),
        None => BoxMakeWriter::new(std::io::stderr),
    };
    let log = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(writer)
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
    match LOG.get() {
        Some(log) => dispatcher::with_default(log, f),
        None => dispatcher::with_default(&build(&Settings::default()).0, f),
    }
}

/// One line on one stream: control characters of application strings cannot break it.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Something was lost.
pub fn error(message: &str) {
    emit(|| tracing::error!("{}", clean(message)));
}

/// Something is not as asked.
pub fn warn(message: &str) {
    emit(|| tracing::warn!("{}", clean(message)));
}

/// A fault of the layer in `place`.
pub fn fault(place: &str, why: &str) {
    emit(|| {
        tracing::error!(
            place,
            "fault in {place}: {}; nothing is recorded from now on, the program runs on without the layer",
            clean(why)
        );
    });
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
