//! Whether a measured difference agrees with the modelled one, by the tolerance of its class.
//!
//! The classes and their widths come from published measurements on Mali GPUs (Khronos Vulkan-Samples, performance samples): traffic of
//! multisampled images, which are not compressed, was met to -0 … +6.5 %; one load or store of a single-sampled image to -3.3 … +9.4 %;
//! single-sampled images that are compressed without loss moved 0.45 to 0.60 of their size; where nothing should change,
//! readings moved by up to 5 % of what they were.

use super::ledger::Modelled;
use super::quantity::Pair;
use clap::ValueEnum;
use serde::Serialize;

/// What kind of traffic changed, which decides how well it can be predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Nothing changed: the model says exactly 0, the reading may move by 5 % of what it was.
    Zero,
    /// Images with several samples per pixel, which no GPU here compresses: ±8 %.
    Multisampled,
    /// Loads and stores of images with one sample per pixel that are not compressed: ±10 %.
    Single,
    /// Images with one sample per pixel that the GPU compresses without loss: 0.45 to 0.60 of what is modelled, 0.52 as a rule; what has several samples
    /// ±8 %.
    Compressible,
}

/// Noise of a reading, as a share of what it was.
const NOISE: f64 = 0.05;
/// Tolerance of multisampled traffic.
const MULTISAMPLED: f64 = 0.08;
/// Tolerance of single-sampled traffic that is not compressed.
const SINGLE: f64 = 0.10;
/// What is left of an image that is compressed without loss: least, as a rule, most.
const COMPRESSED: [f64; 3] = [0.45, 0.52, 0.60];

impl Class {
    /// The class that follows from what changed in the ledger.
    pub fn of(modelled: &Modelled) -> Self {
        match (modelled.difference(), modelled.multisampled) {
            (0, _) => Self::Zero,
            (_, 0) => Self::Single,
            _ => Self::Multisampled,
        }
    }

    /// The class's name and width, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Zero => "nothing changed: exactly 0, noise up to 5 % of the reading before",
            Self::Multisampled => "multisampled, not compressed: ±8 %",
            Self::Single => "single-sampled, not compressed: ±10 %",
            Self::Compressible => "compressed without loss: 0.45 to 0.60 of it, 0.52 as a rule; multisampled ±8 %",
        }
    }
}

/// The judgement of one direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Its class.
    pub class: Class,
    /// The difference that is expected, in bytes per frame.
    pub expected: f64,
    /// The least and the largest difference that still agree.
    pub range: [f64; 2],
    /// Measured difference in modelled differences; absent where nothing is modelled.
    pub ratio: Option<f64>,
    /// Whether the measured difference is within the range.
    pub within: bool,
    /// What may be the matter, where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<&'static str>,
}

/// Judges a measured pair, in bytes per frame.
#[allow(clippy::cast_precision_loss)] // Bytes of a frame are far below 2^53.
pub fn judge(modelled: &Modelled, measured: Pair<f64>, chosen: Option<Class>) -> Verdict {
    let class = chosen.unwrap_or_else(|| Class::of(modelled));
    let (multi, single) = (modelled.multisampled as f64, modelled.single as f64);
    let difference = modelled.difference() as f64;
    let measured_difference = measured.difference();
    let (expected, range) = bounds(class, multi, single, measured.before);
    let inside = |[least, most]: [f64; 2]| least <= measured_difference && measured_difference <= most;
    // Where nothing should change, a model that says otherwise is wrong however little was measured.
    let within = inside(range) && (class != Class::Zero || difference == 0.0);
    let compressed = bounds(Class::Compressible, multi, single, measured.before).1;
    let hint = match class {
        _ if within => None,
        Class::Zero if difference != 0.0 => Some("the model says that something changes: leave --class out"),
        Class::Zero => Some("something moves bytes that the frame does not show, or the frame rates differ: see --fps"),
        _ if difference == 0.0 => Some("the model says that nothing changes: leave --class out"),
        Class::Single | Class::Multisampled if inside(compressed) => Some(
            "it agrees with images that are compressed without loss: if this GPU does that, use --class compressible",
        ),
        _ => {
            Some("are both readings of the same scene, unit (MiB or MB) and frame rate, and of external memory alone?")
        }
    };
    let ratio = (difference != 0.0).then(|| measured_difference / difference);
    Verdict { class, expected, range, ratio, within, hint }
}

/// The expected difference and its range.
fn bounds(class: Class, multi: f64, single: f64, baseline: f64) -> (f64, [f64; 2]) {
    let around = |value: f64, share: f64| [value - value.abs() * share, value + value.abs() * share];
    match class {
        Class::Zero => (0.0, [-baseline * NOISE, baseline * NOISE]),
        Class::Multisampled => (multi + single, around(multi + single, MULTISAMPLED)),
        Class::Single => (multi + single, around(multi + single, SINGLE)),
        Class::Compressible => {
            let [least, usual, most] = COMPRESSED.map(|share| share * single);
            let multi_range = around(multi, MULTISAMPLED);
            (multi + usual, [multi_range[0] + least.min(most), multi_range[1] + least.max(most)])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: f64 = 1_048_576.0;
    /// 32 bits for every pixel of 2168x1080, in bytes.
    const A: i128 = 2168 * 1080 * 4;

    /// Judges rates in MiB/s at 60 frames a second.
    fn judged(multisampled: i128, single: i128, before: f64, after: f64, class: Option<Class>) -> Verdict {
        let modelled = Modelled { before: 1 << 40, after: 0, multisampled, single };
        judge(&modelled, Pair { before: before * MIB / 60.0, after: after * MIB / 60.0 }, class)
    }

    #[test]
    fn a_separate_resolve_on_a_mali_g76_reads_and_writes_four_samples_more() {
        let read = judged(4 * A, 0, 633.5, 2803.3, None);
        assert_eq!((read.class, read.within), (Class::Multisampled, true));
        assert!((read.ratio.unwrap() - 1.012).abs() < 0.001, "{read:?}");
        let write = judged(4 * A, 0, 433.1, 2715.1, None);
        assert!(write.within && (write.ratio.unwrap() - 1.064).abs() < 0.001, "{write:?}");
        assert!(!judged(2 * A, 0, 633.5, 2803.3, None).within);
    }

    #[test]
    fn a_load_on_a_mali_g71_reads_the_attachment_once() {
        let load = judged(0, 2220 * 1080 * 4, 933.7, 1533.9, None);
        assert_eq!((load.class, load.within, load.hint), (Class::Single, true, None));
        assert!((load.ratio.unwrap() - 1.094).abs() < 0.001, "{load:?}");
    }

    #[test]
    fn a_change_for_the_better_is_judged_like_one_for_the_worse() {
        let load = judged(0, -2220 * 1080 * 4, 1533.9, 933.7, None);
        assert!(load.within && load.range[0] < load.range[1], "{load:?}");
        assert!(!judged(0, -2220 * 1080 * 4, 933.7, 1533.9, None).within, "the other way round");
    }

    #[test]
    fn where_nothing_changes_a_reading_may_move_by_a_twentieth() {
        assert!(judged(0, 0, 962.4, 986.3, None).within);
        assert!(!judged(0, 0, 962.4, 1020.0, None).within);
        let moved = judged(0, A, 962.4, 962.4, Some(Class::Zero));
        assert!(!moved.within && moved.hint.unwrap().contains("leave --class out"));
        // Loads moved from one image to another are no change of the sum.
        assert_eq!(judged(A, -A, 100.0, 100.0, None).class, Class::Zero);
    }

    #[test]
    fn a_swapchain_that_is_compressed_moves_half_of_its_size() {
        let store = judged(0, -A, 788.0, 528.6, None);
        assert!(!store.within && store.hint.unwrap().contains("--class compressible"), "{store:?}");
        assert!(judged(0, -A, 788.0, 528.6, Some(Class::Compressible)).within);
    }

    #[test]
    fn compressed_and_multisampled_traffic_add_up() {
        // Colour read again with four samples and depth with one, against a depth that was read compressed.
        let read = judged(5 * A, -A, 1160.6, 3527.0, Some(Class::Compressible));
        assert!(read.within && read.range[0] < read.range[1], "{read:?}");
    }
}
