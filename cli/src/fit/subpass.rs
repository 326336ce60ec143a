//! `--subpass "color=2,3;depth=1"`: which attachments a subpass uses how.

use super::attachment::Spec as Attached;
use tbdr_model::frame::Aspects;
use tbdr_model::text::shown;

/// What an option looks like, for messages.
const SYNTAX: &str = "\"color=0,1;resolve=2;depth=3;input=4,5\"";
/// How a slot without an attachment is written.
const UNUSED: &str = "-";

/// A subpass as asked for; numbers are indices of attachments, `None` is an unused slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    /// Colour slots.
    pub color: Vec<Option<u32>>,
    /// Resolve targets of the colour slots, or none at all.
    pub resolve: Vec<Option<u32>>,
    /// Depth and stencil.
    pub depth: Option<u32>,
    /// Input attachments.
    pub input: Vec<Option<u32>>,
}

/// Reads one subpass. Whether its attachments exist is [`check`]'s business.
pub fn parse(text: &str) -> Result<Spec, String> {
    let mut spec = Spec::default();
    let mut said = Vec::new();
    for part in text.split(';').filter(|part| !part.trim().is_empty()) {
        let Some((key, numbers)) = part.split_once('=') else {
            return Err(format!("`{}` lacks `=`: write {SYNTAX}, in quotes", shown(part, 60)));
        };
        let slots = slots(numbers)?;
        let key = key.trim().to_ascii_lowercase();
        if said.contains(&key) {
            return Err(format!("`{}` stands twice: leave one out", shown(&key, 60)));
        }
        said.push(key.clone());
        match key.as_str() {
            "color" => spec.color = slots,
            "resolve" => spec.resolve = slots,
            "input" => spec.input = slots,
            "depth" => match slots[..] {
                [Some(only)] => spec.depth = Some(only),
                _ => return Err(format!("depth=`{}`: a subpass has one depth attachment", shown(numbers, 60))),
            },
            _ => {
                let known = "color, resolve, depth and input";
                return Err(format!("a subpass has no `{}`; it has {known}", shown(&key, 60)));
            }
        }
    }
    Ok(spec)
}

fn slots(text: &str) -> Result<Vec<Option<u32>>, String> {
    let slot = |word: &str| match word.trim() {
        UNUSED => Ok(None),
        number => number.parse().map(Some).map_err(|_| {
            format!("`{}` is no attachment: they are numbered from 0; `{UNUSED}` is an unused slot", shown(number, 60))
        }),
    };
    text.split(',').map(slot).collect()
}

/// The one subpass of a pass for which none is described: every colour format as colour, the first depth or stencil format as depth.
pub fn of_all(attachments: &[Attached]) -> Spec {
    let indices = || (0u32..).zip(attachments);
    Spec {
        color: indices().filter(|(_, a)| a.is_color()).map(|(index, _)| Some(index)).collect(),
        depth: indices().find(|(_, a)| !a.is_color()).map(|(index, _)| index),
        ..Spec::default()
    }
}

/// What Vulkan would refuse in a subpass.
pub fn check(spec: &Spec, attachments: &[Attached]) -> Result<(), String> {
    let get = |index: u32| {
        attachments.get(index as usize).ok_or_else(|| {
            format!("there is no attachment {index}: {} are given, numbered from 0 in their order", attachments.len())
        })
    };
    let mut targets = Vec::new();
    for index in spec.color.iter().flatten() {
        if !get(*index)?.is_color() {
            let name = get(*index)?.format.name;
            return Err(format!("attachment {index} is {name}, no colour: write depth={index}"));
        }
        targets.push(*index);
    }
    if let Some(index) = spec.depth {
        if get(index)?.is_color() {
            return Err(format!("attachment {index} is {}, no depth: write color={index}", get(index)?.format.name));
        }
        targets.push(index);
    }
    let samples = |index: u32| get(index).map(|a| a.samples);
    for (at, index) in targets.iter().enumerate() {
        if targets[..at].contains(index) {
            return Err(format!("attachment {index} is rendered to twice in one subpass"));
        }
        if samples(*index)? != samples(targets[0])? {
            let (first, second) = (samples(targets[0])?, samples(*index)?);
            return Err(format!(
                "attachments {} and {index} have {first} and {second} samples: what a subpass renders to has one number of \
                 samples; a target that is resolved to belongs in resolve=",
                targets[0]
            ));
        }
    }
    for index in spec.input.iter().flatten() {
        get(*index)?;
    }
    resolves(spec, get)
}

fn resolves<'a>(spec: &Spec, get: impl Fn(u32) -> Result<&'a Attached, String>) -> Result<(), String> {
    if !spec.resolve.is_empty() && spec.resolve.len() != spec.color.len() {
        let (targets, slots) = (spec.resolve.len(), spec.color.len());
        return Err(format!("{targets} resolve targets for {slots} colour slots: give one each, `{UNUSED}` for none"));
    }
    for (source, target) in spec.color.iter().zip(&spec.resolve) {
        let Some(target) = *target else { continue };
        let Some(source) = *source else {
            return Err(format!(
                "attachment {target} is the resolve target of an unused colour slot: write `{UNUSED}`"
            ));
        };
        let (from, to) = (get(source)?, get(target)?);
        if from.samples == 1 || to.samples != 1 {
            return Err(format!(
                "attachment {source} has {} and attachment {target} {} samples: a resolve goes from more than one to one",
                from.samples, to.samples
            ));
        }
        if from.format != to.format {
            return Err(format!(
                "attachment {source} is {} and attachment {target} {}: a resolve keeps the format",
                from.format.name, to.format.name
            ));
        }
    }
    Ok(())
}

impl Spec {
    /// Attachments that the subpass renders or resolves to.
    pub fn written(&self) -> impl Iterator<Item = u32> {
        self.color.iter().chain(&self.resolve).chain([&self.depth]).copied().flatten()
    }

    /// Every attachment that it uses.
    pub fn used(&self) -> impl Iterator<Item = u32> {
        self.written().chain(self.input.iter().copied().flatten())
    }
}

/// Aspects through which an input attachment is read: depth of what has depth, as a shader sees one aspect at a time.
pub fn input_aspects(attachment: &Attached) -> Aspects {
    let own = attachment.format.aspects();
    if own.contains(Aspects::DEPTH) { Aspects::DEPTH } else { own }
}

#[cfg(test)]
mod tests {
    use super::super::attachment;
    use super::*;

    fn told(text: &str, attachments: &[&str]) -> String {
        let attachments: Vec<_> = attachments.iter().map(|a| attachment::parse(a).unwrap()).collect();
        match parse(text).and_then(|spec| check(&spec, &attachments)) {
            Ok(()) => String::new(),
            Err(error) => error,
        }
    }

    #[test]
    fn slots_stay_in_their_order_and_may_be_unused() {
        let spec = parse("color=2,-,3; depth=1;INPUT=0").unwrap();
        assert_eq!((spec.color, spec.depth, spec.input), (vec![Some(2), None, Some(3)], Some(1), vec![Some(0)]));
    }

    #[test]
    fn what_vulkan_refuses_is_refused_with_what_would_be_right() {
        let four = ["R8G8B8A8_UNORM", "R8G8B8A8_UNORM@4", "D32_SFLOAT", "R16_SFLOAT"];
        assert_eq!(told("color=1;resolve=0", &four), "");
        assert_eq!(told("color=0;depth=2;input=3", &four), "");
        for (text, words) in [
            ("color", "lacks `=`"),
            ("colour=0", "color, resolve, depth and input"),
            ("color=x", "numbered from 0"),
            ("color=4", "there is no attachment 4: 4 are given"),
            ("input=9", "there is no attachment 9"),
            ("color=2", "write depth=2"),
            ("depth=0", "write color=0"),
            ("depth=2,2", "one depth attachment"),
            ("color=0,0", "twice"),
            ("color=0,1", "resolve="),
            ("color=1;resolve=0,3", "2 resolve targets for 1"),
            ("color=0;resolve=3", "more than one to one"),
            ("color=1;resolve=3", "keeps the format"),
            ("color=-;resolve=0", "unused colour slot"),
        ] {
            let told = told(text, &four);
            assert!(told.contains(words), "{text}: {told}");
        }
    }
}
