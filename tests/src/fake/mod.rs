//! A Vulkan driver and loader in process: deterministic, strict, and full of the habits that real ones have.
//!
//! [`Chain`] plays the loader: it links layer and driver by hand as the loader does. [`Driver`] is what lies at the end of
//! the chain and notes everything that arrives. [`App`] is the application's side: a dispatch table filled through the chain.

pub mod app;
pub mod chain;
pub mod commands;
pub mod driver;
pub mod handle;
pub mod layer;
pub mod link;
pub mod log;
pub mod options;

pub use app::App;
pub use chain::Chain;
pub use driver::Driver;
pub use layer::Layer;
pub use log::Call;
pub use options::Options;
