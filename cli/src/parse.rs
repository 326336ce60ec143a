//! The command line, and what was meant by a subcommand that there is none of.
//!
//! The parser suggests by a likeness that is too coarse for words of three letters, and suggests hidden subcommands too.

use crate::Cli;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{CommandFactory, Parser};

/// Parses the arguments of this process, or ends it with a message.
pub fn parse() -> Cli {
    Cli::try_parse().unwrap_or_else(|mut error| {
        if error.kind() == ErrorKind::InvalidSubcommand {
            suggest(&mut error);
        }
        error.exit()
    })
}

fn suggest(error: &mut Error) {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let by_parser = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(names)) => names.clone(),
        _ => Vec::new(),
    };
    let cli = Cli::command();
    let names = cli.get_subcommands().filter(|command| !command.is_hide_set()).map(|command| command.get_name());
    // One letter too many, too few, another one, or two in the other order.
    let near =
        |name: &&str| strsim::damerau_levenshtein(typed, name) <= 1 || by_parser.iter().any(|known| known == name);
    let meant: Vec<String> = names.filter(near).map(String::from).collect();
    match meant.is_empty() {
        true => drop(error.remove(ContextKind::SuggestedSubcommand)),
        false => drop(error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(meant))),
    }
}
