//! `--attachment FORMAT[@SAMPLES][:load=…,store=…]`: one attachment of the render pass in question.

use tbdr_model::format::{self, Info, Numeric};
use tbdr_model::frame::{Aspects, LoadOp, StoreOp};
use tbdr_model::text::shown;

/// What an option looks like, for messages.
pub const SYNTAX: &str = "FORMAT[@SAMPLES][:load=OP,store=OP]";

/// An attachment as asked for.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Its format, which can be rendered to.
    pub format: &'static Info,
    /// Samples per pixel: 1, 2, 4, … 64.
    pub samples: u32,
    /// loadOp of colour or depth.
    pub load: LoadOp,
    /// storeOp of colour or depth.
    pub store: StoreOp,
    /// loadOp of stencil.
    pub stencil_load: LoadOp,
    /// storeOp of stencil.
    pub stencil_store: StoreOp,
}

impl Spec {
    /// Cleared and then dropped: an attachment of that format which never leaves the chip if it can help it.
    pub fn dropped(format: &'static Info, samples: u32) -> Self {
        let (load, store) = (LoadOp::Clear, StoreOp::DontCare);
        Self { format, samples, load, store, stencil_load: load, stencil_store: store }
    }

    /// Whether it is a colour attachment.
    pub fn is_color(&self) -> bool {
        self.format.aspects() == Aspects::COLOR
    }
}

/// Reads one attachment. What is not given: one sample, cleared, colour stored and depth and stencil dropped.
pub fn parse(text: &str) -> Result<Spec, String> {
    let (head, operations) = text.split_once(':').map_or((text, None), |(head, rest)| (head, Some(rest)));
    let (name, samples) = head.split_once('@').map_or((head, None), |(name, samples)| (name, Some(samples)));
    let format = named(name)?;
    let mut spec = Spec::dropped(format, samples.map_or(Ok(1), sample_count)?);
    if spec.is_color() {
        spec.store = StoreOp::Store;
    }
    let (mut load, mut store, mut stencil_load, mut stencil_store) = (None, None, None, None);
    for operation in operations.into_iter().flat_map(|all| all.split(',')).filter(|one| !one.trim().is_empty()) {
        let Some((key, word)) = operation.split_once('=') else {
            return Err(format!("`{}` lacks `=`: write {SYNTAX}", shown(operation, 60)));
        };
        match key.trim().to_ascii_lowercase().replace('-', "_").as_str() {
            "load" => once(key, &mut load, load_op(word)?)?,
            "store" => once(key, &mut store, store_op(word)?)?,
            "stencil_load" => once(key, &mut stencil_load, load_op(word)?)?,
            "stencil_store" => once(key, &mut stencil_store, store_op(word)?)?,
            _ => {
                let known = "load, store, stencil-load and stencil-store";
                return Err(format!("an attachment has no `{}`; it has {known}", shown(key, 60)));
            }
        }
    }
    spec.load = load.unwrap_or(spec.load);
    spec.store = store.unwrap_or(spec.store);
    let has_stencil = format.aspects().contains(Aspects::STENCIL);
    if (stencil_load.is_some() || stencil_store.is_some()) && !has_stencil {
        return Err(format!("{} has no stencil: leave stencil-load and stencil-store out", format.name));
    }
    // Whoever says nothing of stencil means both.
    spec.stencil_load = stencil_load.unwrap_or(spec.load);
    spec.stencil_store = stencil_store.unwrap_or(spec.store);
    Ok(spec)
}

/// Takes what is said once.
fn once<T>(key: &str, place: &mut Option<T>, said: T) -> Result<(), String> {
    match place.replace(said) {
        None => Ok(()),
        Some(_) => Err(format!("`{}` stands twice: leave one out", shown(key.trim(), 60))),
    }
}

/// The format of this name, with `VK_FORMAT_` or without, in upper or lower case.
fn named(name: &str) -> Result<&'static Info, String> {
    let plain = |name: &str| {
        let upper = name.trim().chars().take(64).collect::<String>().to_ascii_uppercase();
        upper.strip_prefix("VK_FORMAT_").map(String::from).unwrap_or(upper)
    };
    let wanted = plain(name);
    let known = format::all().iter().find(|format| format.name.eq_ignore_ascii_case(&wanted));
    match known {
        Some(format) if is_attachment(format) => Ok(format),
        Some(format) => Err(format!("{} is compressed or has planes: nothing renders to it", format.name)),
        None => {
            let likeness = |format: &&Info| strsim::jaro_winkler(&wanted, format.name) + meant(format, &wanted);
            let mut known: Vec<_> = format::all().iter().filter(|format| is_attachment(format)).collect();
            known.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
            let near: Vec<_> =
                known.iter().filter(|f| likeness(f) > UNLIKE).take(3).map(|format| format.name).collect();
            let near = if near.is_empty() { String::new() } else { format!("; near: {}", near.join(", ")) };
            Err(format!(
                "no format `{}`{near}. Formats go by their VkFormat, with VK_FORMAT_ or without, as in R8G8B8A8_UNORM",
                shown(name, 60)
            ))
        }
    }
}

/// Names that are no more alike than this have nothing to do with each other.
const UNLIKE: f64 = 0.7;

/// How surely a word from elsewhere means the format: 2 for its components and its encoding, 1 for the components alone, 0 for neither.
fn meant(format: &Info, wanted: &str) -> f64 {
    let endings: &[&str] = match format.components.first().map(|first| first.numeric) {
        Some(Numeric::Unorm) => &["", "_UNORM"],
        Some(Numeric::Sfloat) => &["F", "_SFLOAT", "_FLOAT"],
        Some(Numeric::Ufloat) => &["F", "_UFLOAT", "_FLOAT"],
        Some(Numeric::Srgb) => &["_SRGB"],
        Some(Numeric::Uint) => &["UI", "_UINT"],
        Some(Numeric::Sint) => &["I", "_SINT"],
        _ => &[],
    };
    let rests = shorthands(format).into_iter().filter_map(|short| wanted.strip_prefix(&short).map(String::from));
    let exact = |rest: &String| endings.contains(&rest.as_str());
    // What goes on with a digit is about other sizes.
    let fits = rests.filter(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
    fits.map(|rest| if exact(&rest) { 2.0 } else { 1.0 }).fold(0.0, f64::max)
}

/// What people call components of these sizes: `RGBA8`, `RGBA8888`, `RGB10A2`, `R10G10B10A2`, `D24S8`; of packed formats from either end.
fn shorthands(format: &Info) -> Vec<String> {
    let forward: Vec<(&str, u8)> = format.components.iter().map(|c| (c.name, c.bits)).collect();
    let backward: Vec<(&str, u8)> = forward.iter().rev().copied().collect();
    let packed = format.name.contains("PACK");
    let orders = if packed { vec![backward, forward] } else { vec![forward] };
    let mut found = Vec::new();
    for order in orders {
        let names: String = order.iter().map(|(name, _)| *name).collect();
        found.push(names + &order.iter().map(|(_, bits)| bits.to_string()).collect::<String>());
        found.push(order.iter().map(|(name, bits)| format!("{name}{bits}")).collect());
        let mut grouped = String::new();
        for (at, (name, bits)) in order.iter().enumerate() {
            grouped += name;
            if order.get(at + 1).is_none_or(|(_, next)| next != bits) {
                grouped += &bits.to_string();
            }
        }
        found.push(grouped);
    }
    found
}

/// Whether texels stand for themselves, as those that are rendered to must.
fn is_attachment(format: &Info) -> bool {
    format.block == [1, 1, 1] && format.planes.is_empty()
}

fn sample_count(text: &str) -> Result<u32, String> {
    let count = text.trim().parse().ok().filter(|count: &u32| count.is_power_of_two() && *count <= 64);
    count.ok_or_else(|| format!("`@{}`: samples are 1, 2, 4, 8, 16, 32 or 64", shown(text, 20)))
}

/// The word of an operation without what Vulkan puts before it.
fn word(text: &str, prefix: &str) -> String {
    let upper = text.trim().chars().take(64).collect::<String>().to_ascii_uppercase().replace('-', "_");
    upper.strip_prefix(prefix).map(String::from).unwrap_or(upper)
}

fn load_op(text: &str) -> Result<LoadOp, String> {
    match word(text, "VK_ATTACHMENT_LOAD_OP_").as_str() {
        "LOAD" => Ok(LoadOp::Load),
        "CLEAR" => Ok(LoadOp::Clear),
        "DONT_CARE" => Ok(LoadOp::DontCare),
        "NONE" => Ok(LoadOp::None),
        _ => Err(format!("load=`{}`: it is LOAD, CLEAR, DONT_CARE or NONE", shown(text, 60))),
    }
}

fn store_op(text: &str) -> Result<StoreOp, String> {
    match word(text, "VK_ATTACHMENT_STORE_OP_").as_str() {
        "STORE" => Ok(StoreOp::Store),
        "DONT_CARE" => Ok(StoreOp::DontCare),
        "NONE" => Ok(StoreOp::None),
        _ => Err(format!("store=`{}`: it is STORE, DONT_CARE or NONE", shown(text, 60))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_is_stored_and_depth_dropped_unless_it_is_said() {
        let color = parse("vk_format_r8g8b8a8_unorm").unwrap();
        assert_eq!((color.format.name, color.samples, color.store), ("R8G8B8A8_UNORM", 1, StoreOp::Store));
        let depth = parse("D24_UNORM_S8_UINT@4:load=load,stencil-store=store").unwrap();
        assert_eq!((depth.samples, depth.load, depth.store), (4, LoadOp::Load, StoreOp::DontCare));
        assert_eq!((depth.stencil_load, depth.stencil_store), (LoadOp::Load, StoreOp::Store));
    }

    #[test]
    fn what_is_wrong_with_an_attachment_is_named_with_what_would_be_right() {
        for (text, words) in [
            ("R8G8B8A8_UNROM", "R8G8B8A8_UNORM"),
            ("RGBA8", "near: R8G8B8A8_UNORM"),
            ("RGBA16F", "near: R16G16B16A16_SFLOAT"),
            ("BC1_RGB_UNORM_BLOCK", "nothing renders to it"),
            ("R8_UNORM@3", "1, 2, 4"),
            ("R8_UNORM@", "1, 2, 4"),
            ("R8_UNORM:load", "lacks `=`"),
            ("R8_UNORM:lod=CLEAR", "stencil-load"),
            ("R8_UNORM:load=KEEP", "DONT_CARE"),
            ("R8_UNORM:store=LOAD", "STORE, DONT_CARE or NONE"),
            ("R8_UNORM:stencil-load=LOAD", "has no stencil"),
            ("", "no format ``"),
            ("ASTC_4x4_UNORM_BLOCK", "nothing renders to it"),
            ("R8_UNORM:load=LOAD,load=CLEAR", "stands twice"),
        ] {
            let told = parse(text).unwrap_err();
            assert!(told.contains(words), "{text}: {told}");
        }
        let hostile = parse(&format!("\u{1b}[31m{}", "x".repeat(1 << 20))).unwrap_err();
        assert!(hostile.len() < 500 && !hostile.contains('\u{1b}'), "{hostile}");
    }
}
