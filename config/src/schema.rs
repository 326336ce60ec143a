//! How the values of tilelens.toml describe themselves in a JSON schema.
//!
//! Rules and levels are told in the spelling of `tilelens rules`, so that an editor completes them and marks what is none; the program
//! also takes upper and lower case for the same.

use crate::tables::Config;
use crate::values::{Denied, LevelWord, Limit, Pattern, RuleName, Tolerance};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use tbdr_model::rules::{Level, RULES};

/// Bytes with a unit, as [`crate::Amount`] reads them where they are per frame.
const BYTES: &str = r"([0-9]+\.?[0-9]*|\.[0-9]+)\s*(B|[kK]B|MB|GB|KiB|MiB|GiB)?\s*(/frame)?";

/// The schema of the file.
pub fn schema() -> Schema {
    schemars::schema_for!(Config)
}

fn rules() -> Vec<&'static str> {
    RULES.iter().map(|rule| rule.code).chain(RULES.iter().map(|rule| rule.name)).collect()
}

/// Levels that findings can have, quietest first.
fn levels() -> impl Iterator<Item = &'static str> {
    Level::ALL.into_iter().filter(|level| *level != Level::Off).map(Level::name)
}

/// A type that stands in the schema where it is used.
macro_rules! inline {
    ($type:ty, $name:literal, $schema:expr) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

inline!(
    Limit,
    "Limit",
    json_schema!({
        "anyOf": [
            { "type": "integer", "minimum": 0 },
            { "type": "string", "pattern": format!(r"^\s*(none|{BYTES})\s*$") },
        ]
    })
);
inline!(
    Tolerance,
    "Tolerance",
    json_schema!({
        "anyOf": [
            { "type": "integer", "minimum": 0 },
            { "type": "string", "pattern": format!(r"^\s*([0-9.]+\s*%|{BYTES})\s*$") },
        ]
    })
);
inline!(RuleName, "Rule", json_schema!({ "type": "string", "enum": rules() }));
inline!(Denied, "Denied", json_schema!({ "type": "string", "enum": levels().chain(rules()).collect::<Vec<_>>() }));
inline!(
    LevelWord,
    "Level",
    json_schema!({ "type": "string", "enum": Level::ALL.map(Level::name).into_iter().chain(["deny"]).collect::<Vec<_>>() })
);
inline!(Pattern, "Pattern", json_schema!({ "type": "string", "pattern": r"\S" }));

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    /// Words that the schema of a type allows, each as the type reads it.
    fn read<'de, T: JsonSchema + Deserialize<'de>>() -> Vec<Result<T, toml::de::Error>> {
        let schema = T::json_schema(&mut SchemaGenerator::default());
        let words: Vec<String> = match schema.get("enum").and_then(|words| words.as_array()) {
            Some(words) => words.iter().filter_map(|word| word.as_str()).map(String::from).collect(),
            None => Vec::new(),
        };
        words.into_iter().map(|word| T::deserialize(toml::Value::String(word))).collect()
    }

    #[test]
    fn every_word_that_the_schema_allows_is_one_that_the_program_takes() {
        let rules = read::<RuleName>();
        assert!(rules.len() == 2 * RULES.len() && rules.iter().all(Result::is_ok), "{rules:?}");
        let denied = read::<Denied>();
        assert!(denied.len() == 2 * RULES.len() + 4 && denied.iter().all(Result::is_ok), "{denied:?}");
        let levels = read::<LevelWord>();
        assert!(levels.len() == 6 && levels.iter().all(Result::is_ok), "{levels:?}");
    }

    #[test]
    fn a_table_of_the_schema_allows_no_other_key_than_the_program() {
        let schema = schema();
        let keys = |table: &str| -> Vec<String> {
            let at = if table.is_empty() { String::new() } else { format!("/$defs/{table}") };
            let table = schema.pointer(&at).expect(&at);
            assert_eq!(table["additionalProperties"], false, "{at}");
            table["properties"].as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
        };
        for (of, start) in
            [("", ""), ("Gpus", "[gpus]"), ("Budget", "[budget]"), ("Limits", "[budget.gpu.a]"), ("Allow", "[[allow]]")]
        {
            let error = toml::from_str::<Config>(&format!("{start}\nno_such_key = 1\n")).expect_err("an unknown key");
            let mut known: Vec<&str> = error.message().split('`').skip(3).step_by(2).collect();
            known.sort_unstable();
            assert_eq!(keys(of), known, "{start}");
        }
    }
}
