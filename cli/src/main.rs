//! The command `tilelens`.
fn main() {}
