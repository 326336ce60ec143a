//! Any bytes, taken for the SPIR-V that a program gives to Vulkan.
//!
//! Nothing may panic or take long; what is found is ordered, each use once, and the same again; and code with an instruction in it that nobody
//! knows is neither known nor said to keep memory.

use tilelens_spirv::Module;

/// SPIR-V's magic number, version 1.6, and the rest of a header.
const HEADER: [u32; 5] = [0x0723_0203, 0x0001_0600, 0, 1 << 16, 0];
/// OpFunction.
const FUNCTION: u32 = 54;
/// One word that is an instruction of no version.
const UNKNOWN: u32 = 1 << 16 | 60_000;

/// Runs the target.
pub fn run(bytes: &[u8]) {
    let mut words: Vec<u32> = bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    scanned(&words);
    // Most bytes fail on the first word; the header is given to them.
    if words.first() != Some(&HEADER[0]) {
        words.splice(0..0, HEADER);
    }
    let found = scanned(&words);
    let changed = scanned(&with_unknown(&words));
    assert_eq!(changed.entry_points.len(), found.entry_points.len());
    assert!(!changed.entry_points.iter().any(|entry| entry.known || entry.keeps_memory), "{changed:?}");
}

fn scanned(words: &[u32]) -> Module {
    let found = Module::scan(words);
    assert_eq!(found, Module::scan(words));
    for entry in &found.entry_points {
        assert!(entry.uses.is_sorted_by(|before, after| before < after), "{entry:?}");
        assert!(entry.uses.len() <= words.len(), "{} uses of {} words", entry.uses.len(), words.len());
    }
    found
}

/// The module with an instruction that nobody knows at the beginning of each function.
fn with_unknown(words: &[u32]) -> Vec<u32> {
    let mut changed = words.get(..HEADER.len()).unwrap_or_default().to_vec();
    let mut at = HEADER.len();
    while let Some(&first) = words.get(at) {
        let end = at.saturating_add((first >> 16) as usize).min(words.len());
        changed.extend(&words[at..end]);
        if first & 0xFFFF == FUNCTION {
            changed.push(UNKNOWN);
        }
        if end == at {
            changed.extend(&words[at..]);
            break;
        }
        at = end;
    }
    changed
}
