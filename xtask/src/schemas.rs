//! `cargo xtask schemas [--check]`: the JSON schemas that `tilelens schema` prints, as files.
//!
//! Descriptions come from the doc comments of the types. What only rustdoc and this project's readers understand in them is put into
//! words for whoever reads a schema.

use crate::output::{self, Generated};
use crate::usage::check_only;
use anyhow::Result;
use schemars::Schema;
use schemars::transform::{RecursiveTransform, Transform};
use serde_json::Value;

/// Words of the code, and what stands for them in a schema.
const WORDS: [(&str, &str); 4] = [
    ("[`SCHEMA`].", "Name and version of this format."),
    ("[`VERSION`] of the writer.", "Version of this format."),
    ("Hostile: escape it wherever it is shown.", FOREIGN),
    ("Hostile.", FOREIGN),
];
const FOREIGN: &str = "It may hold anything: escape it wherever it is shown.";

/// Runs the command.
pub fn run(arguments: &[String]) -> Result<()> {
    let check = check_only("schemas", arguments)?;
    let text = |mut schema: Schema| {
        translate(&mut schema);
        serde_json::to_string_pretty(&schema).map(|text| text + "\n")
    };
    let files = [
        Generated { path: "docs/schema/report.json", text: text(schemars::schema_for!(tbdr_model::report::Report))? },
        Generated { path: "docs/schema/capture.json", text: text(tilelens_capture::schema())? },
        Generated { path: "docs/schema/config.json", text: text(tilelens_config::schema())? },
    ];
    output::deliver(&files, check)
}

/// Puts every description into a reader's words.
fn translate(schema: &mut Schema) {
    RecursiveTransform(|schema: &mut Schema| {
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = in_words(text);
        }
    })
    .transform(schema);
}

fn in_words(description: &str) -> String {
    let mut text = WORDS.iter().fold(description.to_string(), |text, (code, words)| text.replace(code, words));
    // Links to items: their names stay, without the path.
    for (link, plain) in [("[`", "`"), ("`]", "`"), ("`crate::", "`"), ("`super::", "`")] {
        text = text.replace(link, plain);
    }
    // `[words](path)`: the words stay.
    while let Some((before, words, after)) = first_link(&text) {
        text = format!("{before}{words}{after}");
    }
    text
}

/// What stands before the first link with words of its own, the words, and what stands after it.
fn first_link(text: &str) -> Option<(&str, &str, &str)> {
    let (head, tail) = text.split_once("](")?;
    let (before, words) = head.rsplit_once('[')?;
    let (_, after) = tail.split_once(')')?;
    Some((before, words, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_say_nothing_that_only_rustdoc_understands() {
        for schema in [schemars::schema_for!(tbdr_model::report::Report), tilelens_capture::schema()] {
            let mut after = schema.clone();
            translate(&mut after);
            let (before, after) = (schema.as_value().to_string(), after.as_value().to_string());
            for code in ["[`", "`]", "](", "Hostile", "crate::", "super::"] {
                assert!(!after.contains(code), "{code}");
            }
            assert!(before.contains("[`") && before.contains("Hostile"), "the types still say it their way");
        }
        let mut config = tilelens_config::schema();
        translate(&mut config);
        assert!(!config.as_value().to_string().contains("[`"), "nor of the configuration");
    }
}
