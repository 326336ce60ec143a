//! What a check comes to: what is wrong, and what every budget used. This is `tilelens.check/1`; renderers compute nothing more.

use crate::ledger::{Cause, Sum};
use serde::Serialize;
use tbdr_model::report::{Basis, Direction};

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It fails the check.
    Deny,
    /// It is told.
    Warn,
    /// It is in the JSON, and in the text where it is short.
    Note,
}

/// What something is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A budget is exceeded.
    Budget,
    /// More moves than in the baseline.
    Baseline,
    /// A finding of a rule.
    Rule,
    /// A finding that an `[[allow]]` speaks for.
    Allowed,
    /// An `[[allow]]` that nothing needs.
    UnusedAllow,
    /// A budget holds for what is decided alone.
    Undecided,
    /// Frames are missing.
    Gaps,
    /// Something about the check itself.
    Note,
}

/// What a budget is of. A quantity of another unit (the efficiency of a frame, say) would be one more here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Bytes read from DRAM.
    Read,
    /// Bytes written to DRAM.
    Write,
    /// Both.
    Total,
    /// Both, of transfer commands alone.
    Transfers,
    /// Bytes that findings would save.
    Avoidable,
}

impl Quantity {
    /// Words for the bytes.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "written",
            Self::Total => "read and written",
            Self::Transfers => "moved by transfers",
            Self::Avoidable => "avoidable",
        }
    }
}

/// A figure of a budget or baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// What it is of.
    pub quantity: Quantity,
    /// Bytes per frame.
    pub value: u64,
    /// The most that is allowed.
    pub limit: u64,
    /// Bytes above that; 0 within it.
    pub over: u64,
    /// How far the value may be off.
    pub basis: Basis,
    /// Entries of the ledger that are undecided, and not in the value.
    pub undecided_entries: u64,
    /// Bytes that the driver may move beyond the value, by running passes another way (`alternative` in the report).
    pub alternative_bytes: u64,
}

impl Figure {
    /// A sum beside its limit.
    pub fn new(quantity: Quantity, sum: Sum, limit: u64) -> Self {
        let Sum { basis, undecided: undecided_entries, .. } = sum;
        Self { basis, undecided_entries, ..Self::of_bytes(quantity, sum.total().0, limit) }
    }

    /// Bytes that are known beside their limit.
    pub fn of_bytes(quantity: Quantity, value: u64, limit: u64) -> Self {
        let over = value.saturating_sub(limit);
        Self { quantity, value, limit, over, basis: Basis::Exact, undecided_entries: 0, alternative_bytes: 0 }
    }

    /// Whether it is within the limit, and may yet not be: entries are undecided, or the driver's choice is not certain.
    pub fn in_doubt(&self) -> bool {
        let most = self.value.saturating_add(self.alternative_bytes);
        self.over == 0 && (self.undecided_entries > 0 || most > self.limit)
    }
}

/// Where something is. Identities are hostile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Scope {
    /// GPU id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// Identity of a pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass: Option<String>,
    /// Identity of a transfer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer: Option<String>,
    /// Identity of an image, or the pattern of a budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachment: Option<String>,
    /// Ranges `[first, last, stride]` of frames.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<[u64; 3]>,
}

/// Part of a sum, or of what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CausePart {
    /// Image or buffer. Hostile.
    pub attachment: String,
    /// `color`, `depth`, `stencil` or `buffer`.
    pub aspect: String,
    /// `load`, `store`, `resolve`, …
    pub cause: String,
    /// Seen from the GPU.
    pub direction: Direction,
    /// Pass or transfer, where the scope is a whole frame. Hostile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Bytes per frame in the baseline; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// Bytes per frame.
    pub bytes: u64,
}

impl CausePart {
    /// A cause that moves so many bytes.
    pub fn new(cause: &Cause<'_>, place: Option<&str>, before: Option<u64>, bytes: u64) -> Self {
        Self {
            attachment: cause.resource.into(),
            aspect: cause.aspect.into(),
            cause: cause.cause.into(),
            direction: cause.direction,
            place: place.map(String::from),
            before,
            bytes,
        }
    }
}

/// Something that is wrong, or should be known.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    /// What it is.
    pub kind: Kind,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence that says all. Foreign text in it is escaped.
    pub message: String,
    /// Where.
    #[serde(flatten)]
    pub scope: Scope,
    /// Code of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The figure that is exceeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figure: Option<Figure>,
    /// What it consists of, or what grew: the largest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<CausePart>,
    /// What to do about it. Foreign text in it is escaped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Problem {
    /// A problem that is told in a sentence.
    pub fn new(kind: Kind, severity: Severity, scope: Scope, message: String) -> Self {
        Self { kind, severity, message, scope, code: None, figure: None, causes: Vec::new(), help: None }
    }
}

/// What a budget used.
#[derive(Clone, Debug, Serialize)]
pub struct Used {
    /// Where.
    #[serde(flatten)]
    pub scope: Scope,
    /// How much, in the frame that uses most.
    #[serde(flatten)]
    pub figure: Figure,
    /// Whether it is within the limit, as far as is decided.
    pub within: bool,
    /// What the limit is.
    pub against: Against,
}

/// Where a limit comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Against {
    /// A budget of the configuration.
    Budget,
    /// The baseline, with its tolerance.
    Baseline,
}

/// Everything.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What is wrong, or should be known.
    pub problems: Vec<Problem>,
    /// Budgets, in the order of the configuration.
    pub budgets: Vec<Used>,
}

impl Outcome {
    /// Whether nothing fails the check.
    pub fn passed(&self) -> bool {
        self.problems.iter().all(|problem| problem.severity != Severity::Deny)
    }

    /// How many problems are this bad.
    pub fn count(&self, severity: Severity) -> usize {
        self.problems.iter().filter(|problem| problem.severity == severity).count()
    }
}
