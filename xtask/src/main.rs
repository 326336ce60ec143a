//! Generators and repository checks: `cargo xtask <command>`.
fn main() {}
