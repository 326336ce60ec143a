//! The other layers that programs of this environment run under.

use super::finding::Findings;
use super::layer::Layers;
use crate::system::env::Env;
use crate::system::manifests::Kind;
use std::collections::BTreeSet;
use tbdr_model::text::shown;
use tilelens_manifest::LAYER_NAME;

/// Lists the other layers of the chain and those that are asked for and not there.
pub fn examine(env: &Env<'_>, layers: &Layers, findings: &mut Findings) {
    let others = || layers.all().filter(|layer| layer.name != LAYER_NAME);
    let on = |name: &str| {
        others().any(|layer| {
            let implicit = layer.kind == Kind::Implicit;
            layer.name == name
                && (layer.is_on(env) || env.filter_matches("VK_LOADER_LAYERS_ENABLE", name, implicit))
                && !env.filter_matches("VK_LOADER_LAYERS_DISABLE", name, implicit)
        })
    };
    let named = env.instance_layers();
    let mut chain = BTreeSet::new();
    for layer in others() {
        if on(&layer.name) || named.contains(&layer.name) {
            chain.insert(shown(&layer.name, 100));
        }
    }
    let looks_like_ours = |name: &String| name.to_lowercase().contains("tilelens");
    for name in named.iter().filter(|name| !looks_like_ours(name)) {
        if others().all(|layer| layer.name != *name) {
            findings.warning(
                "other-layer-missing",
                format!("VK_INSTANCE_LAYERS names `{}`, of which there is no manifest", shown(name, 100)),
                "install it, or take the name out: programs may refuse to start",
            );
        }
    }
    match chain.is_empty() {
        true => findings.ok("other-layers", "no other layer is on in this environment"),
        false => {
            let names: Vec<_> = chain.into_iter().collect();
            findings.ok("other-layers", format!("other layers that are on in this environment: {}", names.join(", ")));
        }
    }
}
