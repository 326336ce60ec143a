//! The values of tilelens.toml that are more than a word or a number, each with what it may be when it is not.

use crate::amount::{Amount, NotAnAmount};
use crate::tables::Rules;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use tbdr_model::rules::{Level, Rule};
use tbdr_model::text::shown;
use tilelens_manifest::find_rule;

/// A number of bytes that may move, or no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// So many bytes per frame.
    Bytes(u64),
    /// `none`: no limit, where a more general one would hold.
    None,
}

const A_LIMIT: &str =
    "a number of bytes per frame: `1048576`, `\"1 MiB\"` (2^20 bytes), `\"1.5 MB\"` (10^6), or `\"none\"`";

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Words;
        impl Visitor<'_> for Words {
            type Value = Limit;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(A_LIMIT)
            }
            fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<Limit, E> {
                u64::try_from(bytes).map(Limit::Bytes).map_err(|_| E::custom(format!("`{bytes}` is not {A_LIMIT}")))
            }
            fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<Limit, E> {
                Ok(Limit::Bytes(bytes))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Limit, E> {
                match text.trim() {
                    "none" => Ok(Limit::None),
                    text => bytes(text).map(Limit::Bytes).map_err(|why| E::custom(format!("{why}; write {A_LIMIT}"))),
                }
            }
        }
        from.deserialize_any(Words)
    }
}

/// Bytes per frame from a text with a unit.
fn bytes(text: &str) -> Result<u64, String> {
    let of_rates = |_| format!("`{}` is per second, and a budget is per frame", shown(text, 60));
    match text.parse::<Amount>() {
        Ok(amount) if amount.per_second => Err(of_rates(())),
        // Not negative and below 2^53: the parser sees to that.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Ok(amount) => Ok(amount.bytes.round() as u64),
        Err(NotAnAmount::Unit(unit)) => Err(format!("`{unit}` is no unit")),
        Err(other) => Err(other.to_string()),
    }
}

/// By how much something may grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// So many bytes.
    Bytes(u64),
    /// So many percent.
    Percent(f64),
}

impl Default for Tolerance {
    fn default() -> Self {
        Self::Bytes(0)
    }
}

impl Tolerance {
    /// The most that `before` may become.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Saturates.
    pub fn most(self, before: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => before.saturating_add(bytes),
            Self::Percent(percent) => before.saturating_add((before as f64 * percent / 100.0) as u64),
        }
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(0) => f.write_str("nothing"),
            Self::Bytes(bytes) => write!(f, "{bytes} bytes"),
            Self::Percent(percent) => write!(f, "{percent} %"),
        }
    }
}

const A_TOLERANCE: &str = "a share `\"2 %\"`, or a number of bytes: `4096`, `\"64 KiB\"`";

impl<'de> Deserialize<'de> for Tolerance {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Words;
        impl Visitor<'_> for Words {
            type Value = Tolerance;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(A_TOLERANCE)
            }
            fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<Tolerance, E> {
                let bytes = u64::try_from(bytes).map(Tolerance::Bytes);
                bytes.map_err(|_| E::custom(format!("a tolerance is not negative; write {A_TOLERANCE}")))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Tolerance, E> {
                let wrong = |why: String| E::custom(format!("{why}; write {A_TOLERANCE}"));
                let Some(share) = text.trim().strip_suffix('%') else {
                    return bytes(text).map(Tolerance::Bytes).map_err(wrong);
                };
                match share.trim().parse::<f64>() {
                    Ok(percent) if percent.is_finite() && (0.0..=1e6).contains(&percent) => {
                        Ok(Tolerance::Percent(percent))
                    }
                    _ => Err(wrong(format!("`{}` is no share", shown(text, 60)))),
                }
            }
        }
        from.deserialize_any(Words)
    }
}

/// Code of a rule, from its code or name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleName(pub &'static str);

impl<'de> Deserialize<'de> for RuleName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = String::deserialize(from)?;
        find_rule(&word).map(|rule| Self(rule.code)).map_err(de::Error::custom)
    }
}

/// Levels by rule, of each rule one: its code and its name mean the same.
pub(crate) fn each_once<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<RuleName, LevelWord>, D::Error> {
    struct Levels;
    impl<'de> Visitor<'de> for Levels {
        type Value = BTreeMap<RuleName, LevelWord>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table of rules, each with its level: `TL006 = \"deny\"`")
        }
        fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut levels = BTreeMap::new();
            while let Some((rule, word)) = map.next_entry::<RuleName, LevelWord>()? {
                let RuleName(code) = rule;
                if levels.insert(rule, word).is_some() {
                    return Err(de::Error::custom(format!(
                        "{code} has two levels here, one by its code and one by its name: keep one"
                    )));
                }
            }
            Ok(levels)
        }
    }
    from.deserialize_map(Levels)
}

/// What `deny` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denied {
    /// Findings of this rule, by its code.
    Rule(&'static str),
    /// Findings of this level, and of louder ones.
    Level(Level),
}

impl<'de> Deserialize<'de> for Denied {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = String::deserialize(from)?;
        match Level::by_name(word.trim()) {
            Some(Level::Off) => Err(de::Error::custom("`off` denies nothing: write `deny = []`")),
            Some(level) => Ok(Self::Level(level)),
            None => find_rule(&word).map(|rule| Self::Rule(rule.code)).map_err(|why| {
                de::Error::custom(format!("{why}, and levels to deny are `note`, `info`, `warn` and `hazard`"))
            }),
        }
    }
}

/// The level of a rule, or that its findings fail whatever their level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelWord {
    /// A level.
    Level(Level),
    /// Its findings fail.
    Deny,
}

impl<'de> Deserialize<'de> for LevelWord {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = String::deserialize(from)?;
        match word.trim() {
            "deny" => Ok(Self::Deny),
            word => Level::by_name(word).map(Self::Level).ok_or_else(|| {
                let levels = Level::ALL.map(Level::name).join("`, `");
                de::Error::custom(format!("`{}` is no level; write `{levels}` or `deny`", shown(word, 60)))
            }),
        }
    }
}

/// A pattern of identities: `*` stands for any characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(pub String);

impl Pattern {
    /// Whether it fits an identity.
    pub fn fits(&self, id: &str) -> bool {
        tbdr_model::policy::matches(&self.0, id)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        match text.trim().is_empty() {
            true => {
                Err(de::Error::custom("an empty pattern fits nothing: write an identity, with `*` for any characters"))
            }
            false => Ok(Self(text)),
        }
    }
}

/// The setting of the model that says the same as these rules: their levels, and that a rule which is denied is not off.
pub fn rule_levels(rules: &Rules) -> String {
    let mut levels: BTreeMap<&str, Level> = BTreeMap::new();
    let named = rules.deny.iter().filter_map(|denied| match denied {
        Denied::Rule(code) => Some(*code),
        Denied::Level(_) => None,
    });
    let denied = rules.levels.iter().filter(|(_, word)| **word == LevelWord::Deny).map(|(rule, _)| rule.0).chain(named);
    for code in denied {
        if Rule::by_code(code).is_some_and(|rule| rule.level == Level::Off) {
            levels.insert(code, Level::Warn);
        }
    }
    levels.extend(rules.levels.iter().filter_map(|(rule, word)| match word {
        LevelWord::Level(level) => Some((rule.0, *level)),
        LevelWord::Deny => None,
    }));
    levels.iter().map(|(code, level)| format!("{code}={}", level.name())).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(value: &str) -> Result<Limit, String> {
        #[derive(serde::Deserialize)]
        struct Is {
            is: Limit,
        }
        toml::from_str::<Is>(&format!("is = {value}")).map(|is| is.is).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_limit_is_bytes_or_bytes_in_a_unit_that_says_which() {
        for (text, bytes) in [("0", 0), ("1048576", 1 << 20), ("'12.5 MiB'", 13_107_200), ("'1.5MB'", 1_500_000)] {
            assert_eq!(limit(text), Ok(Limit::Bytes(bytes)), "{text}");
        }
        assert_eq!(limit("'none'"), Ok(Limit::None));
        for (text, words) in [
            ("-1", "`-1` is not a number of bytes"),
            ("1.5", "MiB"),
            ("true", "MiB"),
            ("'12 Mb'", "`Mb` is no unit"),
            ("'60 MB/s'", "per second"),
            ("'much'", "not a number"),
            ("''", "not a number"),
            ("'99999999999999999999 GB'", "not a number"),
        ] {
            let told = limit(text).expect_err(text);
            assert!(told.contains(words) && told.contains("MiB"), "{text}: {told}");
        }
    }

    #[test]
    fn a_tolerance_of_percent_grows_with_what_it_is_of_and_never_overflows() {
        assert_eq!(Tolerance::Percent(2.5).most(1000), 1025);
        assert_eq!(Tolerance::Bytes(u64::MAX).most(1), u64::MAX);
        assert_eq!(Tolerance::Percent(1e6).most(u64::MAX), u64::MAX);
        assert_eq!(Tolerance::default().most(7), 7);
    }
}
