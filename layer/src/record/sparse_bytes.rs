//! Which bytes of a memory object sparse resources were given, be it for a while: what lies there besides aliases them.
//!
//! Only which bytes, not by which resource or how long: a program that streams makes bindings without end, and its memory objects have
//! only so many pages. Bytes that were taken away again stay in the list; whatever is bound there later counts as aliased, which is a verdict
//! less and never a wrong one.

use std::collections::BTreeMap;

/// Ranges of bytes that neither overlap nor touch: the byte behind the last of each by the first.
#[derive(Debug, Default)]
pub struct SparseBytes(BTreeMap<u64, u64>);

/// Ranges that are kept apart: beyond that neighbours become one, with what is between them.
const MOST: usize = 4096;

impl SparseBytes {
    /// Adds the bytes from `start` to before `end`; `false` if all of them were there, which is the rule where pages are used again.
    pub fn add(&mut self, start: u64, end: u64) -> bool {
        let before = self.0.range(..=start).next_back();
        if start >= end || before.is_some_and(|(_, reach)| *reach >= end) {
            return false;
        }
        let (mut first, mut last) = (start, end);
        if let Some((from, reach)) = before.filter(|(_, reach)| **reach >= start) {
            (first, last) = (*from, last.max(*reach));
        }
        while let Some((from, reach)) = self.0.range(first..=last).next().map(|(from, reach)| (*from, *reach)) {
            self.0.remove(&from);
            last = last.max(reach);
        }
        self.0.insert(first, last);
        if self.0.len() > MOST {
            // The next one, else the one before, takes it in.
            let next = self.0.range(last..).next().map(|(from, reach)| (*from, *reach));
            let before = self.0.range(..first).next_back().map(|(from, reach)| (*from, *reach));
            if let Some((from, reach)) = next {
                self.0.remove(&from);
                self.0.insert(first, reach);
            } else if let Some((from, _)) = before {
                self.0.remove(&first);
                self.0.insert(from, last);
            }
        }
        true
    }

    /// Whether any of the bytes from `start` to before `end` was given to a sparse resource.
    pub fn touches(&self, start: u64, end: u64) -> bool {
        self.0.range(..end).next_back().is_some_and(|(_, reach)| *reach > start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_however_they_were_given() {
        // All the ways to give three of ten pages, in any order, against a plain list.
        let pages = |range: (u64, u64)| range.0..range.1;
        let all: Vec<(u64, u64)> = (0..6).flat_map(|from| (from + 1..7).map(move |to| (from, to))).collect();
        for a in &all {
            for b in &all {
                for c in &all {
                    let mut given = SparseBytes::default();
                    let mut plain = [false; 8];
                    for range in [a, b, c] {
                        let new = pages(*range).any(|page| !plain[page as usize]);
                        pages(*range).for_each(|page| plain[page as usize] = true);
                        assert_eq!(given.add(range.0, range.1), new, "{a:?} {b:?} {c:?}");
                    }
                    for (from, to) in &all {
                        let expected = pages((*from, *to)).any(|page| plain[page as usize]);
                        assert_eq!(given.touches(*from, *to), expected, "{a:?} {b:?} {c:?}: {from}..{to}");
                    }
                }
            }
        }
    }

    #[test]
    fn more_pieces_than_are_kept_run_into_each_other_and_lose_no_byte() {
        let mut given = SparseBytes::default();
        let many = MOST as u64 * 3;
        // From both ends to the middle.
        for n in 0..many / 2 {
            for page in [n, many - 1 - n] {
                given.add(page * 10, page * 10 + 1);
                assert!(given.0.len() <= MOST);
            }
        }
        assert!((0..many).all(|page| given.touches(page * 10, page * 10 + 1)));
        assert!(!given.touches(many * 10, many * 10 + 1));
    }

    #[test]
    fn nothing_and_the_end_of_all_numbers_are_ranges_too() {
        let mut given = SparseBytes::default();
        assert!(!given.add(5, 5) && !given.touches(0, u64::MAX));
        assert!(given.add(u64::MAX - 1, u64::MAX) && given.touches(0, u64::MAX) && !given.touches(0, u64::MAX - 1));
    }
}
