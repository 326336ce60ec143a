//! `cargo xtask coverage [--check]`: every command that can touch images is hooked, or listed with the reason why not.
//!
//! Inputs: the hook table of the layer, `layer/commands/touching.txt` (generated from the registry) and `layer/commands/not-hooked.txt`
//! (kept by hand). Output: `docs/coverage.md`. It fails when the lists and the table contradict each other, in either form.

use crate::output::{self, Generated};
use crate::touching;
use crate::usage::check_only;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

const TABLE: &str = "layer/src/dispatch/table.rs";
const NOT_HOOKED: &str = "layer/commands/not-hooked.txt";
/// The module of hooks that only note that a command was there.
const OPAQUE: &str = "opaque";

/// Why commands are not hooked: the word in the list, and what the page says of it.
const KINDS: [(&str, &str); 3] = [
    ("nothing", "Commands without influence: they move no bytes of an image and change no verdict."),
    ("elsewhere", "Commands that need no hook, since what they do is learnt elsewhere."),
    ("undecided", "Commands that are not followed; what they could change is undecided in every report."),
];

/// Runs the command.
pub fn run(arguments: &[String]) -> Result<()> {
    let check = check_only("coverage", arguments)?;
    let coverage = Coverage::new(&output::committed(touching::PATH)?)?;
    let problems = coverage.problems();
    if !problems.is_empty() {
        bail!("hooks and lists disagree:\n  {}", problems.join("\n  "));
    }
    output::deliver(&[Generated { path: "docs/coverage.md", text: coverage.page() }], check)
}

/// Compares the hook table with a registry, perhaps a newer one than the committed list is from.
pub fn check_hooks(touching: &Generated, registry: &str) -> Result<()> {
    let mut out = std::io::stdout();
    let known = commands(&output::committed(touching::PATH)?)?;
    let coverage = Coverage::new(&touching.text)?;
    let new: Vec<_> = coverage.touching.keys().filter(|name| !known.contains_key(*name)).cloned().collect();
    if !new.is_empty() {
        writeln!(out, "new since {} was generated:\n  {}", touching::PATH, new.join("\n  "))?;
    }
    let problems = coverage.problems();
    if problems.is_empty() {
        writeln!(
            out,
            "{registry}: {} commands can touch images; every one is hooked or listed",
            coverage.touching.len()
        )?;
        return Ok(());
    }
    bail!("{registry}: hooks and lists disagree:\n  {}", problems.join("\n  "))
}

struct Coverage {
    /// Commands that can touch images, with their aliases.
    touching: BTreeMap<String, Vec<String>>,
    /// Hooked names, with the module of their hook.
    hooked: BTreeMap<String, String>,
    /// Commands that are not hooked: kind and reason.
    listed: BTreeMap<String, (String, String)>,
    /// What is wrong with the list itself.
    malformed: Vec<String>,
}

impl Coverage {
    fn new(touching: &str) -> Result<Self> {
        let (mut listed, mut malformed, mut last) = (BTreeMap::new(), Vec::new(), String::new());
        let list = output::committed(NOT_HOOKED)?;
        for line in list.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let parts: Vec<_> = line.splitn(3, ": ").collect();
            let [name, kind, reason] = parts[..] else { bail!("{NOT_HOOKED}: not `command: kind: reason`: {line}") };
            if !KINDS.iter().any(|(word, _)| *word == kind) || reason.trim().is_empty() {
                malformed.push(format!("{name}: `{kind}` is no kind, or there is no reason"));
            }
            if name <= last.as_str() {
                malformed.push(format!("{name} is listed twice or out of order"));
            }
            name.clone_into(&mut last);
            listed.insert(name.to_owned(), (kind.to_owned(), reason.to_owned()));
        }
        Ok(Self { touching: commands(touching)?, hooked: hooks(&output::committed(TABLE)?), listed, malformed })
    }

    fn problems(&self) -> Vec<String> {
        let mut problems = self.malformed.clone();
        for (name, aliases) in &self.touching {
            let names = || [name].into_iter().chain(aliases);
            let missing: Vec<_> = names().filter(|n| !self.hooked.contains_key(*n)).map(String::as_str).collect();
            let hooked = missing.len() <= aliases.len();
            match (hooked, self.listed.contains_key(name)) {
                (true, true) => problems.push(format!("{name} is hooked and listed as not hooked")),
                (true, false) if !missing.is_empty() => {
                    problems
                        .push(format!("{name} is hooked under some of its names, but not as {}", missing.join(", ")));
                }
                (false, false) => problems.push(format!("{name} is neither hooked nor listed in {NOT_HOOKED}")),
                _ => {}
            }
        }
        let stale = self.listed.keys().filter(|name| !self.touching.contains_key(*name));
        problems.extend(stale.map(|name| format!("{name} is listed, but no command that could touch an image")));
        problems
    }

    /// `docs/coverage.md`.
    fn page(&self) -> String {
        let mut page = String::from(
            "<!-- Generated by `cargo xtask coverage` from layer/commands and the hook table. Do not edit. -->\n\
             # Which commands of Vulkan are seen\n\n\
             Every command that takes a command buffer, a queue, an image or what stands for one (views, framebuffers, render passes,\n\
             swapchains, device memory, also inside structs) is on this page. Commands that are not on it cannot touch an image.\n",
        );
        let mut topics: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for name in self.touching.keys() {
            let names = || [name].into_iter().chain(&self.touching[name]);
            if let Some(topic) = names().find_map(|n| self.hooked.get(n)) {
                topics.entry(topic).or_default().insert(name);
            }
        }
        let opaque = topics.remove(OPAQUE).unwrap_or_default();
        let count: usize = topics.values().map(BTreeSet::len).sum();
        page += &format!(
            "\n## Recorded ({count})\n\nEach under all its names (KHR, EXT and vendors' aliases of the same command).\n\n\
             | topic | commands |\n|---|---|\n"
        );
        for (topic, names) in topics {
            page += &format!("| {} | {} |\n", topic.replace('_', " "), self.row(names.into_iter()));
        }
        page += &format!(
            "\n## Seen, not modelled ({})\n\nThe report names those that ran; their bytes are in no figure. What they can read or write is \
             undecided, or known to\nbe no image.\n\n{}\n",
            opaque.len(),
            self.row(opaque.into_iter())
        );
        for (kind, title) in KINDS {
            let of_kind = || self.listed.iter().filter(|(_, (k, _))| k == kind);
            if of_kind().next().is_none() {
                continue;
            }
            let mut reasons: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for (name, (_, reason)) in of_kind() {
                reasons.entry(reason).or_default().insert(name);
            }
            page += &format!(
                "\n## Not hooked: {kind} ({})\n\n{title}\n\n| why | commands |\n|---|---|\n",
                of_kind().count()
            );
            for (reason, names) in reasons {
                page += &format!("| {reason} | {} |\n", self.row(names.into_iter()));
            }
        }
        page
    }

    fn row<'a>(&self, names: impl Iterator<Item = &'a str>) -> String {
        names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    }
}

/// Commands and their aliases, from lines `name alias…: what it takes`.
fn commands(text: &str) -> Result<BTreeMap<String, Vec<String>>> {
    let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    let command = |line: &str| {
        let (names, _) = line.split_once(": ").with_context(|| format!("{}: no colon in {line}", touching::PATH))?;
        let mut names = names.split(' ').map(String::from);
        Ok((names.next().unwrap_or_default(), names.collect()))
    };
    lines.map(command).collect()
}

/// Names in the hook table: each statement is `field: module::function as type = "name" | "alias";`.
fn hooks(table: &str) -> BTreeMap<String, String> {
    let mut hooks = BTreeMap::new();
    for statement in table.split(';') {
        let Some((function, names)) = statement.split_once(" as ").filter(|(_, names)| names.contains("= \"vk")) else {
            continue;
        };
        let path = function.rsplit(char::is_whitespace).next().unwrap_or_default();
        let topic = path.split("::").next().unwrap_or_default();
        for name in names.split('"').skip(1).step_by(2) {
            hooks.insert(name.to_owned(), topic.to_owned());
        }
    }
    hooks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_hook_are_found_in_the_table() {
        let table = "hook_tables! { A { // Copies.\n cmd_copy: transfer::cmd_copy as vk::PFN_vkCmdCopy = \"vkCmdCopy\" | \"vkCmdCopyKHR\";\n } }";
        let expected = [("vkCmdCopy", "transfer"), ("vkCmdCopyKHR", "transfer")];
        assert_eq!(hooks(table), expected.map(|(name, topic)| (name.to_owned(), topic.to_owned())).into());
    }

    #[test]
    fn a_command_that_is_neither_hooked_nor_listed_is_a_problem_and_so_is_one_that_is_both() {
        let listed = |name: &str| (name.to_owned(), ("nothing".to_owned(), "It does nothing.".to_owned()));
        let mut coverage = Coverage {
            touching: commands("vkA vkAKHR: VkImage\nvkB: VkQueue\n").unwrap(),
            hooked: [("vkA", "image"), ("vkAKHR", "image")].map(|(n, t)| (n.to_owned(), t.to_owned())).into(),
            listed: [listed("vkB")].into(),
            malformed: Vec::new(),
        };
        assert_eq!(coverage.problems(), Vec::<String>::new());
        coverage.hooked.remove("vkAKHR");
        assert!(coverage.problems()[0].contains("not as vkAKHR"));
        coverage.hooked.insert("vkAKHR".into(), "image".into());
        coverage.listed.insert("vkA".into(), listed("vkA").1);
        assert!(coverage.problems()[0].contains("vkA is hooked and listed"));
        coverage.listed.clear();
        assert!(coverage.problems()[0].contains("vkB is neither"));
    }
}
