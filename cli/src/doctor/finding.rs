//! What the examination found: one thing each, with its remedy.

use serde::Serialize;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// As it should be.
    Ok,
    /// Works, and may surprise.
    Warning,
    /// Keeps Tilelens from working, or from working as asked.
    Problem,
}

impl Status {
    /// The status as a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Name of the check that scripts may rely on, e.g. `layer-library-missing`.
    pub code: &'static str,
    /// How bad it is.
    pub status: Status,
    /// What is so. One line.
    pub what: String,
    /// What to do about it. One line; empty where nothing is to be done.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub remedy: String,
}

/// The findings so far, in the order of the examination.
#[derive(Debug, Default)]
pub struct Findings(pub Vec<Finding>);

impl Findings {
    /// Something is as it should be.
    pub fn ok(&mut self, code: &'static str, what: impl Into<String>) {
        self.push(Status::Ok, code, what.into(), String::new());
    }

    /// Something works and may surprise.
    pub fn warning(&mut self, code: &'static str, what: impl Into<String>, remedy: impl Into<String>) {
        self.push(Status::Warning, code, what.into(), remedy.into());
    }

    /// Something does not work.
    pub fn problem(&mut self, code: &'static str, what: impl Into<String>, remedy: impl Into<String>) {
        self.push(Status::Problem, code, what.into(), remedy.into());
    }

    /// A problem if it stands in the way of what was asked for, else a warning.
    pub fn problem_if(
        &mut self,
        matters: bool,
        code: &'static str,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        let status = if matters { Status::Problem } else { Status::Warning };
        self.push(status, code, what.into(), remedy.into());
    }

    /// How many findings have this status.
    pub fn count(&self, status: Status) -> usize {
        self.0.iter().filter(|finding| finding.status == status).count()
    }

    fn push(&mut self, status: Status, code: &'static str, what: String, remedy: String) {
        self.0.push(Finding { code, status, what, remedy });
    }
}
