//! The table of handles, in every interleaving: small, so that keys collide and chunks fill up.

use interleavings::every;
use interleavings::handles::{Handles, Last};
use interleavings::queue::Queue;
use loom::cell::UnsafeCell;
use loom::thread;
use std::sync::Arc;

/// A value whose every use loom checks for races with other uses.
struct Value(UnsafeCell<u64>);

// SAFETY: what the tests claim; loom fails where two threads use it at once.
unsafe impl Sync for Value {}

impl Value {
    fn get(&self) -> u64 {
        // SAFETY: loom checks that nobody writes meanwhile.
        self.0.with(|value| unsafe { *value })
    }

    fn set(&self, to: u64) {
        // SAFETY: loom checks that nobody else uses it meanwhile.
        self.0.with_mut(|value| unsafe { *value = to });
    }
}

/// Two slots, both open to every key: the third key needs another chunk.
type Table = Handles<Value, 2, 2>;

/// Handles as drivers give them: pointers.
const A: u64 = 0x7f00_1000;
const B: u64 = 0x7f00_2000;
const C: u64 = 0x7f00_3000;

fn table() -> &'static Table {
    Box::leak(Box::new(Table::new()))
}

/// Inserts `key` with a value that says so.
fn insert(table: &'static Table, key: u64) {
    table.insert(key, |spare| match spare {
        Some(value) => {
            value.set(key);
            value
        }
        None => Box::leak(Box::new(Value(UnsafeCell::new(key)))),
    });
}

fn remove(table: &'static Table, key: u64) {
    table.remove(key, |value| value.set(0));
}

fn get(table: &'static Table, last: &Last<Value>, key: u64) -> Option<u64> {
    table.lookup(last, key).map(Value::get)
}

#[test]
fn a_key_is_found_while_others_come_and_go_in_its_way() {
    every(|| {
        let table = table();
        // B lies before or behind A, wherever both belong, and C needs another chunk.
        insert(table, B);
        insert(table, A);
        let changes = thread::spawn(move || {
            insert(table, C);
            remove(table, B);
            insert(table, B);
        });
        let last = Last::new();
        assert_eq!(get(table, &last, A), Some(A));
        assert_eq!(get(table, &last, A), Some(A), "also by what the thread remembers");
        changes.join().unwrap();
        assert_eq!([A, B, C].map(|key| get(table, &last, key)), [A, B, C].map(Some));
    });
}

#[test]
fn what_one_thread_inserts_another_finds_once_it_is_handed_the_key() {
    every(|| {
        let table = table();
        insert(table, A);
        insert(table, B);
        // The program hands a handle over by means of its own.
        let handed = Arc::new(Queue::new());
        let giver = thread::spawn({
            let handed = Arc::clone(&handed);
            move || {
                insert(table, C);
                handed.push(C, 1, None);
            }
        });
        let last = Last::new();
        assert_eq!(get(table, &last, A), Some(A));
        let key = handed.pop();
        let value = table.lookup(&last, key).unwrap();
        assert_eq!(value.get(), C);
        value.set(7);
        giver.join().unwrap();
        assert_eq!(get(table, &last, C), Some(7));
    });
}

#[test]
fn a_handle_that_is_given_out_again_never_leads_to_what_a_thread_remembers_of_the_old_one() {
    every(|| {
        let table = table();
        insert(table, A);
        let last = Last::new();
        let old = table.lookup(&last, A).unwrap();
        assert_eq!(old.get(), A);
        let handed = Arc::new(Queue::new());
        let other = thread::spawn({
            let handed = Arc::clone(&handed);
            move || {
                remove(table, A);
                // The value of A becomes that of B, and A gets a new one.
                insert(table, B);
                insert(table, A);
                handed.push((), 1, None);
            }
        });
        handed.pop();
        let new = table.lookup(&last, A).unwrap();
        assert!(!std::ptr::eq(old, new) && new.get() == A);
        assert!(std::ptr::eq(table.lookup(&last, B).unwrap(), old));
        other.join().unwrap();
    });
}

#[test]
fn threads_with_keys_of_their_own_never_meet_in_a_value() {
    every(|| {
        let table = table();
        insert(table, A);
        let work = move |own: u64| {
            let last = Last::new();
            insert(table, own);
            let value = table.lookup(&last, own).unwrap();
            value.set(own + 1);
            assert_eq!(get(table, &last, own), Some(own + 1));
            remove(table, own);
            assert_eq!(get(table, &last, own), None);
        };
        let other = thread::spawn(move || work(B));
        work(C);
        other.join().unwrap();
        assert_eq!(get(table, &Last::new(), A), Some(A));
    });
}

#[test]
fn a_program_that_uses_a_handle_before_it_has_it_finds_nothing_or_what_is_complete() {
    every(|| {
        let table = table();
        insert(table, A);
        let other = thread::spawn(move || [B, C].into_iter().for_each(|key| insert(table, key)));
        for key in [B, C] {
            assert!(get(table, &Last::new(), key).is_none_or(|value| value == key));
        }
        other.join().unwrap();
        assert_eq!(get(table, &Last::new(), C), Some(C));
    });
}
