//! The key of a member, compared with the wanted ones.

/// Whether a key, as it is written between its quotes, is this one once its escapes, if it has any, are decoded.
#[inline]
pub(crate) fn is(raw: &[u8], escaped: bool, name: &str) -> bool {
    if escaped { is_escaped(raw, name) } else { raw == name.as_bytes() }
}

#[cold]
fn is_escaped(raw: &[u8], name: &str) -> bool {
    // An escape makes a key longer, six bytes for one at most.
    if raw.len() > name.len() * 6 {
        return false;
    }
    let quoted = [b"\"", raw, b"\""].concat();
    serde_json::from_slice::<String>(&quoted).is_ok_and(|key| key == name)
}

/// A key that a block cut in two.
#[derive(Debug, Default)]
pub(crate) struct Key {
    raw: Vec<u8>,
    /// A longer key is none of the wanted ones, however it is spelled: what comes after this many bytes is dropped.
    cap: usize,
}

impl Key {
    /// For wanted keys of at most this many bytes.
    pub(crate) fn new(longest: usize) -> Self {
        Self { raw: Vec::new(), cap: longest * 6 + 1 }
    }

    /// Keeps a whole key, for an error about it.
    #[cold]
    pub(crate) fn set(&mut self, raw: &[u8]) {
        self.clear();
        self.extend(raw);
    }

    pub(crate) fn clear(&mut self) {
        self.raw.clear();
    }

    /// The next bytes. The key's memory stays at its cap, however long the key is.
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        let room = self.cap - self.raw.len();
        self.raw.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    pub(crate) fn is_escaped(&self) -> bool {
        memchr::memchr(b'\\', &self.raw).is_some()
    }

    pub(crate) fn raw(&self) -> &[u8] {
        &self.raw
    }
}
