//! A sample under the layer, in its steady state, and what the GPU of a row moves in a frame of it.

use std::collections::BTreeMap;
use tbdr_model::report::{BesideEntry, Direction, Entry, Finding, Frame, GpuFrame, Report, Schedule};
use tilelens_tests::real::Missing;
use tilelens_tests::real::sample::{last_frame, layered, run};
use tilelens_tests::sandbox::Folder;

/// A frame of a sample.
pub struct Sample {
    frame: Frame,
    findings: Vec<Finding>,
}

impl Sample {
    /// Runs three frames for every GPU: one frame three times, but that the first may name layouts of what is new.
    pub fn new(program: &str, size: [u32; 2], arguments: &[&str]) -> Result<Self, Missing> {
        let report = report(program, size, "3", arguments)?;
        if report.frames.len() > 1 {
            return Self::settled(report, program, arguments);
        }
        let frame = last_frame(&report).clone();
        assert_eq!(frame.count, 3, "{program} {arguments:?}");
        Ok(Self { frame, findings: report.findings })
    }

    /// Runs three frames, of which the first sets up what is new and the others are one frame twice, for every GPU.
    pub fn steady(program: &str, size: [u32; 2], arguments: &[&str]) -> Result<Self, Missing> {
        Self::settled(report(program, size, "3", arguments)?, program, arguments)
    }

    fn settled(report: Report, program: &str, arguments: &[&str]) -> Result<Self, Missing> {
        assert_eq!(report.frames.len(), 2, "{program} {arguments:?}");
        let frame = last_frame(&report).clone();
        assert_eq!(frame.count, 2, "{program} {arguments:?}");
        Ok(Self { frame, findings: report.findings })
    }

    /// What findings of a rule say can be saved on a GPU, in bytes a frame, by image.
    pub fn advised(&self, gpu: &str, code: &str) -> BTreeMap<&str, u64> {
        let of_rule = self.findings.iter().filter(|finding| finding.code == code);
        of_rule.filter_map(|f| Some((f.attachment.as_deref()?, f.saving.get(gpu)?.value))).collect()
    }

    /// The passes beside which findings whose code begins like this stand.
    pub fn advised_on(&self, code: &str) -> Vec<&str> {
        let of_rules = self.findings.iter().filter(|finding| finding.code.starts_with(code));
        of_rules.filter_map(|finding| finding.pass.as_deref()).collect()
    }

    /// What of the frame can overlap.
    pub fn schedule(&self) -> &Schedule {
        self.frame.schedule.as_ref().expect("the frame has work that can overlap")
    }

    /// What a GPU stores of an image, in one pass.
    pub fn stored(&self, gpu: &str, image: &str) -> &Entry {
        let entries = self.on(gpu).passes.iter().flat_map(|pass| &pass.entries);
        let stores: Vec<_> = entries.filter(|e| e.image == image && e.direction == Direction::Write).collect();
        let [store] = stores[..] else { panic!("{image}: {stores:?}") };
        store
    }

    /// What a GPU moves.
    pub fn on(&self, gpu: &str) -> &GpuFrame {
        self.frame.gpus.get(gpu).unwrap_or_else(|| panic!("{gpu} is not modelled"))
    }

    /// The Mali GPUs under Arm's own driver, which the publications are about; another driver's policy is a suffix of the id.
    pub fn malis(&self) -> Vec<&str> {
        let all = self.frame.gpus.keys().map(String::as_str).filter(|id| id.starts_with("mali-"));
        all.filter(|id| !id.contains("-panvk")).collect()
    }

    /// Samples per pixel of the attachments that the shaders of each pass may read, ascending; `None` where it is not known.
    pub fn sampled(&self) -> Vec<Option<Vec<u32>>> {
        let samples = |id: &String| self.frame.images.iter().find(|i| i.id == *id).map_or(0, |i| i.samples);
        let of = |read: &Vec<String>| {
            let mut read: Vec<u32> = read.iter().map(samples).collect();
            read.sort_unstable();
            read
        };
        self.frame.passes.iter().map(|pass| pass.sampled.as_ref().map(of)).collect()
    }

    /// What the shaders of the frame read of an image, in one pass.
    pub fn beside(&self, gpu: &str, image: &str) -> &BesideEntry {
        let of_image: Vec<_> = self.on(gpu).beside.iter().filter(|e| e.image == image).collect();
        let [entry] = of_image[..] else { panic!("{image}: {of_image:?}") };
        entry
    }

    /// Bytes by source pass and image; reads and writes apart. An attachment that is read back is one movement, whether the
    /// driver does it as a load or as reads of an input attachment.
    pub fn passes(&self, gpu: &str) -> BTreeMap<(u32, String, Direction), u64> {
        let mut found = BTreeMap::new();
        for pass in &self.on(gpu).passes {
            for entry in &pass.entries {
                *found.entry((pass.source_passes[0], entry.image.clone(), entry.direction)).or_insert(0) +=
                    entry.bytes.0;
            }
        }
        found
    }

    /// Bytes of transfers by command and resource; reads and writes apart.
    pub fn transfers(&self, gpu: &str) -> BTreeMap<(String, String, Direction), u64> {
        let mut found = BTreeMap::new();
        for entry in &self.on(gpu).transfers {
            let key = (entry.cause.to_string(), entry.resource.clone(), entry.direction);
            *found.entry(key).or_insert(0) += entry.bytes.0;
        }
        found
    }
}

/// The report of so many frames of a sample, for every GPU.
fn report(program: &str, size: [u32; 2], frames: &str, arguments: &[&str]) -> Result<Report, Missing> {
    let folder = Folder::new();
    let size = format!("{}x{}", size[0], size[1]);
    let arguments = [&["--size", &size, "--frames", frames], arguments].concat();
    let settings = [("gpu", "all"), ("sync", "1"), ("frame_submits", "1"), ("log_level", "warn")];
    let outcome = run(layered(program, &arguments, &folder, &settings)?, &folder);
    assert!(outcome.status.success(), "{program} {arguments:?}: {}", outcome.text());
    Ok(folder.report())
}

/// What a change adds, in MiB a second; negative where it saves.
#[derive(Clone, Copy)]
pub struct Change {
    /// Bytes read.
    pub read: f64,
    /// Bytes written.
    pub write: f64,
}

/// The difference between two configurations on a GPU at this frame rate.
pub fn change(gpu: &str, fps: f64, before: &Sample, after: &Sample) -> Change {
    let rate = |before: u64, after: u64| (i128::from(after) - i128::from(before)) as f64 * fps / f64::from(1 << 20);
    let (before, after) = (before.on(gpu), after.on(gpu));
    Change {
        read: rate(before.read_bytes.0, after.read_bytes.0),
        write: rate(before.write_bytes.0, after.write_bytes.0),
    }
}

/// Tiles of a frame on a GPU.
pub fn tiles(gpu: &str, of: &Sample) -> f64 {
    of.on(gpu).passes.iter().map(|pass| pass.tiles.unwrap()).sum::<u64>() as f64
}
