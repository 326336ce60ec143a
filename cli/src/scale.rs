//! The options `--fps` and `--energy` of several subcommands: what bytes mean.

use tilelens_report::text::TextOptions;

/// What the summary sets bytes against.
#[derive(clap::Args)]
pub struct ScaleArgs {
    /// Frames per second of the rates in the summary.
    #[arg(long, value_name = "N", default_value_t = TextOptions::default().fps, value_parser = clap::value_parser!(u32).range(1..=1000))]
    fps: u32,
    /// Show what the traffic costs a battery: 80 to 120 mW for each GB/s, by Arm's rules of thumb for external memory.
    #[arg(long)]
    energy: bool,
}

impl ScaleArgs {
    /// The summary laid out so, with these options.
    pub fn of(&self, options: TextOptions) -> TextOptions {
        TextOptions { fps: self.fps, energy: self.energy, ..options }
    }
}
