//! A row of the table: a published figure, the model's figure, and how near they must be.

use std::fmt::Write;
use tbdr_model::ledger::MEASURED;

/// How much of an uncompressed attachment is left when the GPU compresses it: the interval that published measurements of real
/// content span.
pub const COMPRESSED: [f64; 2] = [MEASURED[0] as f64 / 1000.0, MEASURED[2] as f64 / 1000.0];

/// A published figure beside the model's.
pub struct Row {
    /// Number of the row.
    pub id: &'static str,
    /// What changes, or is counted.
    pub what: &'static str,
    /// Unit of both figures.
    pub unit: &'static str,
    /// The published figure.
    pub measured: f64,
    /// The model's.
    pub modelled: f64,
    /// How near.
    pub tolerance: Tolerance,
}

/// How near the figures must be.
pub enum Tolerance {
    /// Measured over modelled differs from 1 by at most this.
    Within(f64),
    /// The model says that nothing changes, to the byte; what was measured changed by at most this part of what it was before (`traffic`).
    Zero { traffic: f64, noise: f64 },
    /// The model's figure is uncompressed; what is left of it is in [`COMPRESSED`].
    Left,
    /// The model's figure is uncompressed; what compression took away leaves a part in [`COMPRESSED`].
    TakenAway,
    /// The model's figure is a bound: the measured one has its sign and is no larger.
    AtMost,
    /// A figure that somebody computed and printed with this smallest step: 2 % beside the rounding.
    Printed { step: f64 },
    /// The model counts exactly `expected` a frame; the publication does not say how many frames a second it measured, and `most` is
    /// what the display allows.
    CountPerFrame { expected: f64, most: f64 },
    /// The model's figure is exactly `expected`; `why` the publication's differs.
    Exactly { expected: f64, why: &'static str },
}

impl Row {
    /// Measured over modelled.
    fn ratio(&self) -> f64 {
        self.measured / self.modelled
    }

    /// What is left of an uncompressed figure.
    fn left(&self) -> Option<f64> {
        match self.tolerance {
            Tolerance::Left => Some(self.ratio()),
            Tolerance::TakenAway => Some(1.0 - self.ratio()),
            _ => None,
        }
    }

    /// Whether the figures are as near as they must be.
    pub fn holds(&self) -> bool {
        match self.tolerance {
            Tolerance::Within(tolerance) => (self.ratio() - 1.0).abs() <= tolerance,
            Tolerance::Zero { traffic, noise } => self.modelled == 0.0 && self.measured.abs() <= noise * traffic,
            Tolerance::Left | Tolerance::TakenAway => {
                self.left().is_some_and(|left| (COMPRESSED[0]..=COMPRESSED[1]).contains(&left))
            }
            Tolerance::AtMost => (0.0..=1.0).contains(&self.ratio()),
            Tolerance::Printed { step } => {
                (self.measured - self.modelled).abs() <= 0.02 * self.modelled.abs() + step / 2.0
            }
            Tolerance::CountPerFrame { expected, most } => self.modelled == expected && self.ratio() <= most,
            Tolerance::Exactly { expected, .. } => self.modelled == expected,
        }
    }

    /// The three last columns: ratio, tolerance, verdict.
    fn verdict(&self) -> [String; 3] {
        let verdict = if self.holds() { "holds" } else { "OUT OF TOLERANCE" }.to_owned();
        let part = |value: f64| format!("{:.1} %", value * 100.0);
        match self.tolerance {
            Tolerance::Within(tolerance) => [format!("{:.3}", self.ratio()), format!("±{}", part(tolerance)), verdict],
            Tolerance::Zero { traffic, noise } => {
                let measured = part(self.measured.abs() / traffic);
                [measured, format!("0, noise {}", part(noise)), verdict]
            }
            Tolerance::Left | Tolerance::TakenAway => {
                let left = self.left().unwrap_or_default();
                [format!("r {left:.3}"), format!("r {:.2} to {:.2}", COMPRESSED[0], COMPRESSED[1]), verdict]
            }
            Tolerance::AtMost => [format!("{:.3}", self.ratio()), "at most 1".to_owned(), verdict],
            Tolerance::Printed { step } => [format!("{:.3}", self.ratio()), format!("±2.0 % ±{}", step / 2.0), verdict],
            Tolerance::CountPerFrame { expected, most } => {
                [format!("{:.1} fps", self.ratio()), format!("{expected}, {most} fps"), verdict]
            }
            Tolerance::Exactly { expected, why } => {
                [format!("{:.3}", self.ratio()), format!("exactly {expected}"), format!("{verdict}: {why}")]
            }
        }
    }
}

/// The rows as text.
pub fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "\n{:<4} {:<58} {:<11} {:>9} {:>9} {:>9}  {:<17} verdict\n",
        "row", "what", "unit", "measured", "modelled", "ratio", "tolerance"
    );
    for row in rows {
        let [ratio, tolerance, verdict] = row.verdict();
        let digits = if row.measured.abs() < 10.0 { 3 } else { 1 };
        writeln!(
            text,
            "{:<4} {:<58} {:<11} {:>9.digits$} {:>9.digits$} {ratio:>9}  {tolerance:<17} {verdict}",
            row.id, row.what, row.unit, row.measured, row.modelled,
        )
        .unwrap();
    }
    text
}

/// A row of each kind that is wrong in its own way.
#[test]
fn a_figure_outside_its_tolerance_does_not_hold() {
    let row = |measured, modelled, tolerance| Row { id: "G00", what: "", unit: "", measured, modelled, tolerance };
    let zero = || Tolerance::Zero { traffic: 100.0, noise: 0.05 };
    let count = || Tolerance::CountPerFrame { expected: 10.0, most: 60.0 };
    let wrong = [
        row(109.0, 100.0, Tolerance::Within(0.08)),
        row(91.0, 100.0, Tolerance::Within(0.08)),
        row(1.0, 0.0, Tolerance::Within(0.08)),
        row(f64::NAN, 1.0, Tolerance::Within(0.08)),
        row(0.0, 1e-9, zero()),
        row(6.0, 0.0, zero()),
        row(44.0, 100.0, Tolerance::Left),
        row(61.0, 100.0, Tolerance::Left),
        row(61.0, 100.0, Tolerance::TakenAway),
        row(30.0, 100.0, Tolerance::TakenAway),
        row(101.0, 100.0, Tolerance::AtMost),
        row(-1.0, 100.0, Tolerance::AtMost),
        row(0.0, 0.0, Tolerance::AtMost),
        row(3.9, 4.1, Tolerance::Printed { step: 0.1 }),
        row(300.0, 11.0, count()),
        row(700.0, 10.0, count()),
        row(2.0, 2.1, Tolerance::Exactly { expected: 2.0, why: "" }),
    ];
    for (number, row) in wrong.iter().enumerate() {
        assert!(!row.holds(), "{number}");
        assert!(row.verdict().concat().contains("OUT OF TOLERANCE"), "{number}");
    }
    let right = [
        row(107.0, 100.0, Tolerance::Within(0.08)),
        row(4.0, 0.0, zero()),
        row(52.0, 100.0, Tolerance::Left),
        row(48.0, 100.0, Tolerance::TakenAway),
        row(15.0, 100.0, Tolerance::AtMost),
        row(3.9, 3.98, Tolerance::Printed { step: 0.1 }),
        row(300.0, 10.0, count()),
        row(2.3, 2.0, Tolerance::Exactly { expected: 2.0, why: "" }),
    ];
    for (number, row) in right.iter().enumerate() {
        assert!(row.holds(), "{number}");
    }
}
