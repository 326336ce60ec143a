//! Bytes as people write them, with a unit: per frame, or per second.
//!
//! Units of 1000 (kB, MB, GB) and of 1024 (KiB, MiB, GiB) are told apart strictly, because they differ by 4.9 % at MB.

use std::str::FromStr;
use tbdr_model::text::shown;
use thiserror::Error;

/// Characters of a text that are shown in a message.
const SHOWN: usize = 60;

/// Why a text is no amount.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum NotAnAmount {
    /// A value is no number that can be.
    #[error("`{0}` is not a number of bytes, 0 or more")]
    Number(String),
    /// The unit is not known.
    #[error(
        "`{0}` is no unit; there are B, kB, MB, GB (1000), KiB, MiB, GiB (1024), each per frame, or per second with `/s`"
    )]
    Unit(String),
}

/// So many bytes, per frame or per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount {
    /// Bytes.
    pub bytes: f64,
    /// Whether they are per second.
    pub per_second: bool,
}

impl FromStr for Amount {
    type Err = NotAnAmount;

    fn from_str(text: &str) -> Result<Self, NotAnAmount> {
        let text = text.trim();
        let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (digits, unit) = text.split_at(split);
        // Digits and points only: no sign, no exponent, no infinity.
        let number: f64 = digits.parse().map_err(|_| NotAnAmount::Number(shown(text, SHOWN)))?;
        let unit = unit.trim();
        let (size, per_second) = match unit.strip_suffix("/s") {
            Some(size) => (size, true),
            None => (unit.strip_suffix("/frame").unwrap_or(unit), false),
        };
        let factor = match size.trim() {
            "" if !per_second => 1.0,
            "B" => 1.0,
            "kB" | "KB" => 1e3,
            "MB" => 1e6,
            "GB" => 1e9,
            "KiB" => 1024.0,
            "MiB" => 1024.0 * 1024.0,
            "GiB" => 1024.0 * 1024.0 * 1024.0,
            _ => return Err(NotAnAmount::Unit(shown(unit, SHOWN))),
        };
        let bytes = number * factor;
        // What a double cannot hold to the byte no counter has counted.
        if !bytes.is_finite() || bytes > 9e15 {
            return Err(NotAnAmount::Number(shown(text, SHOWN)));
        }
        Ok(Self { bytes, per_second })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Result<f64, NotAnAmount> {
        text.parse::<Amount>().map(|amount| amount.bytes)
    }

    #[test]
    fn units_of_a_thousand_and_of_1024_are_different_units() {
        assert_eq!(bytes("548.8MiB/s"), Ok(548.8 * 1_048_576.0));
        assert_eq!(bytes("575.4 MB/s"), Ok(575_400_000.0));
        assert_eq!(bytes("12"), Ok(12.0));
        assert_eq!(bytes("1.5 KiB/frame"), Ok(1536.0));
        assert_eq!(bytes("4.668GB"), Ok(4_668_000_000.0));
        assert_eq!(bytes("1.5 Mb"), Err(NotAnAmount::Unit("Mb".into())));
        assert_eq!(bytes("-1"), Err(NotAnAmount::Number("-1".into())));
    }
}
