//! What can be learnt of programs, libraries and manifests of this machine without running them.

pub mod env;
pub mod libraries;
pub mod machine;
pub mod manifests;
pub mod program;
