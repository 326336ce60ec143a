//! The queue to the analysis thread and the wait for its end, in every interleaving. loom fails where a thread would wait for ever.

use interleavings::ended::Ended;
use interleavings::every;
use interleavings::queue::Queue;
use loom::sync::Arc;
use loom::thread;
use std::time::Instant;

#[test]
fn every_job_arrives_once_and_those_of_a_thread_in_its_order() {
    every(|| {
        let queue = Arc::new(Queue::new());
        let push = |jobs: &'static [u32]| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || jobs.iter().for_each(|job| assert!(queue.push(*job, 64, None))))
        };
        let threads = [push(&[1, 2]), push(&[11])];
        let mut jobs: Vec<u32> = (0..3).map(|_| queue.pop()).collect();
        assert!(jobs.iter().position(|job| *job == 1) < jobs.iter().position(|job| *job == 2), "{jobs:?}");
        jobs.sort_unstable();
        assert_eq!(jobs, [1, 2, 11]);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn a_full_queue_drops_the_job_and_makes_nobody_wait() {
    every(|| {
        let queue = Arc::new(Queue::new());
        let pushing = thread::spawn({
            let queue = Arc::clone(&queue);
            move || (0..3).for_each(|job| assert!(queue.push(job, 1, None)))
        });
        let first = queue.pop();
        pushing.join().unwrap();
        // The end of a device is never dropped.
        assert!(queue.push(99, usize::MAX, None));
        let mut rest = vec![queue.pop()];
        if rest[0] != 99 {
            rest.push(queue.pop());
        }
        assert_eq!((first, rest.last()), (0, Some(&99)));
    });
}

#[test]
fn whoever_waits_for_the_end_hears_of_it_whenever_it_comes() {
    every(|| {
        let (queue, ended) = (Arc::new(Queue::new()), Arc::new(Ended::new()));
        let analysis = thread::spawn({
            let (queue, ended) = (Arc::clone(&queue), Arc::clone(&ended));
            move || {
                while queue.pop() != "end" {}
                ended.set();
            }
        });
        assert!(queue.push("frame", 64, None));
        assert!(queue.push("end", usize::MAX, None));
        assert!(ended.wait_until(Instant::now()));
        // And again, at the end of the process.
        assert!(ended.wait_until(Instant::now()));
        analysis.join().unwrap();
    });
}
