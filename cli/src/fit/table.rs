//! The answer as a table: a row per GPU and tile pass; of many GPUs, those with equal rows share them.

use super::Answer;
use super::more::More;
use super::reasons;
use anstyle::Style;
use std::fmt::{self, Write};
use std::slice;
use tbdr_model::frame::{LoadOp, StoreOp};
use tbdr_model::report::{Attachment, Basis, Direction, Frame, GpuFrame, Pass, TilePass};
use tbdr_model::units::{Bytes, Extent2D};
use tilelens_report::text::{FEW, TextOptions, label, mib, names};

const TITLE: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// The answer as text.
pub fn render(answer: &Answer<'_>, options: &TextOptions) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_all(&mut out, answer, options.width.clamp(60, 140));
    out
}

fn write_all(out: &mut String, answer: &Answer<'_>, width: usize) -> fmt::Result {
    let Some(frame) = answer.report.frames.first() else { return Ok(()) };
    let Some(pass) = frame.passes.first() else { return Ok(()) };
    write_pass(out, pass, answer)?;

    let rows = rows(answer, frame)?;
    let ids = rows.iter().map(|(ids, ..)| label(ids).len()).max().unwrap_or(0).max(3);
    let of = if pass.subpasses > 1 { SUBPASSES } else { 0 };
    let subpasses = if pass.subpasses > 1 { "subpass" } else { "" };
    writeln!(out, "\n{FAINT}{:width$}{:>18}{FAINT:#}", "", "more colour at", width = ids + of + 27)?;
    writeln!(
        out,
        "{TITLE}{:ids$}{TITLE:#}{FAINT}{subpasses:>of$}{:>10}{:>8}{:>9}{:>6}{:>6}{:>6}{:>14}{:>15}{FAINT:#}",
        "GPU", "tile", "tiles", "bits/px", "full", "same", "chip", "read/frame", "written/frame"
    )?;
    for (gpus, gpu, lines) in &rows {
        for (number, (tile_pass, line)) in gpu.passes.iter().zip(lines).enumerate() {
            let id = if number == 0 { label(gpus) } else { String::new() };
            let numbers = if of > 0 { numbers(tile_pass) } else { String::new() };
            writeln!(out, "{TITLE}{id:ids$}{TITLE:#}{numbers:>of$}{line}")?;
        }
        if gpu.passes.len() > 1 {
            write_sum(out, gpu, ids + of)?;
        }
    }
    for (gpus, ..) in &rows {
        let [first, others @ ..] = &gpus[..] else { continue };
        if !others.is_empty() {
            for line in reasons::wrap(&format!("{first} stands for {} as well.", names(others)), width, 2) {
                writeln!(out, "{FAINT}{line}{FAINT:#}")?;
            }
        }
    }
    write_legend(out, answer, width)?;
    reasons::write(out, answer, frame, width)
}

/// GPUs with the same lines in the table: their ids, what they make of the pass, and a line for each tile pass.
type Row<'a> = (Vec<&'a str>, &'a GpuFrame, Vec<String>);

/// The rows, in the order asked for; of many GPUs those that have the same lines share them.
fn rows<'a>(answer: &'a Answer<'_>, frame: &'a Frame) -> Result<Vec<Row<'a>>, fmt::Error> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for profile in answer.profiles {
        let Some(gpu) = frame.gpus.get(&profile.id) else { continue };
        let mut lines = Vec::new();
        for (number, pass) in gpu.passes.iter().enumerate() {
            let mut line = String::new();
            write_tile_pass(&mut line, pass, answer.more.get(&profile.id).filter(|_| number == 0))?;
            lines.push(line);
        }
        let merged = |gpu: &GpuFrame| gpu.passes.iter().map(numbers).collect::<Vec<_>>();
        let same = |(_, other, known): &&mut Row<'_>| *known == lines && merged(other) == merged(gpu);
        match rows.iter_mut().find(same).filter(|_| answer.profiles.len() > FEW) {
            Some((ids, ..)) => ids.push(&profile.id),
            None => rows.push((vec![&profile.id], gpu, lines)),
        }
    }
    Ok(rows)
}

/// Columns of the numbers of subpasses.
const SUBPASSES: usize = 9;

fn write_pass(out: &mut String, pass: &Pass, answer: &Answer<'_>) -> fmt::Result {
    let Extent2D { width, height } = pass.extent;
    let counted = |n: u32, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    write!(out, "{TITLE}{width}x{height}, ")?;
    if pass.layers > 1 {
        write!(out, "{} layers, ", pass.layers)?;
    }
    let gpus = counted(answer.profiles.len() as u32, "GPU", "GPUs");
    writeln!(out, "{}: modelled for {gpus}, not measured{TITLE:#}", counted(pass.subpasses, "subpass", "subpasses"))?;
    let formats = pass.attachments.iter().map(|a| a.format.len()).max().unwrap_or(0);
    for (index, attachment) in pass.attachments.iter().enumerate() {
        let samples = counted(attachment.samples, "sample", "samples");
        let operations = operations(attachment);
        writeln!(
            out,
            "  {index:>2}  {:formats$}  {samples:10}  {operations}  {FAINT}{}{FAINT:#}",
            attachment.format, attachment.role
        )?;
    }
    for remark in &answer.remarks {
        writeln!(out, "  {remark}")?;
    }
    Ok(())
}

/// `CLEAR, STORE`, and where stencil has others, those too.
fn operations(attachment: &Attachment) -> String {
    let words = |load: LoadOp, store: StoreOp| {
        let load = match load {
            LoadOp::Load => "LOAD",
            LoadOp::Clear => "CLEAR",
            LoadOp::DontCare => "DONT_CARE",
            LoadOp::None => "NONE",
        };
        let store = match store {
            StoreOp::Store => "STORE",
            StoreOp::DontCare => "DONT_CARE",
            StoreOp::None => "NONE",
        };
        format!("{load}, {store}")
    };
    let pair = |load: Option<LoadOp>, store: Option<StoreOp>| Some(words(load?, store?));
    let main = pair(attachment.load, attachment.store);
    let stencil =
        pair(attachment.stencil_load, attachment.stencil_store).filter(|stencil| Some(stencil) != main.as_ref());
    let stencil = stencil.map(|stencil| format!("stencil {stencil}"));
    format!("{:20}", main.into_iter().chain(stencil).collect::<Vec<_>>().join("; "))
}

/// Numbers of the subpasses of a tile pass: `0`, `0-2`, `0,2`.
pub fn numbers(pass: &TilePass) -> String {
    let numbers: Vec<u32> = pass.subpasses.iter().map(|s| s.subpass).collect();
    match (&numbers[..], numbers.windows(2).all(|pair| pair[1] == pair[0] + 1)) {
        ([first, .., last], true) => format!("{first}-{last}"),
        _ => numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
    }
}

fn write_tile_pass(out: &mut String, pass: &TilePass, more: Option<&More>) -> fmt::Result {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let tile = pass.tile.map_or_else(|| pass.mode.to_string(), |tile| format!("{}x{}", tile.width, tile.height));
    let tiles = or_dash(pass.tiles.map(|tiles| tiles.to_string()));
    let bits = or_dash(pass.bits_per_pixel.map(|bits| match pass.budget_bits_per_pixel {
        Some(budget) => format!("{bits}/{budget}"),
        None => bits.to_string(),
    }));
    write!(out, "{tile:>10}{tiles:>8}{bits:>9}")?;
    let tried = more.filter(|more| more.tried > 0);
    let reached = tried.map_or([None; 3], |more| [more.full_tile, more.same_tiles, more.on_chip]);
    for reached in reached {
        // What was not tried may fit too.
        let plus = more.map_or("", |more| if reached == Some(more.tried) { "+" } else { "" });
        let dash = if more.is_some() { "-" } else { "" };
        write!(out, "{:>6}", reached.map_or_else(|| dash.into(), |count| format!("{count}{plus}")))?;
    }
    let [read, written] = amounts(slice::from_ref(pass), pass.read_bytes, pass.write_bytes);
    write!(out, " {read:>13} {written:>14}")
}

/// Bytes that tile passes read and write, each with the sign of its basis.
fn amounts(passes: &[TilePass], read: Bytes, written: Bytes) -> [String; 2] {
    [(Direction::Read, read), (Direction::Write, written)].map(|(direction, bytes)| {
        let entries = passes.iter().flat_map(|pass| &pass.entries).filter(|entry| entry.direction == direction);
        match entries.map(|entry| entry.basis).max() {
            Some(Basis::Undecided) => "undecided".into(),
            Some(basis @ (Basis::Bound | Basis::Estimate)) => format!("{} {}", basis.sign(), mib(bytes)),
            _ => mib(bytes),
        }
    })
}

fn write_sum(out: &mut String, gpu: &GpuFrame, before: usize) -> fmt::Result {
    let [read, written] = amounts(&gpu.passes, gpu.read_bytes, gpu.write_bytes);
    let width = before + 45;
    writeln!(out, "{FAINT}{:>width$} {read:>13} {written:>14}{FAINT:#}", "together")
}

fn write_legend(out: &mut String, answer: &Answer<'_>, width: usize) -> fmt::Result {
    let format = answer.more.values().next().map_or("", |more| more.format);
    let legend = format!(
        "bits/px: held on chip / what fits at the largest tile. more colour: further {format} targets, cleared and not stored, \
         found by trying up to 8 colour attachments in all (+): at the largest tile, with as few tiles as now, on chip and in as few \
         tile passes as now. ~ estimate, <= upper bound, else exact; before compression"
    );
    for line in reasons::wrap(&legend, width, 2) {
        writeln!(out, "{FAINT}{line}{FAINT:#}")?;
    }
    Ok(())
}
