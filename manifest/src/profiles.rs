//! GPU profiles that users write: read from their files, chosen beside the built-in ones, and kept in the capture.
//!
//! The capture carries the text of each file that a chosen GPU comes from, among the settings of the run, so that it is modelled anywhere as it
//! was where the file lay. Which file that was, it does not say: paths are a matter of the machine.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use tbdr_model::gpu::{DataError, Profile, RUNNING, SelectError, builtin, load_user, select, select_for};
use tbdr_model::record::Device;

/// Keys of the texts among the settings of a run: this and a number.
const RECORDED: &str = "gpu_profile_text.";
/// Bytes that are read of a file: one more than a profile file may have.
const MOST: u64 = (1 << 20) + 1;

/// A profile file that cannot be used. Shown with [`fmt::Display`] on one line, foreign text escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotProfiles {
    /// The file.
    pub path: PathBuf,
    /// What is wrong and what would be right.
    pub reason: String,
}

impl fmt::Display for NotProfiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for NotProfiles {}

/// The profiles of some files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserProfiles {
    files: Vec<File>,
}

/// A file, read.
#[derive(Clone, Debug)]
struct File {
    text: String,
    profiles: Vec<Profile>,
}

/// The profiles follow from the text.
impl PartialEq for File {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for File {}

impl UserProfiles {
    /// Reads one more file.
    pub fn read(&mut self, path: &Path) -> Result<(), NotProfiles> {
        let name = path.to_string_lossy();
        let refuse = |reason: String| NotProfiles { path: path.into(), reason };
        let shown = crate::problem::shown(&name);
        // A pipe would be waited for, and the program under the layer with it.
        if !path.metadata().map_err(|e| refuse(format!("{shown}: cannot be read: {e}")))?.is_file() {
            return Err(refuse(format!("{shown}: is no file: name a TOML file of GPU profiles")));
        }
        let mut bytes = Vec::new();
        std::fs::File::open(path)
            .and_then(|file| file.take(MOST).read_to_end(&mut bytes))
            .map_err(|e| refuse(format!("{shown}: cannot be read: {e}")))?;
        let text = String::from_utf8(bytes).map_err(|_| refuse(format!("{shown}: is not UTF-8, as TOML is")))?;
        let added = self.add(&name, text).map_err(|e| refuse(e.to_string()))?;
        match added {
            None => Ok(()),
            Some(id) => Err(refuse(format!("{shown}: `{id}` is in another profile file too: give it another id"))),
        }
    }

    /// Adds the profiles that the settings of a recorded run carry; of those that are here already, these stay.
    pub fn add_of_run(&mut self, settings: &BTreeMap<String, String>) -> Result<(), DataError> {
        for (key, text) in settings.iter().filter(|(key, _)| key.starts_with(RECORDED)) {
            let new = load_user(text, key)?.into_iter().filter(|new| self.all().all(|known| known.id != new.id));
            let profiles = new.collect();
            self.files.push(File { text: text.clone(), profiles });
        }
        Ok(())
    }

    /// Adds the profiles of a text, unless one of them has the id of an earlier one: then says which.
    fn add(&mut self, name: &str, text: String) -> Result<Option<String>, DataError> {
        let profiles = load_user(&text, name)?;
        let known = profiles.iter().find(|new| self.all().any(|known| known.id == new.id));
        if let Some(known) = known {
            return Ok(Some(known.id.clone()));
        }
        self.files.push(File { text, profiles });
        Ok(None)
    }

    /// Every profile, file by file.
    pub fn all(&self) -> impl Iterator<Item = &Profile> {
        self.files.iter().flat_map(|file| &file.profiles)
    }

    /// The profiles of these ids, in the order given and each once: those of users by their id, all others as [`select_for`] finds them;
    /// `all` is every one, and `running` that of `device`.
    pub fn select(&self, ids: &[impl AsRef<str>], device: Option<&Device>) -> Result<Vec<Profile>, SelectError> {
        let mut chosen: Vec<Profile> = Vec::new();
        for id in ids.iter().map(|id| id.as_ref().trim()).filter(|id| !id.is_empty()) {
            let own: Vec<Profile> = match id.eq_ignore_ascii_case("all") {
                true => builtin().into_iter().chain(self.all().cloned()).collect(),
                false => self.all().filter(|own| own.id.eq_ignore_ascii_case(id)).cloned().collect(),
            };
            let wanted = match (own.is_empty(), device) {
                (false, _) => own,
                (true, Some(device)) => select_for(&[id], device)?,
                (true, None) => select(&[id])?,
            };
            for profile in wanted {
                if chosen.iter().all(|known| known.id != profile.id) {
                    chosen.push(profile);
                }
            }
        }
        if chosen.is_empty() { Err(SelectError::Empty) } else { Ok(chosen) }
    }

    /// Whether there can be profiles of these ids: as [`Self::select`], but that nothing is known yet of the GPU that will run.
    pub fn check(&self, ids: &[impl AsRef<str>]) -> Result<(), SelectError> {
        let named: Vec<&str> =
            ids.iter().map(|id| id.as_ref().trim()).filter(|id| !id.eq_ignore_ascii_case(RUNNING)).collect();
        if named.len() < ids.len() && named.iter().all(|id| id.is_empty()) {
            return Ok(());
        }
        self.select(&named, None).map(|_| ())
    }

    /// Puts the text of each file that one of the GPUs `ids` comes from among the settings of a run.
    pub(crate) fn record(&self, ids: &[String], settings: &mut BTreeMap<String, String>) {
        let used = |profile: &Profile| {
            ids.iter().any(|id| ["all", &profile.id].iter().any(|meant| id.trim().eq_ignore_ascii_case(meant)))
        };
        let files = self.files.iter().filter(|file| file.profiles.iter().any(used));
        settings.extend(files.enumerate().map(|(number, file)| (format!("{RECORDED}{number:03}"), file.text.clone())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    /// The built-in VideoCore profiles under other ids: `<prefix>-vi` and `<prefix>-vii`.
    fn text(prefix: &str) -> String {
        let built_in = include_str!("../../tbdr-model/gpus/videocore.toml");
        let text = built_in.replace("id = \"videocore-", &format!("id = \"{prefix}-"));
        format!("family = \"videocore\"\n{text}")
    }

    fn of(prefixes: &[&str]) -> UserProfiles {
        let mut profiles = UserProfiles::default();
        for prefix in prefixes {
            assert_eq!(profiles.add("a.toml", text(prefix)), Ok(None));
        }
        profiles
    }

    fn ids(profiles: &[Profile]) -> Vec<&str> {
        profiles.iter().map(|p| p.id.as_str()).collect()
    }

    #[test]
    fn a_users_gpu_is_chosen_beside_built_in_ones() {
        let user = of(&["mine", "other"]);
        assert_eq!(ids(&user.select(&["mali-g76", "Mine-VI", "mine-vi"], None).unwrap()), ["mali-g76", "mine-vi"]);
        assert_eq!(user.select(&["all"], None).unwrap().len(), builtin().len() + 4);
        assert!(
            user.select(&["mien-vi"], None).is_err() && UserProfiles::default().select(&["mine-vi"], None).is_err()
        );
        assert!(user.check(&["mine-vi", "running"]).is_ok() && user.check(&["Running "]).is_ok());
        assert!(user.check(&["running", "mien-vi"]).is_err() && user.check(&[""]).is_err());
    }

    #[test]
    fn a_capture_carries_the_files_of_the_gpus_that_were_chosen_and_no_path() {
        let user_profiles = of(&["mine", "other"]);
        let settings = Settings {
            gpu: vec!["mali-g76".into(), "other-vii".into()],
            gpu_profiles: vec!["/elsewhere/other.toml".into()],
            user_profiles,
            ..Settings::default()
        };
        let kept = settings.effective();
        assert!(!kept.values().any(|value| value.contains("elsewhere")), "{kept:?}");
        let mut again = UserProfiles::default();
        again.add_of_run(&kept).unwrap();
        again.add_of_run(&kept).unwrap();
        assert_eq!(again.all().map(|p| p.id.as_str()).collect::<Vec<_>>(), ["other-vi", "other-vii"]);
        assert_eq!(
            ids(&again.select(&settings.gpu, None).unwrap()),
            ids(&settings.profiles(&Device::default()).unwrap())
        );
        let none = Settings { gpu: vec!["mali-g76".into()], ..settings };
        assert_eq!(none.effective().len(), Settings::default().effective().len());
    }

    #[test]
    fn a_file_that_is_no_profile_file_is_named_with_what_is_wrong() {
        let folder = std::env::temp_dir().join(format!("tilelens-profiles-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let told = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).unwrap();
            let mut profiles = of(&["mine"]);
            profiles.read(&path).map_err(|e| e.to_string()).err().unwrap_or_default()
        };
        assert_eq!(told("good.toml", text("another").as_bytes()), "");
        for (bytes, words) in [
            (text("mine").as_bytes(), "`mine-vi` is in another profile file too"),
            (text("videocore").as_bytes(), "is built in"),
            (b"\xff\xfe", "not UTF-8"),
            (b"[[[", "bad.toml: line 1"),
            (&[b'#'; (1 << 20) + 9], "a profile file may have"),
        ] {
            let told = told("bad.toml", bytes);
            assert!(told.contains(words) && told.contains("bad.toml"), "{told}");
        }
        let mut profiles = UserProfiles::default();
        assert!(profiles.read(&folder).unwrap_err().to_string().contains("is no file"));
        assert!(profiles.read(&folder.join("none.toml")).unwrap_err().to_string().contains("cannot be read"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
