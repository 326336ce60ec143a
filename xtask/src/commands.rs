//! Every command and alias name of the registry, for the proc-address matrix test.

use crate::output::Generated;
use crate::registry::{children, is_vulkan};
use anyhow::{Context, Result};
use roxmltree::Node;
use std::collections::BTreeSet;

/// `tests/data/commands.txt`: one name per line, sorted.
pub fn generate(registry: Node<'_, '_>) -> Result<Generated> {
    let mut names = BTreeSet::new();
    for command in children(registry, "commands").flat_map(|list| children(list, "command")).filter(|c| is_vulkan(*c)) {
        let declared = || {
            let prototype = children(command, "proto").next()?;
            children(prototype, "name").next()?.text()
        };
        names.insert(command.attribute("name").or_else(declared).context("a <command> without a name")?);
    }
    let mut text = String::new();
    for name in names {
        text.push_str(name);
        text.push('\n');
    }
    Ok(Generated { path: "tests/data/commands.txt", text })
}
