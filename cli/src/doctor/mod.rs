//! `tilelens doctor`: why Tilelens would not work here, each fault with its remedy.
//!
//! What can be read is read (manifests, libraries' headers, variables, folders); what only the Vulkan loader knows is tried in
//! processes of their own, so that a crash is a finding. Nothing is changed and nothing is left behind.

mod chain;
mod drivers;
mod finding;
mod layer;
mod loader;
mod place;
pub mod probe;
mod program;
mod render;
mod settings;
mod trial;

use crate::output::{self, Format};
use crate::run::environment::{Manifests, Wanted, variables};
use crate::run::library;
use crate::system::env::Env;
use anyhow::{Context, Result};
use finding::{Findings, Status};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tilelens_manifest::{DISABLE_VARIABLE, ENABLE_VARIABLE, Settings};

/// Name of the hidden subcommand that [`probe`] is.
pub const PROBE: &str = "doctor-probe";

/// Look for what keeps Tilelens from working here: loader, drivers, layer, folders, settings.
///
/// Each finding is `ok`, a `warning` or a `problem`, and says what to do. Exit status: 0 nothing is wrong (there may be warnings), 1 there
/// is a problem, 2 wrong usage.
#[derive(clap::Args)]
pub struct Args {
    /// What to write.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// The output folder to examine [default: the setting `output_dir`, `tilelens-out`].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The layer's library that `tilelens run` shall use [default: beside this command, or in ../lib].
    #[arg(long, value_name = "PATH", env = "TILELENS_LAYER_LIBRARY")]
    layer: Option<PathBuf>,
    /// The program that shall run under the layer; it is examined and not started.
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    let findings = examine(args)?;
    let text = match args.format {
        Format::Text => render::text(&findings),
        Format::Json => render::json(&findings)?,
    };
    output::deliver(&text, None)?;
    Ok(ExitCode::from(u8::from(findings.count(Status::Problem) > 0)))
}

fn examine(args: &Args) -> Result<Findings> {
    let mut findings = Findings::default();
    let private = tempfile::Builder::new().prefix("tilelens-").tempdir().context("cannot make a temporary folder")?;
    let get = |name: &str| std::env::var_os(name);
    let env = Env::new(&get);

    let plain = trial::instance(private.path(), &without_layer(&env))?;
    let loader = loader::examine(&plain, &mut findings);
    drivers::examine(&env, &loader, &mut findings);
    program::own_rights(&mut findings);

    let layers = layer::Layers::read(&env);
    let verdict = layer::examine(&env, &layers, &loader, private.path(), &mut findings);
    if verdict.wanted && loader.works {
        let told = trial::instance(private.path(), &[])?;
        loaded(&told, "in this environment", verdict.sound, None, &mut findings);
    }
    let library = match library::find(args.layer.as_deref()) {
        Ok(library) => Some(library),
        Err(error) => {
            findings.problem("run-library-missing", format!("`tilelens run` cannot work: {error:#}"), "see the reason");
            None
        }
    };
    if let Some(library) = &library {
        let before = findings.count(Status::Problem);
        layer::library(library, "`tilelens run`: ", &loader, private.path(), &mut findings);
        if loader.works {
            let sound = findings.count(Status::Problem) == before;
            let told = trial::instance(private.path(), &as_run_does(private.path(), library)?)?;
            loaded(&told, "by `tilelens run`", sound, Some(library), &mut findings);
        }
    }
    chain::examine(&env, &layers, &mut findings);

    let settings: Settings = settings::examine(&mut findings);
    place::examine(args.out.as_ref().unwrap_or(&settings.output_dir), &mut findings);
    if let Some(name) = args.command.first() {
        program::examine(name, library.as_deref(), &mut findings);
    }
    Ok(findings)
}

/// Variables under which our layer stays out, so that the loader and the drivers are seen alone.
fn without_layer(env: &Env<'_>) -> Vec<(String, OsString)> {
    let ours = |name: &String| !name.to_lowercase().contains("tilelens");
    let others: Vec<_> = env.instance_layers().into_iter().filter(ours).collect();
    let separator = if cfg!(windows) { ";" } else { ":" };
    vec![
        ("VK_INSTANCE_LAYERS".into(), others.join(separator).into()),
        (ENABLE_VARIABLE.into(), "0".into()),
        (DISABLE_VARIABLE.into(), "1".into()),
    ]
}

/// The variables that `tilelens run` sets, with manifests for `library` in `folder`.
fn as_run_does(folder: &Path, library: &Path) -> Result<Vec<(String, OsString)>> {
    variables(&Wanted {
        manifests: &Manifests::write(folder, library)?,
        output: folder,
        run_log: &folder.join("run.jsonl"),
        gpu: None,
        others: Vec::new(),
        default_log: true,
        current: &|name| std::env::var_os(name),
    })
}

/// Whether the layer was really loaded, by its own word in the run log, and from `library` where it must be that one.
fn loaded(told: &trial::Told, how: &str, sound: bool, library: Option<&Path>, findings: &mut Findings) {
    let libraries = told.steps.iter().find_map(|step| match step {
        probe::Step::Instance { libraries, .. } => Some(libraries),
        _ => None,
    });
    let created = libraries.is_some();
    let mapped = |library: &Path| libraries.is_some_and(|all| all.is_empty() || all.iter().any(|file| file == library));
    if let Some(died) = &told.died {
        findings.problem(
            "layer-crashes",
            format!("a process that creates an instance under the layer {how} {died}"),
            "please report it with the output of VK_LOADER_DEBUG=all",
        );
    } else if let Some(library) = library.filter(|library| told.layer_loaded && created && !mapped(library)) {
        findings.problem(
            "layer-other-library",
            format!(
                "an instance was created under the layer {how}, and with another library than {}",
                library.display()
            ),
            "remove the other manifests of the layer, or name their library with --layer",
        );
    } else if told.layer_loaded && created {
        findings.ok("layer-loaded", format!("an instance was created under the layer {how}"));
    } else if !created {
        // Without the layer the same was tried before: where that failed too, it is said already.
        findings.problem(
            "layer-no-instance",
            format!("no instance can be created under the layer {how}"),
            "mend what is named above; if nothing is, VK_LOADER_DEBUG=all shows why",
        );
    } else {
        let remedy = match sound {
            true => "VK_LOADER_DEBUG=layer shows which layers the loader reads and why it leaves them out",
            false => "mend what is named above",
        };
        findings.problem(
            "layer-not-loaded",
            format!("an instance was created, and the layer was not loaded {how}"),
            remedy,
        );
    }
}
