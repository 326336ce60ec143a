//! Names of every command of the registry, from `data/commands.txt`.

/// Command names, in the file's order: the first word of every line that begins with `vk`.
pub fn commands() -> Vec<&'static str> {
    include_str!("../data/commands.txt")
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| word.starts_with("vk"))
        .collect()
}
