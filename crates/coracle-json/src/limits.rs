//! How much a reader holds at most.

/// Caps of a reader. What exceeds one is an error, not an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most objects and arrays inside each other. Default 128, 1,023 at most.
    pub depth: usize,
    /// Most bytes that one element of the wanted array ([`Elements`](crate::Elements)), or one string or number
    /// ([`Tokens`](crate::Tokens)), may span in the document. Default 4 MiB.
    pub item_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 128, item_bytes: 4 << 20 }
    }
}
