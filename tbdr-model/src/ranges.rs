//! Frame numbers as ranges `[first, last, stride]`: a steady state takes one range however long it runs.

use alloc::vec::Vec;

/// A set of frame numbers, merged greedily while they arrive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    ranges: Vec<[u64; 3]>,
    count: u64,
    /// Largest number so far: numbers above it need not be looked for.
    newest: Option<u64>,
}

impl Ranges {
    /// Adds a number; false if it was there already.
    pub fn insert(&mut self, index: u64) -> bool {
        if self.newest.is_some_and(|newest| index <= newest) && self.contains(index) {
            return false;
        }
        self.newest = self.newest.max(Some(index));
        self.count += 1;
        if let Some(range) = self.ranges.last_mut().filter(|range| range[1] < index) {
            let gap = index - range[1];
            if range[0] == range[1] || range[2] == gap {
                (range[1], range[2]) = (index, gap);
                return true;
            }
            if range[1] - range[0] == range[2] && gap < range[2] {
                // Two numbers that happened to come first do not make a stride: the closer pair does.
                let second = range[1];
                (range[1], range[2]) = (range[0], 1);
                self.ranges.push([second, index, gap]);
                return true;
            }
        }
        self.ranges.push([index, index, 1]);
        true
    }

    /// Adds all numbers of another set.
    pub fn extend(&mut self, other: &Self) {
        if self.ranges.is_empty() {
            self.clone_from(other);
            return;
        }
        if other.ranges.iter().all(|r| self.ranges.contains(r)) {
            return;
        }
        for [first, last, stride] in other.sorted() {
            let step = usize::try_from(stride.max(1)).unwrap_or(usize::MAX);
            (first..=last).step_by(step).for_each(|index| {
                self.insert(index);
            });
        }
    }

    /// Whether a number is in the set.
    pub fn contains(&self, index: u64) -> bool {
        self.ranges.iter().any(|r| r[0] <= index && index <= r[1] && (index - r[0]) % r[2].max(1) == 0)
    }

    /// How many numbers are in the set.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Smallest number.
    pub fn first(&self) -> Option<u64> {
        self.ranges.iter().map(|range| range[0]).min()
    }

    /// The ranges, by first number.
    pub fn sorted(&self) -> Vec<[u64; 3]> {
        let mut ranges = self.ranges.clone();
        ranges.sort_unstable();
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(indices: impl IntoIterator<Item = u64>) -> Vec<[u64; 3]> {
        let mut ranges = Ranges::default();
        indices.into_iter().for_each(|i| assert!(ranges.insert(i)));
        ranges.sorted()
    }

    #[test]
    fn steady_states_take_one_range() {
        assert_eq!(of(0..60), [[0, 59, 1]]);
        assert_eq!(of((0..60).step_by(2)), [[0, 58, 2]]);
        assert_eq!(of((1..60).step_by(2)), [[1, 59, 2]]);
        assert_eq!(of([7]), [[7, 7, 1]]);
    }

    #[test]
    fn a_first_frame_apart_does_not_spoil_the_steady_state() {
        assert_eq!(of([0, 5, 6, 7, 8]), [[0, 0, 1], [5, 8, 1]]);
        assert_eq!(of([0, 1, 10, 11]), [[0, 1, 1], [10, 11, 1]]);
    }

    proptest! {
        #[test]
        fn ranges_hold_exactly_what_was_put_in(indices in proptest::collection::vec(0u64..64, 0..40)) {
            let mut ranges = Ranges::default();
            let mut expected = alloc::collections::BTreeSet::new();
            for index in indices {
                prop_assert_eq!(ranges.insert(index), expected.insert(index));
            }
            let mut seen = Vec::new();
            for [first, last, stride] in ranges.sorted() {
                let mut at = first;
                while at <= last {
                    seen.push(at);
                    at += stride;
                }
            }
            seen.sort_unstable();
            prop_assert_eq!(seen, expected.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(ranges.count(), expected.len() as u64);
        }
    }
}
