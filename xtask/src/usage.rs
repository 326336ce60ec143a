//! Commands that are called the wrong way: said in a line, and exit code 2.

use std::fmt;

/// What is wrong with the arguments, and how it is meant.
#[derive(Debug)]
pub struct Usage(pub String);

impl Usage {
    /// An argument that the command does not take (or not again).
    pub fn unexpected(argument: &str, usage: &str) -> Self {
        Self(format!("unexpected argument {argument:?}. Usage: {usage}"))
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Whether `--check` is given; nothing else may be.
pub fn check_only(command: &str, arguments: &[String]) -> Result<bool, Usage> {
    match arguments {
        [] => Ok(false),
        [check] if check == "--check" => Ok(true),
        [first, ..] => {
            let unknown = arguments.iter().find(|argument| *argument != "--check").unwrap_or(first);
            Err(Usage::unexpected(unknown, &format!("cargo xtask {command} [--check]")))
        }
    }
}
