//! The key of a member, collected from pieces and compared with the wanted ones.

/// One key: its raw bytes between the quotes, as far as they can matter.
#[derive(Debug)]
pub(crate) struct Key {
    raw: Vec<u8>,
    /// No wanted key can be spelled with more bytes than this: six for each of its bytes, if all are escaped.
    cap: usize,
    too_long: bool,
    duplicate: bool,
}

impl Key {
    /// For wanted keys of at most this many bytes.
    pub(crate) fn new(longest: usize) -> Self {
        Self { raw: Vec::new(), cap: longest * 6, too_long: false, duplicate: false }
    }

    pub(crate) fn clear(&mut self) {
        self.raw.clear();
        self.too_long = false;
    }

    /// The next bytes. The key's memory stays below its cap, however long the key is.
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        if self.raw.len() + bytes.len() > self.cap {
            self.too_long = true;
        } else {
            self.raw.extend_from_slice(bytes);
        }
    }

    /// Whether the key, its escapes decoded, is this one.
    pub(crate) fn is(&self, name: &str) -> bool {
        if self.too_long {
            return false;
        }
        if memchr::memchr(b'\\', &self.raw).is_none() {
            return self.raw == name.as_bytes();
        }
        let mut quoted = Vec::with_capacity(self.raw.len() + 2);
        quoted.push(b'"');
        quoted.extend_from_slice(&self.raw);
        quoted.push(b'"');
        serde_json::from_slice::<String>(&quoted).is_ok_and(|key| key == name)
    }

    /// Appends the key as a member starts: quotes and colon included.
    pub(crate) fn write_to(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        out.extend_from_slice(&self.raw);
        out.extend_from_slice(b"\":");
    }

    /// Marks the key as one that its object had before.
    pub(crate) fn set_duplicate(&mut self) {
        self.duplicate = true;
    }

    /// The key, if it was marked.
    pub(crate) fn take_duplicate(&mut self) -> Option<String> {
        std::mem::take(&mut self.duplicate).then(|| String::from_utf8_lossy(&self.raw).into_owned())
    }
}
