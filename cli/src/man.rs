//! `tilelens man`: the manual pages.

use crate::{Cli, output};
use anyhow::{Context, Result, bail};
use clap::CommandFactory;
use clap_mangen::Man;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print a manual page, or write all of them.
///
/// `tilelens man | man -l -` shows the first; `tilelens man run` is the page of `tilelens run`.
#[derive(clap::Args)]
pub struct Args {
    /// The subcommand whose page is printed [default: the page of the command itself].
    command: Option<String>,
    /// Folder to write every page to, as tilelens.1, tilelens-run.1, …
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    output: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    let mut cli = Cli::command();
    cli.build();
    let pages: Vec<_> = std::iter::once(&cli)
        .chain(cli.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help"))
        .cloned()
        .collect();
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        for page in pages {
            let path = folder.join(format!("{}.1", name(&page)));
            output::deliver(&text(page)?, Some(&path))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let wanted = args.command.as_deref().unwrap_or("tilelens");
    let names: Vec<_> = pages.iter().map(|page| page.get_name().to_owned()).collect();
    match pages.into_iter().find(|page| page.get_name() == wanted) {
        Some(page) => output::deliver(&text(page)?, None)?,
        None => bail!("no page of `{}`; there are {}", tbdr_model::text::shown(wanted, 60), names.join(", ")),
    }
    Ok(ExitCode::SUCCESS)
}

/// A subcommand's page is named after both, once the command is built.
fn name(page: &clap::Command) -> String {
    page.get_display_name().unwrap_or(page.get_name()).to_owned()
}

fn text(page: clap::Command) -> Result<String> {
    let mut page_text = Vec::new();
    Man::new(page.clone()).title(name(&page)).render(&mut page_text).context("cannot make the page")?;
    Ok(String::from_utf8_lossy(&page_text).into_owned())
}
