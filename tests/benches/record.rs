//! What recording costs with the layer and without: 10 passes of 1000 draws, with one bind per 10 draws.
//!
//! Over the fake driver, whose commands do next to nothing, and over the installed loader with lavapipe. Nothing is submitted:
//! this is the time on the application's threads. The summary says how many nanoseconds the layer adds to a vkCmdDraw; the
//! figures of divan follow.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tilelens_tests::fake::{Chain, Options};
use tilelens_tests::real::Loop;
use tilelens_tests::sandbox::Folder;
use tilelens_tests::{artefacts, real};

/// The four loops: fake driver and lavapipe, each without and with the layer.
struct Loops {
    fake: [Loop; 2],
    lavapipe: Option<[Loop; 2]>,
}

fn loops() -> &'static Loops {
    static LOOPS: OnceLock<Loops> = OnceLock::new();
    LOOPS.get_or_init(|| {
        let fake = [Chain::without_layer(Options::default()), Chain::new(Options::default())].map(|chain| {
            chain.driver.set_noting(false);
            Loop::on_fake(&chain)
        });
        let lavapipe = match real::lavapipe() {
            Ok(_) => Some([false, true].map(Loop::on_loader)),
            Err(missing) => {
                real::skip(&missing);
                None
            }
        };
        Loops { fake, lavapipe }
    })
}

/// The best of many rounds for both loops, taken in turn so that a change of the clock meets both.
fn best(pair: &[Loop; 2]) -> [Duration; 2] {
    let mut best = [Duration::MAX; 2];
    for _ in 0..200 {
        for (index, one) in pair.iter().enumerate() {
            let start = Instant::now();
            one.record();
            best[index] = best[index].min(start.elapsed());
        }
    }
    best
}

fn summary(out: &mut impl Write, name: &str, pair: &[Loop; 2]) {
    let per_draw = best(pair).map(|time| time.as_nanos() as f64 / f64::from(Loop::DRAWS));
    let [without, with] = per_draw;
    let added = with - without;
    writeln!(out, "{name}: {without:.1} ns per vkCmdDraw without the layer, {with:.1} ns with it: {added:.1} ns added")
        .unwrap();
    // A debug build is no measure.
    assert!(cfg!(debug_assertions) || added <= MOST, "more than {MOST} ns added per vkCmdDraw");
}

/// What the layer may add to a vkCmdDraw, in nanoseconds.
const MOST: f64 = 15.0;

#[divan::bench(args = [false, true])]
fn fake_driver(bencher: divan::Bencher<'_, '_>, layer: bool) {
    let one = &loops().fake[usize::from(layer)];
    bencher.counter(divan::counter::ItemsCount::new(Loop::DRAWS)).bench(|| one.record());
}

#[divan::bench(args = [false, true])]
fn lavapipe(bencher: divan::Bencher<'_, '_>, layer: bool) {
    let Some(pair) = &loops().lavapipe else { return };
    let one = &pair[usize::from(layer)];
    bencher.counter(divan::counter::ItemsCount::new(Loop::DRAWS)).bench(|| one.record());
}

fn main() {
    let folder = Folder::new();
    let manifests = folder.0.join("layers");
    std::fs::create_dir_all(&manifests).unwrap();
    let manifest = tilelens_manifest::explicit_manifest(&artefacts::layer().to_string_lossy());
    std::fs::write(manifests.join("layer.json"), manifest).unwrap();
    // SAFETY: no other thread runs yet.
    unsafe {
        std::env::set_var("VK_TILELENS_TBDR_OUTPUT_DIR", folder.output());
        std::env::set_var("VK_TILELENS_TBDR_LOG_LEVEL", "error");
        std::env::set_var("VK_LAYER_PATH", &manifests);
        if let Ok(driver) = real::lavapipe() {
            std::env::set_var("VK_ICD_FILENAMES", &driver);
            std::env::set_var("VK_DRIVER_FILES", &driver);
        }
    }
    let mut out = std::io::stdout();
    summary(&mut out, "fake driver", &loops().fake);
    if let Some(pair) = &loops().lavapipe {
        summary(&mut out, "lavapipe", pair);
    }
    divan::main();
}
