//! Rows measured on phones: READMEs and screenshots of the performance samples of KhronosGroup/Vulkan-Samples (`subpasses`, `msaa`,
//! `afbc`, `layout_transitions`, `pipeline_barriers`; Mali-G76 in a Galaxy S10). Its displays count MiB (2^20 bytes) a second.

use super::row::{Row, Tolerance};
use super::sample::{Sample, change, tiles};
use tbdr_model::ledger::MEASURED;
use tilelens_tests::real::Missing;

const GPU: &str = "mali-g76";
/// Tolerance for multisampled images, which are not compressed.
const UNCOMPRESSED: f64 = 0.08;
/// Tolerance for what shaders read of multisampled images.
const SAMPLED: f64 = 0.05;
/// Noise of counters between runs of equal traffic, as a part of the traffic.
const NOISE: f64 = 0.05;
/// Frames a second that the display shows at most.
const DISPLAY: f64 = 60.0;

/// All measured rows.
pub fn rows() -> Result<Vec<Row>, Missing> {
    let mut rows = subpasses()?;
    rows.extend(msaa()?);
    rows.extend(compression()?);
    rows.extend(layouts()?);
    rows.extend(barriers()?);
    Ok(rows)
}

/// Deferred rendering as two subpasses and as two render passes.
fn subpasses() -> Result<Vec<Row>, Missing> {
    let size = [2220, 1080];
    let merged = Sample::new("subpasses", size, &["--technique", "subpasses"])?;
    let apart = Sample::new("subpasses", size, &["--technique", "renderpasses"])?;
    let not_transient = Sample::new("subpasses", size, &["--technique", "subpasses", "--transient", "off"])?;
    let (one, two) = (tiles(GPU, &merged), tiles(GPU, &apart));
    // The original shows 262.2 thousand and 614.7 thousand tiles a second, and no frame rate.
    let per_pass = f64::from(2220_u32.div_ceil(16) * 1080_u32.div_ceil(16));
    let spilled = change(GPU, DISPLAY, &merged, &not_transient);
    Ok(vec![
        Row {
            id: "G08",
            what: "tiles of one pass with two subpasses",
            unit: "tiles/s, /f",
            measured: 262.2e3,
            modelled: one,
            tolerance: Tolerance::CountPerFrame { expected: per_pass, most: DISPLAY },
        },
        Row {
            id: "G08",
            what: "tiles of two render passes",
            unit: "tiles/s, /f",
            measured: 614.7e3,
            modelled: two,
            tolerance: Tolerance::CountPerFrame { expected: 2.0 * per_pass, most: DISPLAY },
        },
        Row {
            id: "G09",
            what: "tiles, two render passes over two subpasses",
            unit: "ratio",
            measured: 614.7 / 262.2,
            modelled: two / one,
            tolerance: Tolerance::Exactly { expected: 2.0, why: "per second; the frame rates differ" },
        },
        Row {
            id: "G16",
            what: "read + write, G-buffer TRANSIENT -> not, same operations",
            unit: "MiB/s",
            measured: (403.6 - 389.0) + (138.5 - 127.4),
            modelled: spilled.read.abs() + spilled.write.abs(),
            tolerance: Tolerance::Zero { traffic: 389.0 + 127.4, noise: NOISE },
        },
    ])
}

/// Four samples per pixel, resolved in the pass or by a command, with and without postprocessing.
fn msaa() -> Result<Vec<Row>, Missing> {
    let run = |variant| Sample::new("msaa", [2168, 1080], &["--variant", variant]);
    let resolve = change(GPU, DISPLAY, &run("writeback")?, &run("separate-resolve")?);
    let (resolved, worst) = (run("writeback-postprocess")?, run("worst")?);
    let post = change(GPU, DISPLAY, &resolved, &worst);
    // The second pass reads colour and depth, of which one has its samples or none has: that much is recorded of images that can be
    // attachments (the target of a resolve by command is none).
    assert_eq!(resolved.sampled(), [Some(vec![]), Some(vec![1, 1])]);
    assert_eq!(worst.sampled(), [Some(vec![]), Some(vec![4])]);
    let all_samples = 4.0 * attachment(2168);
    assert!((post.read - all_samples).abs() < 1e-6, "G26: shaders are no part of the totals");
    let sampled = g26(&resolved, &worst, post.read);
    let within = Tolerance::Within;
    Ok(vec![
        Row {
            id: "G19",
            what: "read, resolve in the pass -> by command",
            unit: "MiB/s",
            measured: 2803.3 - 633.5,
            modelled: resolve.read,
            tolerance: within(UNCOMPRESSED),
        },
        Row {
            id: "G20",
            what: "write, resolve in the pass -> by command",
            unit: "MiB/s",
            measured: 2715.1 - 433.1,
            modelled: resolve.write,
            tolerance: within(UNCOMPRESSED),
        },
        Row {
            id: "G21",
            what: "read + write, resolve in the pass -> by command",
            unit: "MiB/s",
            measured: (2803.3 - 633.5) + (2715.1 - 433.1),
            modelled: resolve.read + resolve.write,
            tolerance: within(UNCOMPRESSED),
        },
        Row {
            id: "G25",
            what: "write, postprocessing: resolved in the pass -> worst",
            unit: "MiB/s",
            measured: 4881.6 - 930.7,
            modelled: post.write,
            tolerance: within(UNCOMPRESSED),
        },
        Row {
            id: "G26",
            what: "read, postprocessing: resolved in the pass -> worst",
            unit: "MiB/s",
            measured: 3527.0 - 1160.6,
            modelled: sampled,
            tolerance: within(SAMPLED),
        },
    ])
}

/// What the postprocessing of stored samples reads more: the resolve command all samples of colour, and its shader one sample of the
/// depth (it fetches always the first) where it read a resolved depth image before, which the GPU may compress. Both read colour once. The
/// report gives an interval, of which the row takes what compression leaves of usual content.
fn g26(resolved: &Sample, worst: &Sample, commands: f64) -> f64 {
    let (samples, plain) = (worst.beside(GPU, "depth 4x"), resolved.beside(GPU, "resolved depth"));
    let one = samples.one_sample_bytes.unwrap();
    assert_eq!((one.0 * 4, samples.compressed), (samples.bytes.0, None), "samples are never compressed");
    let [low, high] = plain.compressed.unwrap();
    let usual = plain.bytes.0 * MEASURED[1] / 1000;
    assert!(low.0 <= usual && usual <= high.0 && high <= one);
    let [least, most] = [high.0, low.0].map(|before| commands + mib(one.0) - mib(before));
    let measured = 3527.0 - 1160.6;
    assert!((least..=most).contains(&measured), "{least} to {most}");
    commands + mib(one.0) - mib(usual)
}

/// One 32-bit attachment of this width and 1080 lines, moved once a frame, in MiB/s.
fn attachment(width: u32) -> f64 {
    f64::from(width * 1080 * 4) * DISPLAY / f64::from(1 << 20)
}

/// AFBC switched on for the swapchain image of a forward renderer. The publication does not say at which of two widths.
fn compression() -> Result<Vec<Row>, Missing> {
    let saved = |width, what| {
        let run = |variant| Sample::steady("afbc", [width, 1080], &["--variant", variant]);
        let (storage, plain) = (run("wrong")?, run("right")?);
        let raw = change(GPU, DISPLAY, &storage, &plain);
        assert_eq!((raw.read, raw.write), (0.0, 0.0), "G31: the totals are uncompressed");
        let (is, could_be) = (storage.stored(GPU, "output"), plain.stored(GPU, "output"));
        assert_eq!(is.compressed, None, "G31: the usage STORAGE is in the way");
        let [low, high] = could_be.compressed.unwrap().map(|left| mib(is.bytes.0 - left.0));
        assert!((high..=low).contains(&MEASURED_AFBC), "G31: {high} to {low}");
        let advised = storage.advised(GPU, "TL404");
        let usual = is.bytes.0 * (1000 - MEASURED[1]) / 1000;
        assert_eq!(advised.into_iter().collect::<Vec<_>>(), [("output", usual)], "G31");
        Ok(Row {
            id: "G31",
            what,
            unit: "MiB/s",
            measured: MEASURED_AFBC,
            modelled: mib(is.bytes.0),
            tolerance: Tolerance::TakenAway,
        })
    };
    Ok(vec![
        saved(2168, "write saved by AFBC, beside the raw store, 2168 wide")?,
        saved(2280, "write saved by AFBC, beside the raw store, 2280 wide")?,
    ])
}

/// Written less with AFBC, MiB a second.
const MEASURED_AFBC: f64 = 788.0 - 528.6;

/// The G-buffer's old layout named instead of UNDEFINED. What unchanged tiles save depends on the content: the model says what they can
/// save at most, and the counter of tiles that were left out says how many of them there were.
fn layouts() -> Result<Vec<Row>, Missing> {
    let run = |variant| Sample::steady("layout_transitions", [2220, 1080], &["--variant", variant]);
    let (undefined, named) = (run("wrong")?, run("right")?);
    let raw = change(GPU, DISPLAY, &undefined, &named);
    assert_eq!((raw.read, raw.write), (0.0, 0.0), "G29: what is left out is in no total");
    assert!(named.advised(GPU, "TL401").is_empty(), "G29");
    let advised = undefined.advised(GPU, "TL401");
    assert_eq!(advised.keys().copied().collect::<Vec<_>>(), ["albedo", "normal"], "G29");
    let bound = mib(advised.values().sum());
    assert!((bound - 2.0 * attachment(2220)).abs() < 1e-6, "G29: {bound}");
    let geometry = &undefined.on(GPU).passes[0];
    let pixels = geometry.tile.unwrap().pixels();
    let measured = 1765.4 - 1602.6;
    let row = |what, modelled| Row { id: "G29", what, unit: "MiB/s", measured, modelled, tolerance: Tolerance::AtMost };
    Ok(vec![
        row("write saved by real old layouts, beside all that can be", bound),
        row("the same, beside the 220 k tiles/s that were left out", 220e3 * (pixels * 4) as f64 / f64::from(1 << 20)),
    ])
}

/// A barrier that lets vertices run beside fragments. The model has no times: it says what can run side by side. Work that ran one after the other and
/// now runs side by side takes at least as long as the longer part, so that a frame saves at most half of its time, however long each part takes;
/// where nothing runs side by side that did not before, it saves nothing.
fn barriers() -> Result<Vec<Row>, Missing> {
    let run = |arguments: &[&str]| Sample::new("pipeline_barriers", [2220, 1080], arguments);
    let wide = |stages| run(&["--variant", "wrong", "--wide", stages]);
    let (drained, right, too_early) =
        (wide("bottom-to-top")?, run(&["--variant", "right"])?, wide("output-to-vertex")?);
    let raw = change(GPU, DISPLAY, &drained, &right);
    assert_eq!((raw.read, raw.write), (0.0, 0.0), "G38: barriers move nothing");
    assert_eq!(drained.advised_on("TL501"), ["lighting"], "G38");
    assert_eq!(too_early.advised_on("TL502"), ["lighting"], "G38");
    assert!(right.advised_on("TL5").is_empty(), "G38: {:?}", right.advised_on("TL5"));
    let shorter = |to: &Sample| to.schedule().steps < drained.schedule().steps;
    let saved = |to: &Sample| if shorter(to) { -DRAINED_MS / 2.0 } else { 0.0 };
    Ok(vec![
        Row {
            id: "G38",
            what: "frame time, barrier BOTTOM to TOP -> COLOR_OUT to FRAG",
            unit: "ms",
            measured: NARROW_MS - DRAINED_MS,
            modelled: saved(&right),
            tolerance: Tolerance::AtMost,
        },
        Row {
            id: "G38",
            what: "frame time, barrier BOTTOM to TOP -> COLOR_OUT to VERTEX",
            unit: "ms",
            measured: 0.0,
            modelled: saved(&too_early),
            tolerance: Tolerance::Zero { traffic: DRAINED_MS, noise: NOISE },
        },
    ])
}

/// Milliseconds of a frame whose barriers are BOTTOM_OF_PIPE to TOP_OF_PIPE, and COLOR_ATTACHMENT_OUTPUT to FRAGMENT_SHADER. With
/// VERTEX_SHADER as destination the publication saw no gain.
const DRAINED_MS: f64 = 31.8;
const NARROW_MS: f64 = 27.7;

/// Bytes a frame in MiB a second.
fn mib(bytes: u64) -> f64 {
    bytes as f64 * DISPLAY / f64::from(1 << 20)
}
