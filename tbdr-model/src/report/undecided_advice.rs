//! What the report has no advice on, because what becomes of it is not known: a doubt about everything that findings save.

use alloc::borrow::Cow;
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// Something that no advice could be given on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UndecidedAdvice {
    /// `stored_attachments` (nobody knows who reads what is stored), `sparse_attachments` (nobody follows what memory they have) or
    /// `images_that_shaders_reach` (an extension reads and writes them unseen).
    pub about: Cow<'static, str>,
    /// How many of them; absent where they are not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Why, as the same sentence stands in [`super::Report::not_modelled`].
    pub note: String,
}
