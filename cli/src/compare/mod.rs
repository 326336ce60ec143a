//! `tilelens compare`: what the model says that a change saves, beside what counters of a real GPU say.

mod ledger;
pub mod quantity;
mod render;
mod verdict;

use crate::changes;
use crate::evaluate::{capture_path, evaluate};
use crate::output::{self, Format};
use anyhow::{Context, Result, bail};
use quantity::{Measured, Pair, Rates};
use render::{Comparison, Row, Side};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tbdr_model::frame::FrameStructure;
use tbdr_model::record::Record;
use tbdr_model::report::{Direction, Frame, Report};
use tbdr_model::units::Extent2D;
use tilelens_capture::Reader;
use tilelens_manifest::UserProfiles;
use tilelens_report::text;
use verdict::Class;

/// Compare two captures, and what counters measured before and after.
///
/// Readings come from a profiler of the GPU that --gpu names: external (DRAM) bytes read and written, before and after the change. They
/// are per frame (`12.5MiB`, `13107200`), or rates (`750MiB/s`, `786MB/s`) together with --fps. MiB is 2^20 bytes, MB 10^6: mind which
/// of them the profiler means. Exit status: 0 in tolerance (or nothing measured), 1 out of tolerance, 2 wrong usage or files.
#[derive(clap::Args)]
pub struct Args {
    /// The capture before the change, or its folder.
    before: PathBuf,
    /// The capture after the change, or its folder.
    after: PathBuf,
    /// The GPU that was measured, by id [default: that of the captures, if they were recorded for one].
    #[arg(long, value_name = "ID")]
    gpu: Option<String>,
    /// Readings: `read=BEFORE:AFTER,write=BEFORE:AFTER`. Where BEFORE has no unit it has that of AFTER.
    #[arg(long, value_name = "READINGS")]
    measured: Option<Measured>,
    /// Frames per second that rates were measured at, or `BEFORE:AFTER`.
    #[arg(long, value_name = "N")]
    fps: Option<Rates>,
    /// What kind of traffic changed [default: by what changed in the modelled ledger; never `compressible`].
    #[arg(long, value_enum)]
    class: Option<Class>,
    /// Frame to compare, or `BEFORE:AFTER` [default: the most frequent of each capture, of several the heaviest].
    #[arg(long, value_name = "N", value_parser = frame_numbers)]
    frame: Option<(u64, u64)>,
    /// What to write.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// File to write to instead of the standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn frame_numbers(text: &str) -> Result<(u64, u64), std::num::ParseIntError> {
    let (before, after) = text.split_once(':').unwrap_or((text, text));
    Ok((before.trim().parse()?, after.trim().parse()?))
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    let comparison = compare(args)?;
    let text = match args.format {
        Format::Text => render::text(&comparison),
        Format::Json => render::json(&comparison)?,
    };
    output::deliver(&text, args.output.as_deref())?;
    Ok(ExitCode::from(u8::from(!comparison.agrees())))
}

fn compare(args: &Args) -> Result<Comparison> {
    let measured = args.measured.unwrap_or_default();
    if measured.needs_rate() && args.fps.is_none() {
        bail!("a rate (/s) says nothing of a frame without the frame rate: give --fps, or bytes per frame");
    }
    let paths = Pair { before: capture_path(&args.before)?, after: capture_path(&args.after)? };
    output::refuse_input(args.output.as_deref(), [paths.before.as_path(), paths.after.as_path()])?;
    let gpu = args.gpu.as_ref().map(std::slice::from_ref);
    let reports = Pair { before: load(&paths.before, gpu)?, after: load(&paths.after, gpu)? };
    if let Some(text) = changes::other_program(&reports.before.run, &reports.after.run) {
        output::message(output::WARNING, "warning", &text);
    }
    let gpu = the_gpu(&reports)?;
    let numbers = args.frame.map_or([None; 2], |(before, after)| [Some(before), Some(after)]);
    let frames = Pair {
        before: pick(&reports.before, numbers[0], &paths.before)?,
        after: pick(&reports.after, numbers[1], &paths.after)?,
    };
    let mut rows = Vec::new();
    for (direction, name, readings) in
        [(Direction::Read, "read", measured.read), (Direction::Write, "write", measured.write)]
    {
        let modelled = ledger::compare(frames.before, frames.after, &gpu, direction)
            .with_context(|| format!("the frames are not modelled for {gpu}"))?;
        let measured = readings.and_then(|pair| pair.per_frame(args.fps));
        let verdict = measured.map(|pair| verdict::judge(&modelled, pair, args.class));
        rows.push(Row { direction: name, modelled, measured, verdict });
    }
    Ok(Comparison {
        unit: unit(&paths.after, frames.after)?,
        sides: Pair { before: side(&paths.before, frames.before), after: side(&paths.after, frames.after) },
        rates: args.fps.filter(|_| measured.needs_rate()),
        gpu,
        rows,
    })
}

fn load(path: &Path, gpu: Option<&[String]>) -> Result<Report> {
    let evaluated = evaluate(path, gpu, &UserProfiles::default(), &[])?;
    if let Some(cut) = &evaluated.cut {
        let text = format!("{}:{}: cut: {}; what comes before it is compared", path.display(), cut.line, cut.reason);
        output::message(output::WARNING, "warning", &text);
    }
    Ok(evaluated.report)
}

/// The one GPU that both captures are modelled for.
fn the_gpu(reports: &Pair<Report>) -> Result<String> {
    let ids = |report: &Report| report.gpus.keys().cloned().collect::<Vec<_>>();
    let (before, after) = (ids(&reports.before), ids(&reports.after));
    match &before[..] {
        [only] if after == before => Ok(only.clone()),
        _ => {
            let mut all = before;
            all.extend(after);
            all.sort();
            all.dedup();
            bail!("readings are of one GPU, and the captures were recorded for {}: choose with --gpu", all.join(", "))
        }
    }
}

/// The frame that is compared: the one with that number, else the one that `tilelens analyze` shows.
fn pick<'a>(report: &'a Report, number: Option<u64>, path: &Path) -> Result<&'a Frame> {
    let Some(number) = number else {
        return text::shown_frame(report).with_context(|| format!("{} holds no frame", path.display()));
    };
    let holds = |[first, last, stride]: &[u64; 3]| {
        (*first..=*last).contains(&number) && (number - first).checked_rem(*stride).is_none_or(|rest| rest == 0)
    };
    let found = report.frames.iter().find(|frame| frame.indices.iter().any(holds));
    found.with_context(|| format!("{} holds no frame {number}; `tilelens analyze` lists them", path.display()))
}

fn side(path: &Path, frame: &Frame) -> Side {
    Side { capture: path.display().to_string(), frame: first_index(frame), count: frame.count }
}

fn first_index(frame: &Frame) -> u64 {
    frame.indices.iter().map(|range| range[0]).min().unwrap_or_default()
}

/// What a BU is counted in: the largest image that leaves the frame, else the largest render pass.
fn unit(path: &Path, frame: &Frame) -> Result<(Extent2D, &'static str)> {
    let wanted = first_index(frame);
    let mut structures = std::collections::BTreeMap::new();
    for record in Reader::open(path)? {
        match record? {
            Record::Structure { id, frame } => {
                structures.entry(id).or_insert_with(|| largest_output(&frame));
            }
            Record::Frame(frame) if frame.index == wanted => {
                if let Some(Some(extent)) = structures.get(&frame.structure) {
                    return Ok((*extent, "the largest result of the frame"));
                }
                break;
            }
            _ => {}
        }
    }
    let passes = frame.passes.iter().map(|pass| pass.extent);
    let extent = passes.max_by_key(|extent| extent.pixels()).unwrap_or_default();
    Ok((extent, "the largest render pass: the frame has no result"))
}

fn largest_output(frame: &FrameStructure) -> Option<Extent2D> {
    let images = frame.outputs.iter().filter_map(|output| frame.images.get(output.image.0 as usize));
    images.map(|image| Extent2D::new(image.extent.width, image.extent.height)).max_by_key(|extent| extent.pixels())
}
