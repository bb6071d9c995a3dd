//! Reads JSON from chunks of bytes, in memory that does not grow with the document.
//!
//! Bytes go in, in chunks of any size, cut anywhere; the crate does no input or output of its own. What comes out is
//! one of two things:
//!
//! * [`Elements`]: the elements of one array of the document, each whole and as a slice that `serde_json` or anything
//!   else decodes. [`Keep`] says which members of an element are kept at all: a list of 25 kB objects of which twelve
//!   short fields are wanted costs twelve short fields.
//! * [`Tokens`]: every token, for a caller that walks the document.
//!
//! Both are **strict**: grammar and UTF-8 are checked in what is skipped too, and an [`Error`] names the byte. Both
//! are **bounded**: by [`Limits::depth`] (without recursion) and [`Limits::item_bytes`].
//!
//! # How it is fast
//!
//! The document is looked at 64 bytes at a time, as one mask a class of bytes (AVX2, or a table). Strings,
//! escapes and nearly the whole grammar are then a few dozen operations on those masks; only brackets are walked
//! one by one, and inside a value that is skipped not even they are looked at twice. Blocks are aligned to the
//! document, so that nothing that happens, an error's offset included, depends on where chunks were cut.
//!
//! ```
//! use coracle_json::{Elements, Flow, Keep, Limits};
//!
//! // Of each boat keep the name, and of its hull only the length.
//! static BOAT: Keep<'_> = Keep::Members(&[
//!     ("name", Keep::Whole),
//!     ("hull", Keep::Members(&[("length", Keep::Whole)])),
//! ]);
//! let document = br#"{"fleet":[{"name":"coracle","hull":{"length":1.4,"planks":["ash","willow"]},"log":{}}]}"#;
//!
//! let mut boats = Elements::with_limits(&["fleet"], BOAT, Limits::default());
//! let mut kept = String::new();
//! let mut keep = |element: coracle_json::Element<'_>| {
//!     kept.push_str(std::str::from_utf8(element.bytes).unwrap());
//!     Flow::Continue
//! };
//! for chunk in document.chunks(10) {
//!     boats.push(chunk, &mut keep)?;
//! }
//! boats.finish(&mut keep)?;
//! assert_eq!(kept, r#"{"name":"coracle","hull":{"length":1.4}}"#);
//! # Ok::<(), coracle_json::Error>(())
//! ```
// One function a block is called half a million times for a 30 MB document: whether it is inlined is not left to
// chance, in these few places.
#![allow(clippy::inline_always)]
#![deny(unsafe_code)]

mod document;
mod elements;
mod error;
mod grammar;
mod key;
mod limits;
mod primitive;
mod projection;
#[allow(unsafe_code)]
mod scan;
mod strings;
mod tokens;
mod utf8;

pub use elements::{Element, Elements, Read};
pub use error::{Error, ErrorKind};
pub use limits::Limits;
pub use projection::Keep;
pub use tokens::{Text, Token, Tokens};

/// What a sink wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Stop: the rest of the document is not needed, and will be neither read nor checked.
    Stop,
}
