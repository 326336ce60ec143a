//! How a rule is declared: metadata, and a doc comment that is the manual `tilelens explain` prints.

use super::{Candidate, Evidence};
use alloc::vec::Vec;

/// One piece of advice.
#[derive(Debug)]
pub struct Rule {
    /// Never reused, e.g. `TL006`.
    pub code: &'static str,
    /// Names the bad pattern and reads well after "allow".
    pub name: &'static str,
    /// What it is about.
    pub category: Category,
    /// Unless the `rule_levels` setting says otherwise.
    pub level: Level,
    /// Version that brought it.
    pub since: &'static str,
    /// Codes of the more general rules that stay silent about what this one reports.
    pub speaks_before: &'static [&'static str],
    /// What its savings count where they are no bytes ([`Quantity::Work`](crate::report::Quantity::Work) and
    /// [`Quantity::Count`](crate::report::Quantity::Count)): one of them, and several. `None` of a rule that counts bytes alone.
    pub counts: Option<[&'static str; 2]>,
    /// The manual, as Markdown.
    pub manual: &'static str,
    /// Finds candidates; the engine prices them.
    pub check: fn(&Evidence<'_>) -> Vec<Candidate>,
}

impl Rule {
    /// The rule with this code.
    pub fn by_code(code: &str) -> Option<&'static Self> {
        super::RULES.iter().find(|rule| rule.code == code).copied()
    }
}

/// Groups of rules, by the hundreds of their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// TL0xx.
    LoadStoreClear,
    /// TL1xx.
    TransientMemory,
    /// TL2xx.
    Subpasses,
    /// TL3xx.
    Multisampling,
    /// TL4xx.
    Compression,
    /// TL5xx.
    Scheduling,
}

impl Category {
    /// What people read.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LoadStoreClear => "load, store, clear",
            Self::TransientMemory => "transient attachments and memory",
            Self::Subpasses => "subpasses, merging, on-tile budget",
            Self::Multisampling => "multisampling",
            Self::Compression => "layouts, transaction elimination, compression",
            Self::Scheduling => "barriers and scheduling",
        }
    }

    /// First digit of the codes.
    pub const fn digit(self) -> char {
        match self {
            Self::LoadStoreClear => '0',
            Self::TransientMemory => '1',
            Self::Subpasses => '2',
            Self::Multisampling => '3',
            Self::Compression => '4',
            Self::Scheduling => '5',
        }
    }
}

/// How loud a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Opt-in.
    Off,
    /// Worth knowing; never fails a check.
    Note,
    /// The cost is an estimate or a bound, or a matter of taste.
    Info,
    /// Costs bytes for sure.
    Warn,
    /// Contents are undefined, or the result differs between GPUs.
    Hazard,
}

impl Level {
    /// Every level.
    pub const ALL: [Self; 5] = [Self::Off, Self::Note, Self::Info, Self::Warn, Self::Hazard];

    /// The word in settings and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Note => "note",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Hazard => "hazard",
        }
    }

    /// The level of a word.
    pub fn by_name(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == word)
    }
}

/// Declares a rule: the doc comment becomes its manual.
macro_rules! rule {
    ($(#[doc = $line:literal])+ $name:ident {
        code: $code:literal,
        name: $kebab:literal,
        category: $category:ident,
        level: $level:ident,
        since: $since:literal,
        speaks_before: $before:expr,
        $(counts: $counts:expr,)?
        check: $check:path $(,)?
    }) => {
        $(#[doc = $line])+
        pub static $name: $crate::rules::Rule = $crate::rules::Rule {
            code: $code,
            name: $kebab,
            category: $crate::rules::Category::$category,
            level: $crate::rules::Level::$level,
            since: $since,
            speaks_before: $before,
            counts: $crate::rules::counts!($($counts)?),
            manual: concat!($($line, "\n"),+),
            check: $check,
        };
    };
}
pub(crate) use rule;

/// What a rule counts, if it says so.
macro_rules! counts {
    () => {
        None
    };
    ($counts:expr) => {
        Some($counts)
    };
}
pub(crate) use counts;
