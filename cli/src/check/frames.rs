//! Which frames count, and whether what happened in some frames happened in those.

use anyhow::{Result, bail};
use tbdr_model::report::{Frame, Report};
use tilelens_config::{Frames, Which};
use tilelens_report::text;

/// The distinct frames that count, in order of first occurrence.
pub fn counted<'a>(report: &'a Report, frames: &Frames, input: &str) -> Result<Vec<&'a Frame>> {
    if report.frames.is_empty() {
        bail!(
            "{input} holds no frame, so there is nothing to look at: record some (`tilelens run -- <program>`; of a program that presents \
             nothing the setting `frame_submits` says where a frame ends)"
        );
    }
    let left: Vec<(&Frame, u64)> = report
        .frames
        .iter()
        .map(|frame| (frame, occurrences(frame, frames.skip_first)))
        .filter(|(_, count)| *count >= frames.min_count.max(1))
        .collect();
    let most = left.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let chosen: Vec<&Frame> = match frames.which {
        Which::Every => left.iter().map(|(frame, _)| *frame).collect(),
        Which::Steady => left.iter().filter(|(_, count)| *count >= most.div_ceil(2)).map(|(frame, _)| *frame).collect(),
        Which::MostFrequent => text::heaviest(left.iter().filter(|(_, count)| *count == most).map(|(frame, _)| *frame))
            .into_iter()
            .collect(),
    };
    if chosen.is_empty() {
        bail!(
            "no frame of {input} counts: {} were recorded, and `[frames]` asks for such as occur {} times from frame {} on",
            report.frame_count,
            frames.min_count.max(1),
            frames.skip_first
        );
    }
    Ok(chosen)
}

/// How often a frame occurred from the frame `from` on.
fn occurrences(frame: &Frame, from: u64) -> u64 {
    match from {
        0 => frame.count,
        _ => frame.indices.iter().fold(0u64, |sum, range| sum.saturating_add(count_from(*range, from))),
    }
}

/// How many numbers of a range are not below `from`.
fn count_from([first, last, stride]: [u64; 3], from: u64) -> u64 {
    let stride = u128::from(stride.max(1));
    let (first, last, from) = (u128::from(first), u128::from(last), u128::from(from));
    let start = if from <= first { first } else { first + (from - first).div_ceil(stride) * stride };
    if start > last { 0 } else { u64::try_from((last - start) / stride + 1).unwrap_or(u64::MAX) }
}

/// Whether two sets of frame numbers have one in common.
pub fn meet(a: &[[u64; 3]], b: &[[u64; 3]]) -> bool {
    a.iter().any(|a| b.iter().any(|b| ranges_meet(*a, *b)))
}

/// Whether two ranges have a number in common: x = a0 + i * as = b0 + j * bs (the Chinese remainder theorem).
fn ranges_meet(a: [u64; 3], b: [u64; 3]) -> bool {
    let [(a0, a1, a_step), (b0, b1, b_step)] =
        [a, b].map(|[first, last, stride]| (i128::from(first), i128::from(last), i128::from(stride.max(1))));
    let (low, high) = (a0.max(b0), a1.min(b1));
    let (gcd, inverse) = bezout(a_step, b_step);
    if low > high || (b0 - a0) % gcd != 0 {
        return false;
    }
    let modulus = b_step / gcd;
    // Below 2^64 each, so that the product fits.
    let steps = mul_mod((b0 - a0) / gcd, inverse, modulus);
    let Some(x) = steps.checked_mul(a_step).and_then(|offset| offset.checked_add(a0)) else { return false };
    // Beyond the largest number there is no second one.
    let period = a_step.saturating_mul(modulus);
    if x >= low || period > i128::from(u64::MAX) {
        return low <= x && x <= high;
    }
    x + (low - x + period - 1) / period * period <= high
}

/// The greatest common divisor, and a factor with which `a` is it, modulo `b`.
fn bezout(a: i128, b: i128) -> (i128, i128) {
    let (mut rest, mut factor) = ((a, b), (1, 0));
    while rest.1 != 0 {
        let quotient = rest.0 / rest.1;
        rest = (rest.1, rest.0 - quotient * rest.1);
        factor = (factor.1, factor.0 - quotient * factor.1);
    }
    (rest.0, factor.0)
}

#[allow(clippy::cast_sign_loss, clippy::cast_possible_wrap)] // What is below a modulus below 2^64 fits.
fn mul_mod(a: i128, b: i128, modulus: i128) -> i128 {
    let (a, b) = (a.rem_euclid(modulus) as u128, b.rem_euclid(modulus) as u128);
    (a * b % modulus as u128) as i128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_from_a_number_on_are_counted_exactly() {
        for first in 0..6 {
            for last in 0..14 {
                for stride in 0..5u64 {
                    for from in 0..16 {
                        let step = usize::try_from(stride.max(1)).unwrap();
                        let exact = (first..=last).step_by(step).filter(|n| *n >= from).count() as u64;
                        assert_eq!(count_from([first, last, stride], from), exact, "{first} {last} {stride} {from}");
                    }
                }
            }
        }
        assert_eq!(count_from([0, u64::MAX, 0], 0), u64::MAX);
    }

    #[test]
    fn ranges_meet_where_a_number_is_in_both() {
        let numbers = |[first, last, stride]: [u64; 3]| (first..=last).step_by(usize::try_from(stride).unwrap());
        let some: Vec<[u64; 3]> = [0, 1, 2, 5]
            .into_iter()
            .flat_map(|first| [0, 5, 6, 11].into_iter().flat_map(move |last| (1..=6).map(move |s| [first, last, s])))
            .collect();
        for a in &some {
            for b in &some {
                let exact = numbers(*a).any(|n| numbers(*b).any(|m| n == m));
                assert_eq!(ranges_meet(*a, *b), exact, "{a:?} {b:?}");
            }
        }
        assert!(ranges_meet([0, u64::MAX, u64::MAX], [u64::MAX, u64::MAX, 0]));
        assert!(ranges_meet([3, u64::MAX, u64::MAX - 1], [3, u64::MAX, u64::MAX - 2]));
        assert!(!ranges_meet([1, u64::MAX, u64::MAX - 2], [2, u64::MAX, u64::MAX - 4]));
    }
}
