//! The answer as JSON, `tilelens.fit/1`: attachments and tile passes are those of report.json.

use super::Answer;
use super::more::More;
use super::pass::Request;
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;
use tbdr_model::report::{Attachment, TilePass};
use tbdr_model::units::{Bytes, Extent2D};

/// The number rises when a field changes its meaning or disappears.
const SCHEMA: &str = "tilelens.fit/1";

#[derive(Serialize)]
struct FitJson<'a> {
    schema: &'static str,
    notice: &'a str,
    extent: Extent2D,
    layers: u32,
    attachments: &'a [Attachment],
    subpasses: Vec<SubpassJson<'a>>,
    remarks: &'a [String],
    gpus: BTreeMap<&'a str, GpuJson<'a>>,
    not_modelled: Vec<&'a str>,
}

/// Numbers are indices of attachments, null is an unused slot.
#[derive(Serialize)]
struct SubpassJson<'a> {
    color: &'a [Option<u32>],
    resolve: &'a [Option<u32>],
    depth: Option<u32>,
    input: &'a [Option<u32>],
}

#[derive(Serialize)]
struct GpuJson<'a> {
    name: &'a str,
    family: &'a str,
    policy: &'a str,
    read_bytes: Bytes,
    write_bytes: Bytes,
    /// Further colour attachments that would still fit.
    more: Option<&'a More>,
    passes: &'a [TilePass],
}

/// The answer as text.
pub fn render(answer: &Answer<'_>, request: &Request) -> Result<String> {
    let frame = answer.report.frames.first();
    let gpus = answer.profiles.iter().filter_map(|profile| {
        let gpu = frame?.gpus.get(&profile.id)?;
        let of_profile = GpuJson {
            name: &profile.name,
            family: profile.family,
            policy: &profile.policy,
            read_bytes: gpu.read_bytes,
            write_bytes: gpu.write_bytes,
            more: answer.more.get(&profile.id),
            passes: &gpu.passes,
        };
        Some((profile.id.as_str(), of_profile))
    });
    let subpasses = request.subpasses.iter().map(|s| SubpassJson {
        color: &s.color,
        resolve: &s.resolve,
        depth: s.depth,
        input: &s.input,
    });
    let json = FitJson {
        schema: SCHEMA,
        notice: &answer.report.notice,
        extent: request.extent,
        layers: request.layers,
        attachments: frame.and_then(|f| f.passes.first()).map_or(&[], |pass| &pass.attachments),
        subpasses: subpasses.collect(),
        remarks: &answer.remarks,
        gpus: gpus.collect(),
        not_modelled: answer.not_modelled(),
    };
    Ok(serde_json::to_string_pretty(&json)? + "\n")
}
