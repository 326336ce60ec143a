//! Published measurements, row by row: what counters of real GPUs showed when a program changed, and what the model says of the
//! same change.
//!
//! Measured rows run the samples under the layer at the resolution of the row and compare *differences* between two
//! configurations, in MiB/s at the frame rate of the row: totals of a real counter also hold textures, geometry and the
//! compositor. Computed rows feed the model frames with the figures of the publication. The table is printed whether the test
//! passes or not (`--nocapture` is not needed); `docs/accuracy.md` explains it.
//!
//! [`configurations`] holds what every configuration must cost, whoever has measured it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod computed;
mod configurations;
mod measured;
mod row;
mod sample;

use row::Row;
use std::io::Write;
use tilelens_tests::real;

#[test]
fn every_published_row_is_in_tolerance() {
    let measured = measured::rows();
    let (mut rows, missing) = match measured {
        Ok(rows) => (rows, None),
        Err(missing) => (Vec::new(), Some(missing)),
    };
    rows.extend(computed::rows());
    rows.sort_by_key(|row| row.id);
    let table = row::table(&rows);
    std::io::stderr().write_all(table.as_bytes()).unwrap();
    let wrong: Vec<&Row> = rows.iter().filter(|row| !row.holds()).collect();
    assert!(wrong.is_empty(), "out of tolerance: {:?}\n{table}", wrong.iter().map(|r| r.id).collect::<Vec<_>>());
    match missing {
        Some(missing) => real::skip(&missing),
        None => {
            let ids: Vec<&str> = rows.iter().map(|row| row.id).collect();
            for id in ASKED {
                assert!(ids.contains(id), "{id} is not in the table");
            }
        }
    }
}

/// Rows that the table must have; G01 to G05 have a test of their own, `render_passes`.
const ASKED: &[&str] =
    &["G08", "G09", "G16", "G19", "G20", "G21", "G25", "G26", "G29", "G31", "G38", "G39", "G40", "G41", "G45"];
