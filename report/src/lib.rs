//! Renderers of a report: pure functions from [`tbdr_model::report::Report`] to text. One renderer a module.
//!
//! A renderer computes nothing but sums and shares of what the report holds, puts every foreign string through
//! [`tbdr_model::text::shown`], and says that the figures are modelled, not measured.
#![forbid(unsafe_code)]

pub mod text;
