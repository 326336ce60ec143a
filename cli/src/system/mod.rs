//! What can be learnt of programs, libraries and folders of this machine without running them.

pub mod libraries;
pub mod machine;
pub mod program;
