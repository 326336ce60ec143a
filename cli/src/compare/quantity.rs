//! Counter readings as the command line takes them: bytes per frame, or bytes per second at a frame rate.
//!
//! `read=BEFORE:AFTER,write=BEFORE:AFTER`, each value a number with a unit. Units of 1000 and of 1024 differ by 4.9 % at MB, which is as
//! much as what is measured may be off.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;
use tilelens_config::{Amount, NotAnAmount};

/// Why a text is no reading.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum NotMeasured {
    /// The whole is not built as it should be.
    #[error("write `read=BEFORE:AFTER,write=BEFORE:AFTER`; one of both may be left out")]
    Form,
    /// A direction is there twice.
    #[error("`{0}` is given twice")]
    Twice(String),
    /// A value is no number of bytes.
    #[error(transparent)]
    Amount(#[from] NotAnAmount),
    /// A frame rate is no number above 0.
    #[error("`{0}` is no frame rate above 0; write `60`, or `BEFORE:AFTER`")]
    Rate(String),
}

/// A value before and after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<T> {
    /// Before the change.
    pub before: T,
    /// After it.
    pub after: T,
}

/// Readings of both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// From DRAM.
    pub read: Option<Pair<Amount>>,
    /// To DRAM.
    pub write: Option<Pair<Amount>>,
}

/// Frame rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates(pub Pair<f64>);

impl FromStr for Measured {
    type Err = NotMeasured;

    fn from_str(text: &str) -> Result<Self, NotMeasured> {
        let mut measured = Self::default();
        for part in text.split(',') {
            let (direction, values) = part.split_once('=').ok_or(NotMeasured::Form)?;
            let place = match direction.trim() {
                "read" => &mut measured.read,
                "write" => &mut measured.write,
                _ => return Err(NotMeasured::Form),
            };
            let (before, after) = values.split_once(':').ok_or(NotMeasured::Form)?;
            if place.replace(pair(before, after)?).is_some() {
                return Err(NotMeasured::Twice(direction.trim().into()));
            }
        }
        Ok(measured)
    }
}

/// Two values; where the first has no unit it has that of the second.
fn pair(before: &str, after: &str) -> Result<Pair<Amount>, NotMeasured> {
    let unit_of =
        |text: &str| text.trim_start_matches(|c: char| c.is_ascii_digit() || ". ".contains(c)).trim().to_owned();
    let before = match unit_of(before).is_empty() {
        true => format!("{}{}", before.trim(), unit_of(after)),
        false => before.to_owned(),
    };
    Ok(Pair { before: before.parse()?, after: after.parse()? })
}

impl FromStr for Rates {
    type Err = NotMeasured;

    fn from_str(text: &str) -> Result<Self, NotMeasured> {
        let one = |text: &str| match text.trim().parse::<f64>() {
            Ok(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
            _ => Err(NotMeasured::Rate(shown(text))),
        };
        let (before, after) = text.split_once(':').unwrap_or((text, text));
        Ok(Self(Pair { before: one(before)?, after: one(after)? }))
    }
}

impl Measured {
    /// Whether a frame rate is needed to make bytes per frame of it.
    pub fn needs_rate(&self) -> bool {
        [self.read, self.write].iter().flatten().any(|pair| pair.before.per_second || pair.after.per_second)
    }
}

impl Pair<Amount> {
    /// Bytes per frame at these frame rates.
    pub fn per_frame(&self, rates: Option<Rates>) -> Option<Pair<f64>> {
        let one = |reading: Amount, rate: Option<f64>| match reading.per_second {
            true => rate.map(|rate| reading.bytes / rate),
            false => Some(reading.bytes),
        };
        let before = one(self.before, rates.map(|rates| rates.0.before))?;
        Some(Pair { before, after: one(self.after, rates.map(|rates| rates.0.after))? })
    }
}

impl Pair<f64> {
    /// After less before.
    pub fn difference(self) -> f64 {
        self.after - self.before
    }
}

impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.before == self.0.after {
            true => write!(f, "{} frames/s", self.0.before),
            false => write!(f, "{} frames/s before, {} after", self.0.before, self.0.after),
        }
    }
}

fn shown(text: &str) -> String {
    tbdr_model::text::shown(text.trim(), 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_needs_its_frame_rate_and_may_have_two() {
        let measured: Measured = "read=120MB/s:60MB/s".parse().unwrap();
        assert!(measured.needs_rate());
        let pair = measured.read.unwrap();
        assert_eq!(pair.per_frame(None), None);
        let rates = "60:30".parse().unwrap();
        assert_eq!(pair.per_frame(Some(rates)), Some(Pair { before: 2e6, after: 2e6 }));
    }

    #[test]
    fn a_unit_may_be_written_once() {
        let measured: Measured = "read=1533.9:933.7MiB/s, write=100:90".parse().unwrap();
        assert_eq!(measured.read.unwrap().before, "1533.9MiB/s".parse().unwrap());
        assert_eq!(measured.write.unwrap().after, Amount { bytes: 90.0, per_second: false });
    }

    #[test]
    fn what_is_no_reading_is_refused_with_what_would_be_one() {
        for (text, error) in [
            ("", NotMeasured::Form),
            ("read", NotMeasured::Form),
            ("read=5", NotMeasured::Form),
            ("texture=1:2", NotMeasured::Form),
            ("read=1:2,read=1:2", NotMeasured::Twice("read".into())),
            ("read=-1:2", NotAnAmount::Number("-1".into()).into()),
            ("read=nan:2", NotAnAmount::Number("nan".into()).into()),
            ("read=1e9:2", NotAnAmount::Unit("e9".into()).into()),
            ("read=1:2Mb/s", NotAnAmount::Unit("Mb/s".into()).into()),
            ("read=1:2/s", NotAnAmount::Unit("/s".into()).into()),
            ("read=1:99999999999999999999GB", NotAnAmount::Number("99999999999999999999GB".into()).into()),
        ] {
            assert_eq!(text.parse::<Measured>(), Err(error), "{text}");
        }
        for text in ["0", "-60", "nan", "inf", "60:", "x"] {
            assert!(text.parse::<Rates>().is_err(), "{text}");
        }
    }
}
