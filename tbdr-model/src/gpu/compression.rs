//! Whether framebuffer compression applies to an attachment: a fact of its image, its format and the driver, with the reason.
//!
//! How much a scheme saves depends on the content of the image, so no ledger counts it; the ledger's bytes are uncompressed.

use crate::frame::{Image, usage};
use alloc::borrow::Cow;

/// The scheme that leaves out tiles which did not change, and makes none smaller.
pub const TRANSACTION_ELIMINATION: &str = "transaction elimination";

/// What one scheme makes of one attachment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compression {
    /// Name of the scheme: `AFBC`, `UBWC`, …
    pub scheme: &'static str,
    /// Whether it applies; `None` where that is not known.
    pub eligible: Option<bool>,
    /// Why.
    pub reason: Cow<'static, str>,
    /// What the scheme reads and writes beside the pixels.
    pub metadata: Option<Metadata>,
}

/// Metadata of a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Bytes per block.
    pub bytes: u32,
    /// Pixels of a block.
    pub block: [u32; 2],
}

impl Compression {
    /// The scheme applies.
    pub fn applies(scheme: &'static str, reason: impl Into<Cow<'static, str>>, metadata: Metadata) -> Self {
        Self { scheme, eligible: Some(true), reason: reason.into(), metadata: Some(metadata) }
    }

    /// The scheme does not apply.
    pub fn refused(scheme: &'static str, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { scheme, eligible: Some(false), reason: reason.into(), metadata: None }
    }

    /// Not known.
    pub fn unknown(scheme: &'static str, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { scheme, eligible: None, reason: reason.into(), metadata: None }
    }
}

/// VkImageCreateFlagBits that rule compression out.
pub(crate) mod flags {
    /// VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT.
    pub const MUTABLE_FORMAT: u32 = 0x8;
    /// VK_IMAGE_CREATE_ALIAS_BIT.
    pub const ALIAS: u32 = 0x400;
}

/// VK_IMAGE_TILING_LINEAR.
pub(crate) const LINEAR: i32 = 1;
/// VK_IMAGE_USAGE_HOST_TRANSFER_BIT.
pub(super) const HOST_TRANSFER: u32 = 0x40_0000;
/// VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT.
pub(super) const FEEDBACK_LOOP: u32 = 0x8_0000;

/// Whether the image was created with one of these usages.
pub(super) fn used_for(image: &Image, usages: u32) -> bool {
    image.usage & usages != 0
}

/// Whether the image may be written by shaders.
pub(super) fn is_storage(image: &Image) -> bool {
    used_for(image, usage::STORAGE)
}
