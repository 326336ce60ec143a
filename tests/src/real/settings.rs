//! Settings of the layer for real programs.

use crate::sandbox::{Folder, PREFIX};
use std::process::Command;

/// Sends captures, reports and log of a program to a folder and sets settings by key.
pub fn apply(command: &mut Command, folder: &Folder, settings: &[(&str, &str)]) {
    folder.tell(command);
    for (key, value) in settings {
        command.env(format!("{PREFIX}{}", key.to_uppercase()), value);
    }
}
