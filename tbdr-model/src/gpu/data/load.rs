//! Profile files, read: the built-in ones and those that users write in the same shape.
//!
//! Everything in a file is checked before a family sees it: ids, names, sources, sizes. Profiles of one family whose figures
//! have the same values share one set of decisions, so that what follows from them is worked out once.

use super::super::{Device, FAMILIES, Family, Profile, Tiler, family, known};
use super::{Confidence, DataError, Figure, Figures, Part, Value};
use crate::text::shown;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Arguments;
use serde::Deserialize;

/// Bytes that a user's file may have.
const LARGEST_FILE: usize = 1 << 20;
/// GPUs that a file may describe.
const MOST_GPUS: usize = 256;
/// Characters of an id, a name, a unit or a word.
const LONGEST_NAME: usize = 64;
/// Characters of a source or a policy's text.
const LONGEST_TEXT: usize = 400;
/// Ids with a meaning of their own wherever GPUs are chosen.
const RESERVED: &[&str] = &["all", "running"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    family: Option<String>,
    #[serde(default)]
    vendors: Vec<u32>,
    sources: BTreeMap<String, String>,
    policy: BTreeMap<String, PolicyEntry>,
    gpu: Vec<GpuEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyEntry {
    text: String,
    driver: BTreeMap<String, RawFigure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GpuEntry {
    id: String,
    name: String,
    policy: String,
    hardware: BTreeMap<String, RawFigure>,
    #[serde(default)]
    aliases: Option<Aliases>,
    #[serde(default)]
    device: Option<DeviceEntry>,
}

/// What else the GPU is called.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Aliases {
    names: Vec<String>,
    source: String,
}

/// What a driver says of the GPU in VkPhysicalDeviceProperties.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceEntry {
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    ids: Vec<u32>,
    #[serde(default)]
    driver_versions: Vec<[u32; 2]>,
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFigure {
    value: Value,
    unit: String,
    source: String,
    confidence: Confidence,
}

/// The profiles of a user's file: TOML of the shape of the built-in files, with `family` naming whose decisions apply.
///
/// `file` is what errors call it. Errors name the file, the GPU, the figure and what may stand there; no content makes this panic.
pub fn load_user(text: &str, file: &str) -> Result<Vec<Profile>, DataError> {
    let refuse = |message: String| DataError::Shape { file: shown(file, 200), message };
    if text.len() > LARGEST_FILE {
        return Err(refuse(format!("{} bytes: a profile file may have {LARGEST_FILE}", text.len())));
    }
    let parsed = parse(text, file)?;
    let named = parsed.family.clone().ok_or_else(|| refuse(missing_family()))?;
    let family =
        family(&named).ok_or_else(|| refuse(format!("family `{}`: {}", shown(&named, 64), missing_family())))?;
    let profiles = profiles(parsed, file, family)?;
    for (profile, figure) in profiles.iter().flat_map(|p| p.figures.iter().map(move |figure| (p, figure))) {
        if !figures_of(family.0, figure.part).any(|known| known == figure.key) {
            let mut known: Vec<&str> = figures_of(family.0, figure.part).collect();
            known.sort_unstable();
            known.dedup();
            return Err(refuse(format!(
                "`{}`: no decision of the family looks at a figure `{}` there; it is one of {}",
                profile.id,
                figure.key,
                known.join(", ")
            )));
        }
    }
    match profiles.iter().find(|p| known().iter().any(|known| known.id == p.id)) {
        Some(known) => Err(refuse(format!("`{}` is built in: give the GPU another id", known.id))),
        None => Ok(profiles),
    }
}

/// The profiles of a built-in file.
pub(in super::super) fn load(family: &Family) -> Result<Vec<Profile>, DataError> {
    let (name, text, _) = family;
    let file = format!("gpus/{name}.toml");
    profiles(parse(text, &file)?, &file, family)
}

/// The figures that the built-in profiles of a family have.
fn figures_of(family: &str, part: Part) -> impl Iterator<Item = &'static str> {
    let of_family = known().iter().filter(move |profile| profile.family == family);
    of_family.flat_map(|p| &p.figures).filter(move |figure| figure.part == part).map(|figure| figure.key.as_str())
}

fn missing_family() -> String {
    let names: Vec<String> = FAMILIES.iter().map(|(name, ..)| format!("\"{name}\"")).collect();
    format!("write family = one of {}", names.join(", "))
}

fn parse(text: &str, file: &str) -> Result<File, DataError> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = error.span().and_then(|span| text.get(..span.start)).map(|before| before.matches('\n').count() + 1);
        let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        DataError::Shape { file: shown(file, 200), message: place + &shown(error.message(), LONGEST_TEXT) }
    })
}

fn profiles(file: File, name: &str, family: &Family) -> Result<Vec<Profile>, DataError> {
    let refuse = |message: String| DataError::Shape { file: shown(name, 200), message };
    if file.gpu.len() > MOST_GPUS {
        return Err(refuse(format!("{} GPUs: a file may describe {MOST_GPUS}", file.gpu.len())));
    }
    let mut profiles: Vec<Profile> = Vec::new();
    for gpu in file.gpu {
        check_id(&gpu.id).map_err(|why| refuse(format!("id `{}`: {why}", shown(&gpu.id, LONGEST_NAME))))?;
        if profiles.iter().any(|p| p.id == gpu.id) {
            return Err(refuse(format!("`{}` stands twice: give one of them another id", gpu.id)));
        }
        let text = |what: Arguments<'_>, text: &str, most: usize| {
            if is_plain(text, most) {
                return Ok(text.to_string());
            }
            let text = shown(text, 64);
            Err(refuse(format!("`{}`: {what} `{text}`: write 1 to {most} printable characters", gpu.id)))
        };
        let source = |of: Arguments<'_>, key: &str| {
            let missing = || refuse(format!("`{}`, {of}: add `{}` to [sources]", gpu.id, shown(key, LONGEST_NAME)));
            file.sources.get(key).ok_or_else(missing).and_then(|s| text(format_args!("source"), s, LONGEST_TEXT))
        };
        let policy = file.policy.get(&gpu.policy).ok_or_else(|| {
            let named = shown(&gpu.policy, LONGEST_NAME);
            refuse(format!("`{}` runs under the policy `{named}`: add [policy.{named}]", gpu.id))
        })?;
        let mut figures = Vec::new();
        for (part, raw) in [(Part::Hardware, &gpu.hardware), (Part::Driver, &policy.driver)] {
            for (key, figure) in raw {
                let key = text(format_args!("figure"), key, LONGEST_NAME)?;
                if let Value::Text(word) = &figure.value {
                    text(format_args!("figure `{key}`"), word, LONGEST_NAME)?;
                }
                figures.push(Figure {
                    part,
                    value: figure.value.clone(),
                    unit: text(format_args!("unit of `{key}`"), &figure.unit, LONGEST_NAME)?,
                    source: source(format_args!("figure `{key}`"), &figure.source)?,
                    confidence: figure.confidence,
                    key,
                });
            }
        }
        let mut aliases = Vec::new();
        for alias in gpu.aliases.iter().flat_map(|a| &a.names) {
            aliases.push(text(format_args!("alias"), alias, LONGEST_NAME)?);
        }
        let mut names = Vec::new();
        for device in gpu.device.iter().flat_map(|d| &d.names) {
            names.push(text(format_args!("device name"), device, LONGEST_NAME)?);
        }
        gpu.aliases.as_ref().map(|a| source(format_args!("aliases"), &a.source)).transpose()?;
        gpu.device.as_ref().map(|d| source(format_args!("device"), &d.source)).transpose()?;
        let (ids, driver_versions) = gpu.device.map(|d| (d.ids, d.driver_versions)).unwrap_or_default();
        let device = Device { vendors: file.vendors.clone(), ids, names, driver_versions };
        profiles.push(Profile {
            name: text(format_args!("name"), &gpu.name, LONGEST_NAME)?,
            policy: text(format_args!("policy"), &policy.text, LONGEST_TEXT)?,
            family: family.0,
            tiler: tiler(&profiles, &gpu.id, &figures, name, family)?,
            id: gpu.id,
            aliases,
            device,
            figures,
        });
    }
    Ok(profiles)
}

/// The decisions that follow from these figures: those of a profile with the same values, else new ones.
fn tiler(
    others: &[Profile],
    gpu: &str,
    figures: &[Figure],
    file: &str,
    family: &Family,
) -> Result<Arc<dyn Tiler>, DataError> {
    let equal = |a: &Figure, b: &Figure| (&a.key, &a.value, &a.unit) == (&b.key, &b.value, &b.unit);
    let same =
        |p: &&Profile| p.figures.len() == figures.len() && p.figures.iter().zip(figures).all(|(a, b)| equal(a, b));
    match others.iter().find(same) {
        Some(profile) => Ok(profile.tiler.clone()),
        None => (family.2)(&Figures { file, gpu, figures }),
    }
}

fn check_id(id: &str) -> Result<(), &'static str> {
    let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    if id.is_empty() || id.len() > LONGEST_NAME || !id.chars().all(kebab) {
        Err("write 1 to 64 of a-z, 0-9, `.` and `-`")
    } else if RESERVED.contains(&id) {
        Err("this word means something else where GPUs are chosen")
    } else {
        Ok(())
    }
}

/// Whether a text can be shown anywhere as it is.
fn is_plain(text: &str, most: usize) -> bool {
    !text.trim().is_empty() && text.chars().count() <= most && shown(text, most) == text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::builtin;

    const HEAD: &str =
        "family = \"mali\"\n[sources]\ns = \"a public source\"\n[policy.p]\ntext = \"t\"\n[policy.p.driver]\n";
    const GPU: &str = "[[gpu]]\nid = \"mali-x\"\nname = \"X\"\npolicy = \"p\"\n[gpu.hardware]\n";

    fn refused(text: &str) -> String {
        load_user(text, "my.toml").unwrap_err().to_string()
    }

    #[test]
    fn a_missing_figure_is_named_with_its_file_and_gpu() {
        let error = refused(&format!("{HEAD}{GPU}"));
        assert_eq!(error, "my.toml, `mali-x`: figure `architecture`: add it, in generation");
    }

    #[test]
    fn a_figure_in_another_unit_or_out_of_range_is_refused_with_what_may_stand_there() {
        let with = |figure: &str| {
            refused(&format!("{HEAD}{GPU}architecture = {{ {figure}, source = \"s\", confidence = \"driver\" }}"))
        };
        assert!(with("value = 7, unit = \"years\"").ends_with("give it in generation"));
        assert!(with("value = 99, unit = \"generation\"").ends_with("write a whole number from 4 to 13"));
        assert!(with("value = \"new\", unit = \"generation\"").ends_with("write a whole number"));
    }

    #[test]
    fn a_value_of_no_known_shape_is_told_the_shapes_and_a_missing_word_the_words() {
        for value in ["-1", "nan", "1e9", "[1]", "[-1, 1]"] {
            let figure =
                format!("{{ value = {value}, unit = \"generation\", source = \"s\", confidence = \"vendor\" }}");
            let error = refused(&format!("{HEAD}{GPU}architecture = {figure}"));
            assert!(error.contains("[width, height]"), "{value}: {error}");
        }
        let own = include_str!("../../../gpus/mali.toml").replace("id = \"mali-", "id = \"my-");
        let without = |key: &str| own.lines().filter(|line| !line.starts_with(key)).collect::<Vec<_>>().join("\n");
        let error = refused(&format!("family = \"mali\"\n{}", without("merging")));
        assert!(error.ends_with("add it, in rule: \"arm\" or \"panvk\" or \"never\""), "{error}");
    }

    #[test]
    fn a_figure_that_no_decision_looks_at_is_refused() {
        let own = include_str!("../../../gpus/mali.toml").replace("id = \"mali-", "id = \"my-");
        let figure = "colour_buffer = { value = 1, unit = \"bytes\", source = \"names\", confidence = \"vendor\" }";
        let more = own.replacen("[gpu.hardware]", &format!("[gpu.hardware]\n{figure}"), 1);
        let error = refused(&format!("family = \"mali\"\n{more}"));
        assert!(error.contains("`colour_buffer`") && error.contains("color_buffer"), "{error}");
    }

    #[test]
    fn a_figure_without_a_listed_source_is_refused() {
        let figure = "architecture = { value = 7, unit = \"generation\", source = \"none\", confidence = \"driver\" }";
        let error = refused(&format!("{HEAD}{GPU}{figure}"));
        assert!(error.contains("add `none` to [sources]"), "{error}");
    }

    #[test]
    fn a_file_says_whose_decisions_apply_and_does_not_replace_a_built_in_gpu() {
        assert!(refused(&HEAD.replace("family = \"mali\"\n", "gpu = []\n")).contains("write family = one of \"mali\""));
        assert!(
            refused(&format!("gpu = []\n{}", HEAD.replace("\"mali\"", "\"geforce\""))).contains("family `geforce`")
        );
        let own = include_str!("../../../gpus/mali.toml");
        let named = |text: &str| format!("family = \"mali\"\n{text}");
        assert!(refused(&named(own)).contains("is built in"));
        let renamed = named(own).replace("id = \"mali-", "id = \"my-");
        let profiles = load_user(&renamed, "my.toml").unwrap();
        assert!(profiles.iter().any(|p| p.id == "my-g76" && p.family == "mali"));
    }

    #[test]
    fn hostile_files_are_refused_in_one_short_printable_line() {
        let long = "x".repeat(1 << 20);
        let hostile = [
            String::new(),
            "\u{1b}[31m = 1".to_string(),
            "gpu = 1".to_string(),
            format!("gpu = []\n{}", HEAD.replace("text = \"t\"", "text = \"t\"\nbell = 1")),
            format!("{HEAD}{}", GPU.replace("mali-x", "../../etc/passwd")),
            format!("{HEAD}{}", GPU.replace("mali-x", "all")),
            format!("{HEAD}{}", GPU.replace("\"X\"", "\"\\u001b[31m\"")),
            format!("{HEAD}{}", GPU.replace("\"X\"", &format!("\"{}\"", &long[..1000]))),
            format!("{HEAD}{}", GPU.replace("\"p\"", "\"\\u202e\"")),
            format!("{HEAD}{GPU}\"\\u001b\" = {{ value = -1, unit = \"\", source = \"s\", confidence = \"driver\" }}"),
            long,
        ];
        for text in &hostile {
            let error = refused(text);
            assert!(error.starts_with("my.toml"), "{error}");
            assert!(error.len() < 1200 && !error.contains(['\u{1b}', '\u{202e}', '\n']), "{error}");
        }
    }

    #[test]
    fn gpus_with_the_same_figures_share_their_decisions() {
        let all = builtin();
        let tiler = |id: &str| &all.iter().find(|p| p.id == id).unwrap().tiler;
        assert!(Arc::ptr_eq(tiler("mali-t860"), tiler("mali-t880")));
        assert!(!Arc::ptr_eq(tiler("mali-g71"), tiler("mali-g72")));
    }
}
