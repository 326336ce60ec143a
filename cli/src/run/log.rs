//! What the layer told of itself: one line per instance, per device and per fault.

use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

/// The run log, as far as the summary needs it.
#[derive(Debug, Default)]
pub struct RunLog {
    /// Processes in which the layer was loaded.
    pub processes: BTreeSet<u32>,
    /// Number of devices that were created.
    pub devices: usize,
    /// Processes in which the layer stepped aside after a fault of its own.
    pub faults: BTreeSet<u32>,
}

#[derive(Deserialize)]
struct Line {
    event: String,
    pid: u32,
}

impl RunLog {
    /// Reads the log. No file means that the layer was never loaded.
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut log = Self::default();
        // A process that was killed may have left a part of a line.
        for line in text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok()) {
            log.processes.insert(line.pid);
            log.devices += usize::from(line.event == "device");
            if line.event == "fault" {
                log.faults.insert(line.pid);
            }
        }
        log
    }
}
