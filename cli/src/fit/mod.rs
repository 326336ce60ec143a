//! `tilelens fit`: will it fit on the chip? A render pass is described on the command line and put before the GPUs.
//!
//! From the arguments to a [`pass::Request`], from that to the records of a run with one frame, and from there on the way of every
//! capture: the model knows no difference. [`more`] tries what would still fit.

mod attachment;
mod json;
mod more;
mod pass;
mod reasons;
mod subpass;
mod table;

use self::more::More;
use self::pass::Request;
use crate::choices::ChoiceArgs;
use crate::output::{self, Format};
use crate::profiles::ProfileArgs;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::process::ExitCode;
use tbdr_model::gpu::Profile;
use tbdr_model::report::Report;
use tbdr_model::session::Session;
use tbdr_model::units::Extent2D;
use tilelens_manifest::Settings;

/// Largest width and height, as of the largest framebuffers that drivers offer.
const LARGEST: u32 = 16384;
/// Most attachments.
const ATTACHMENTS: usize = 32;
/// Most subpasses.
const SUBPASSES: usize = 64;
/// Samples of an attachment that drivers offer nearly everywhere.
const SAMPLES: u32 = 4;
/// Colour attachments of a subpass that drivers offer (maxColorAttachments).
const COLORS: usize = 8;

/// Tell whether a render pass fits on the chip: tiles, bits per pixel, merging of subpasses, bytes.
///
/// The pass covers its framebuffer and draws in every subpass. Dependencies between subpasses are by region and stay in framebuffer
/// space. All figures are modelled, not measured.
// Doc comments are the command's help here: brackets in them are its syntax.
#[allow(rustdoc::broken_intra_doc_links)]
#[derive(clap::Args)]
pub struct Args {
    /// GPUs to model, by id, or `all` [default: the setting `gpu`].
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    gpu: Option<Vec<String>>,
    #[command(flatten)]
    profiles: ProfileArgs,
    /// Size of the framebuffer in pixels.
    #[arg(long, value_name = "WxH", value_parser = extent)]
    extent: Extent2D,
    /// An attachment, e.g. R8G8B8A8_UNORM or D32_SFLOAT@4:load=CLEAR,store=DONT_CARE; once for each, numbered from 0.
    ///
    /// FORMAT[@SAMPLES][:load=OP,store=OP,stencil-load=OP,stencil-store=OP]. Unless it is said: one sample, load=CLEAR, store=STORE for
    /// colour and DONT_CARE for depth and stencil; the operations of stencil are those of depth.
    #[arg(long = "attachment", value_name = "FORMAT[@SAMPLES][:load=OP,store=OP]", value_parser = attachment::parse, required = true)]
    attachments: Vec<attachment::Spec>,
    /// A subpass, e.g. "color=2,3;depth=1" or "color=0;input=1,2,3"; once for each, in order.
    ///
    /// Numbers are attachments; `-` is an unused slot; `resolve=` has one target for each colour slot [default: one subpass with
    /// every colour format as colour and the first depth or stencil format as depth].
    #[arg(long = "subpass", value_name = "color=N,…;resolve=N,…;depth=N;input=N,…", value_parser = subpass::parse)]
    subpasses: Vec<subpass::Spec>,
    #[command(flatten)]
    choices: ChoiceArgs,
    /// Layers of the framebuffer.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=2048))]
    layers: u32,
    /// What to write.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

fn extent(text: &str) -> Result<Extent2D, String> {
    let number = |text: &str| text.parse().ok().filter(|n| (1..=LARGEST).contains(n));
    let sides = text.split_once(['x', 'X']).and_then(|(width, height)| Some([number(width)?, number(height)?]));
    sides.map(Extent2D::from).ok_or_else(|| format!("write WIDTHxHEIGHT, each from 1 to {LARGEST}, as in 2220x1080"))
}

/// The answer.
struct Answer<'a> {
    /// The GPUs, in the order asked for.
    profiles: &'a [Profile],
    /// What they make of the pass.
    report: Report,
    /// What would still fit, by GPU id.
    more: BTreeMap<String, More>,
    /// Remarks on the pass itself.
    remarks: Vec<String>,
}

impl Answer<'_> {
    /// What the figures leave out. No advice is given here, so that none is undecided.
    fn not_modelled(&self) -> Vec<&str> {
        let undecided = self.report.undecided_advice.iter().flatten();
        let of_advice: Vec<&str> = undecided.map(|doubt| doubt.note.as_str()).collect();
        self.report.not_modelled.iter().map(String::as_str).filter(|note| !of_advice.contains(note)).collect()
    }
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    let (settings, problems) = Settings::from_process(Vec::new());
    let user = args.profiles.in_force(&settings, &problems)?;
    let profiles = match &args.gpu {
        Some(gpu) => user.select(gpu, None).context("--gpu")?,
        None => user.select(&settings.gpu, None).context("setting `gpu`")?,
    };
    let mut request = request(args)?;
    request.settings.extend([args.choices.in_force(&settings, &problems)?]);
    let answer = Answer {
        report: evaluate(&profiles, &request),
        more: more::more(&profiles, &request),
        remarks: remarks(&request),
        profiles: &profiles,
    };
    let text = match args.format {
        Format::Text => table::render(&answer, &output::text_options(false)),
        Format::Json => json::render(&answer, &request)?,
    };
    output::deliver(&text, None)?;
    Ok(ExitCode::SUCCESS)
}

fn request(args: &Args) -> Result<Request> {
    if args.attachments.len() > ATTACHMENTS {
        bail!("--attachment is given {} times; at most {ATTACHMENTS} are modelled", args.attachments.len());
    }
    if args.subpasses.len() > SUBPASSES {
        bail!("--subpass is given {} times; at most {SUBPASSES} are modelled", args.subpasses.len());
    }
    let mut subpasses = args.subpasses.clone();
    if subpasses.is_empty() {
        subpasses.push(subpass::of_all(&args.attachments));
    }
    for (number, spec) in subpasses.iter().enumerate() {
        if let Err(error) = subpass::check(spec, &args.attachments) {
            match args.subpasses.is_empty() {
                true => bail!("--attachment: {error}. Describe the subpass with --subpass"),
                false => bail!("--subpass number {number}: {error}"),
            }
        }
    }
    let (attachments, settings) = (args.attachments.clone(), BTreeMap::new());
    Ok(Request { extent: args.extent, layers: args.layers, attachments, subpasses, settings })
}

/// What the GPUs make of the pass.
fn evaluate(profiles: &[Profile], request: &Request) -> Report {
    let mut session = Session::new(profiles.to_vec());
    request.records().iter().for_each(|record| session.record(record));
    session.report()
}

fn remarks(request: &Request) -> Vec<String> {
    let mut remarks = Vec::new();
    for index in 0..request.attachments.len() as u32 {
        if !request.subpasses.iter().any(|s| s.used().any(|used| used == index)) {
            remarks.push(format!("attachment {index} is used by no subpass: it costs nothing"));
        }
    }
    if let Some(most) = request.subpasses.iter().map(|s| s.color.len()).max().filter(|most| *most > COLORS) {
        remarks.push(format!(
            "{most} colour slots in a subpass: few drivers offer more than {COLORS} (maxColorAttachments)"
        ));
    }
    if let Some(most) = request.attachments.iter().map(|a| a.samples).max().filter(|most| *most > SAMPLES) {
        remarks.push(format!(
            "{most} samples: many drivers offer no more than {SAMPLES} (framebufferColorSampleCounts); \
             where they do not, the figures say what could not be created"
        ));
    }
    remarks
}
