//! Why a document was refused, and where.

/// A document that is not the JSON that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset}: {kind}")]
pub struct Error {
    /// Offset from the start of the document, in bytes, of the first byte that is wrong. Of an element or token over
    /// its cap, it is where that starts; of a key that stands twice, where its second value starts.
    pub offset: u64,
    /// What is wrong there.
    pub kind: ErrorKind,
}

/// What is wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Bytes that are not UTF-8 (RFC 3629), in a string that is kept or in one that is skipped.
    #[error("invalid UTF-8")]
    Utf8,
    /// A character below U+0020 inside a string (RFC 8259, section 7): it must be escaped.
    #[error("control character {byte:#04x} inside a string: it must be escaped")]
    ControlCharacter {
        /// The character.
        byte: u8,
    },
    /// A backslash before a character that cannot be escaped.
    #[error("a backslash must be followed by one of \" \\ / b f n r t u")]
    Escape,
    /// `\u` without four hexadecimal digits.
    #[error("\\u must be followed by four hexadecimal digits")]
    UnicodeEscape,
    /// A token in a place where the grammar does not allow it.
    #[error("expected {expected}, found {}", Found(*found))]
    Unexpected {
        /// What the grammar allows here.
        expected: &'static str,
        /// The first byte of the token.
        found: u8,
    },
    /// Something that is neither a number nor `true`, `false` or `null`.
    #[error("not a number nor one of true, false, null: {} is out of place", Found(*found))]
    Primitive {
        /// The first byte that does not fit.
        found: u8,
    },
    /// The end of the input came before the end of the document.
    #[error("the document ends here, inside {inside}")]
    Truncated {
        /// What was open.
        inside: &'static str,
    },
    /// More objects and arrays inside each other than the depth cap allows.
    #[error("more than {cap} objects and arrays inside each other")]
    TooDeep {
        /// The cap.
        cap: usize,
    },
    /// An element of the wanted array spans more bytes than the cap allows.
    #[error("element {index} is larger than the cap of {cap} bytes")]
    ElementTooLarge {
        /// Its position in the array, from 0.
        index: u64,
        /// The cap.
        cap: usize,
    },
    /// A string or number is longer than the cap of the token reader allows.
    #[error("a string or number is longer than the cap of {cap} bytes")]
    TokenTooLarge {
        /// The cap.
        cap: usize,
    },
    /// A wanted key, on the way to the array or among those that are kept, stands twice in its object.
    #[error("this is the second value of the key \"{key}\" in one object")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// A value on the way to the wanted array has another type.
    #[error("{what} must be {expected}, but {} starts here", Found(*found))]
    WrongType {
        /// The value: the document itself, or a key.
        what: String,
        /// The type that it must have.
        expected: &'static str,
        /// The first byte of the value.
        found: u8,
    },
    /// The document is whole, but has no such key.
    #[error("the document has no \"{key}\"")]
    Missing {
        /// The key.
        key: String,
    },
}

/// A byte as a person wants to read it.
struct Found(u8);

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            b'"' => f.write_str("a string"),
            b'{' => f.write_str("an object"),
            b'[' => f.write_str("an array"),
            byte @ b' '..=b'~' => write!(f, "'{}'", byte as char),
            byte => write!(f, "the byte {byte:#04x}"),
        }
    }
}
