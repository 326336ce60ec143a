//! The stored counts: `instructions.toml`, with the compiler and architecture that they are of.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::process::Command as Process;
use tilelens_tests::artefacts;
use tilelens_tests::workload::Command;

/// Where they are, from the root of the tree.
pub const FILE: &str = "tests/benches/callgrind/instructions.toml";

/// Stored counts.
pub struct Stored {
    /// As [`build`] names it.
    pub build: String,
    counts: BTreeMap<String, f64>,
}

/// What counts depend on besides the source: compiler (major and minor version) and architecture.
pub fn build() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Process::new(&rustc).arg("--version").output().unwrap_or_else(|e| panic!("{rustc:?}: {e}"));
    let version = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = version.split_whitespace().nth(1).unwrap_or("of an unknown version");
    let minor = version.rsplit_once('.').map_or(version, |(minor, _)| minor);
    format!("rustc {minor}, {}", std::env::consts::ARCH)
}

impl Stored {
    /// Reads the file.
    pub fn read() -> Self {
        let text = fs::read_to_string(artefacts::workspace().join(FILE)).unwrap_or_else(|e| panic!("{FILE}: {e}"));
        let table: toml::Table = text.parse().unwrap_or_else(|e| panic!("{FILE}: {e}"));
        let build = table.get("build").and_then(toml::Value::as_str).unwrap_or_else(|| panic!("{FILE}: no build"));
        let counts = table.get("added").and_then(toml::Value::as_table).unwrap_or_else(|| panic!("{FILE}: no [added]"));
        let number = |value: &toml::Value| value.as_float().or(value.as_integer().map(|n| n as f64));
        let counts = counts.iter().filter_map(|(name, value)| Some((name.clone(), number(value)?))).collect();
        Self { build: build.to_owned(), counts }
    }

    /// Writes the file.
    pub fn write(build: &str, counts: &[(Command, f64)]) {
        let mut text = format!(
            "# Instructions that the layer adds to a call, release profile, over the fake driver. Written by\n\
             # TILELENS_BLESS=1 cargo bench -p tilelens-tests --bench callgrind\n\
             build = \"{build}\"\n\n[added]\n"
        );
        for (command, count) in counts {
            writeln!(text, "{} = {count:.1}", command.name()).unwrap();
        }
        fs::write(artefacts::workspace().join(FILE), text).unwrap_or_else(|e| panic!("{FILE}: {e}"));
    }

    /// The stored count of a command; `None` for a command that is newer than the counts.
    pub fn of(&self, command: Command) -> Option<f64> {
        self.counts.get(command.name()).copied()
    }
}
