//! From the text of a source to a typed value, by the kind of the setting.

use crate::frames::FrameSet;
use crate::setting::Kind;
use std::path::PathBuf;

/// A value that fits its setting's [`Kind`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Of [`Kind::Bool`].
    Bool(bool),
    /// Of [`Kind::Uint`].
    Uint(u32),
    /// Of [`Kind::Choice`]: index into its choices.
    Choice(usize),
    /// Of [`Kind::List`] and [`Kind::Rules`].
    List(Vec<String>),
    /// Of [`Kind::Folder`].
    Folder(PathBuf),
    /// Of [`Kind::File`]; empty text is none.
    File(Option<PathBuf>),
    /// Of [`Kind::Frames`]; `None` is every frame.
    Frames(Option<FrameSet>),
    /// Of [`Kind::Text`]; empty text is none.
    Text(Option<String>),
}

impl Value {
    /// Reads `items`: one text, or several where the API gives a list. `None` if it does not fit.
    pub(crate) fn parse(kind: &Kind, items: &[String]) -> Option<Self> {
        if let Kind::List { may_be_empty, .. } = kind {
            let list: Vec<_> = items.iter().flat_map(|item| split_list(item)).collect();
            return (*may_be_empty || !list.is_empty()).then_some(Self::List(list));
        }
        if let Kind::Rules(item) = kind {
            return Some(Self::List(item.parse_all(items).0));
        }
        if let Kind::Frames = kind {
            return FrameSet::parse(&items.join(",")).ok().map(Self::Frames);
        }
        let [text] = items else { return None };
        let text = text.trim();
        Some(match kind {
            Kind::Bool => Self::Bool(match text.to_ascii_lowercase().as_str() {
                "true" | "on" => true,
                "false" | "off" => false,
                number => number.parse::<i64>().ok()? != 0,
            }),
            Kind::Uint { min, max, .. } => Self::Uint(text.parse().ok().filter(|n| (min..=max).contains(&n))?),
            Kind::Choice(choices) => Self::Choice(choices.iter().position(|c| c.name.eq_ignore_ascii_case(text))?),
            Kind::Folder => Self::Folder((!text.is_empty()).then(|| text.into())?),
            Kind::File => Self::File((!text.is_empty()).then(|| text.into())),
            Kind::Text => Self::Text((!text.is_empty()).then(|| text.into())),
            Kind::List { .. } | Kind::Rules(_) | Kind::Frames => return None,
        })
    }

    /// Items that [`Value::parse`] drops from a list that fits otherwise, and why.
    pub(crate) fn left_out(kind: &Kind, items: &[String]) -> Option<(String, String)> {
        let Kind::Rules(item) = kind else { return None };
        item.parse_all(items).1.map(|(left_out, reason)| (left_out, reason.to_string()))
    }
}

/// Splits at commas, else at the path separator, as the utility libraries do; empty items vanish.
fn split_list(text: &str) -> Vec<String> {
    let separator = match text.contains(',') {
        true => ',',
        false if cfg!(windows) => ';',
        false => ':',
    };
    text.split(separator).map(str::trim).filter(|item| !item.is_empty()).map(String::from).collect()
}
