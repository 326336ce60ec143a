//! The bench itself: a comparison that cannot fail would prove nothing.
#![allow(clippy::unwrap_used)]

use tilelens_tests::fake::log::first_difference;
use tilelens_tests::fake::{Call, Chain, Options, commands};
use tilelens_tests::script;

#[test]
fn the_script_sends_every_command_that_the_driver_knows() {
    let chain = Chain::without_layer(Options::newest());
    script::everything(&chain);
    let sent: Vec<_> = chain.driver.sent().iter().map(|c| c.name).collect();
    let missing: Vec<_> = commands::all().keys().filter(|name| !sent.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(sent.len() > 300, "{}", sent.len());
    chain.driver.assert_neutral();
}

#[test]
fn every_command_of_the_bench_is_in_the_registry() {
    let registry = tilelens_tests::names::commands();
    assert!(registry.len() > 800);
    let invented: Vec<_> = commands::all().keys().filter(|name| !registry.contains(name)).collect();
    assert_eq!(invented, [&"vkCmdFutureThingEXT"]);
}

fn call(name: &'static str, word: u64) -> Call {
    Call { name, words: vec![word] }
}

#[test]
fn a_dropped_added_changed_or_swapped_call_is_a_difference() {
    let sent = [call("vkCmdDraw", 1), call("vkCmdDispatch", 2)];
    assert_eq!(first_difference(&sent, &sent), None);
    assert!(first_difference(&sent, &sent[..1]).is_some());
    assert!(first_difference(&sent[..1], &sent).is_some());
    assert!(first_difference(&sent, &[call("vkCmdDraw", 3), call("vkCmdDispatch", 2)]).is_some());
    assert!(first_difference(&sent, &[call("vkCmdDispatch", 2), call("vkCmdDraw", 1)]).is_some());
}

#[test]
fn only_queries_while_a_device_is_created_are_no_difference() {
    let sent = [call("vkCreateDevice", 1), call("vkCmdDraw", 2)];
    let query = call("vkGetPhysicalDeviceProperties", 9);
    let allowed = [sent[0].clone(), query.clone(), sent[1].clone()];
    assert_eq!(first_difference(&sent, &allowed), None);
    let late = [sent[0].clone(), sent[1].clone(), query];
    assert!(first_difference(&sent, &late).is_some());
    let other = [sent[0].clone(), call("vkCreateImage", 9), sent[1].clone()];
    assert!(first_difference(&sent, &other).is_some());
}
