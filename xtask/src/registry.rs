//! `cargo xtask registry PATH/vk.xml [--check]`: what the project takes from the Vulkan registry. With `--check-hooks` nothing is
//! written: the hook table is compared with the registry, which may be newer than what is committed.

use crate::usage::Usage;
use crate::{commands, coverage, formats, output, touching};
use anyhow::{Context, Result};
use roxmltree::{Document, Node};

/// Runs the command.
pub fn run(arguments: &[String]) -> Result<()> {
    let check = arguments.iter().any(|a| a == "--check");
    let check_hooks = arguments.iter().any(|a| a == "--check-hooks");
    let usage = "cargo xtask registry PATH/vk.xml [--check] [--check-hooks]";
    let (options, paths): (Vec<_>, Vec<_>) = arguments.iter().partition(|a| a.starts_with('-'));
    if let Some(unknown) = options.iter().find(|option| !["--check", "--check-hooks"].contains(&option.as_str())) {
        return Err(Usage::unexpected(unknown, usage).into());
    }
    let path = match paths[..] {
        [path] => path,
        [] => return Err(Usage(format!("no PATH of the registry. Usage: {usage}")).into()),
        [_, more, ..] => return Err(Usage::unexpected(more, usage).into()),
    };
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the registry {path}"))?;
    let document = Document::parse(&text).with_context(|| format!("{path} is not XML"))?;
    let registry = document.root_element();
    let touching = touching::generate(registry)?;
    if check_hooks {
        return coverage::check_hooks(&touching, path);
    }
    output::deliver(&[formats::generate(registry)?, commands::generate(registry)?, touching], check)
}

/// Whether an `api` attribute (a comma-separated list, absent for all) names Vulkan itself.
pub fn is_vulkan(node: Node<'_, '_>) -> bool {
    node.attribute("api").is_none_or(|list| list.split(',').any(|api| api == "vulkan"))
}

/// Children of `node` with this tag.
pub fn children<'a, 'input: 'a>(
    node: Node<'a, 'input>,
    tag: &'static str,
) -> impl Iterator<Item = Node<'a, 'input>> + 'a {
    node.children().filter(move |child| child.has_tag_name(tag))
}

/// The attribute `name` of `node`, which must be there.
pub fn required<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str> {
    node.attribute(name).with_context(|| {
        let line = node.document().text_pos_at(node.range().start).row;
        format!("line {line} of the registry: <{}> without `{name}`", node.tag_name().name())
    })
}
