//! One number for a whole picture.

/// FNV-1a of 64 bits: short, and the same on every machine. Two runs are compared with it, nothing is secured.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_hash_agrees_with_published_values() {
        // Values of the FNV authors' own test suite.
        assert_eq!(super::hash(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(super::hash(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
