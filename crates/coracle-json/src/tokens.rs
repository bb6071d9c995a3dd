//! Every token of a document, one at a time.

use std::borrow::Cow;

use crate::document::{Document, Walk};
use crate::error::{Error, ErrorKind};
use crate::grammar::Shape;
use crate::scan::BLOCK;
use crate::{Flow, Limits};

/// Reads a document from chunks and gives its tokens to a sink, in order.
///
/// The grammar is checked before a token is given, so a sink can rely on keys and values alternating and on brackets
/// matching. Memory is [`Limits::item_bytes`] at most (for the longest string or number), a byte a level, and 8 KiB.
///
/// ```
/// use coracle_json::{Flow, Token, Tokens};
///
/// let mut keys = Vec::new();
/// let mut sink = |_offset: u64, token: Token<'_>| {
///     if let Token::Key(key) = token {
///         keys.push(key.decode().unwrap().into_owned());
///     }
///     Flow::Continue
/// };
/// let mut tokens = Tokens::new();
/// for chunk in [&br#"{"na"#[..], br#"me":"kayak","len\u0067th":4"#, br#".2}"#] {
///     tokens.push(chunk, &mut sink)?;
/// }
/// tokens.finish(&mut sink)?; // the last tokens may come only here
/// assert_eq!(keys, ["name", "length"]);
/// # Ok::<(), coracle_json::Error>(())
/// ```
#[derive(Debug)]
pub struct Tokens {
    document: Document,
    walker: Walker,
}

/// One token. Commas and colons are implied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// `{`
    ObjectStart,
    /// `}`
    ObjectEnd,
    /// `[`
    ArrayStart,
    /// `]`
    ArrayEnd,
    /// The key of a member.
    Key(Text<'a>),
    /// A string.
    String(Text<'a>),
    /// A number, as it is written (RFC 8259, section 6): of any size and precision.
    Number(&'a str),
    /// `true` or `false`.
    Bool(bool),
    /// `null`
    Null,
}

/// The inside of a string, as it is written between its quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'a>(&'a str);

impl<'a> Text<'a> {
    /// As it is written, escapes and all.
    #[must_use]
    pub fn raw(self) -> &'a str {
        self.0
    }

    /// What it says: borrowed where nothing is escaped.
    ///
    /// `None` if it has an escape for half a surrogate pair: the grammar allows that, but it is no character.
    #[must_use]
    pub fn decode(self) -> Option<Cow<'a, str>> {
        if memchr::memchr(b'\\', self.0.as_bytes()).is_none() {
            return Some(Cow::Borrowed(self.0));
        }
        serde_json::from_str::<String>(&format!("\"{}\"", self.0)).ok().map(Cow::Owned)
    }
}

impl Default for Tokens {
    fn default() -> Self {
        Self::new()
    }
}

impl Tokens {
    /// A reader with the default [`Limits`].
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(Limits::default())
    }

    /// A reader under these caps.
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        Self {
            document: Document::new(limits.depth),
            walker: Walker {
                cap: limits.item_bytes,
                open: None,
                piece: Vec::new(),
                start: 0,
                objects: Vec::new(),
                expect_key: false,
            },
        }
    }

    /// Reads the next bytes of the document; `sink` is called with each token that they complete and the token's
    /// offset in the document. A token may complete up to 63 bytes after its last byte was pushed.
    pub fn push(&mut self, chunk: &[u8], sink: impl FnMut(u64, Token<'_>) -> Flow) -> Result<Flow, Error> {
        self.document.push(chunk, &mut Pass { walker: &mut self.walker, sink })
    }

    /// The end of the document: an error unless it was whole, or the sink stopped it. Returns its length in bytes.
    pub fn finish(mut self, sink: impl FnMut(u64, Token<'_>) -> Flow) -> Result<u64, Error> {
        self.document.finish(&mut Pass { walker: &mut self.walker, sink })?;
        Ok(self.document.bytes())
    }
}

/// A token that has more than one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Long {
    Key,
    String,
    Primitive,
}

#[derive(Debug)]
struct Walker {
    cap: usize,
    /// The token that the last block ended in.
    open: Option<Long>,
    /// What came of it so far.
    piece: Vec<u8>,
    /// Where it starts.
    start: u64,
    /// The open containers: whether each is an object.
    objects: Vec<bool>,
    expect_key: bool,
}

struct Pass<'a, S> {
    walker: &'a mut Walker,
    sink: S,
}

impl<S: FnMut(u64, Token<'_>) -> Flow> Walk for Pass<'_, S> {
    fn block(&mut self, block: &[u8; BLOCK], shape: &Shape, offset: u64) -> Result<Flow, Error> {
        self.walker.block(block, shape, offset, &mut self.sink)
    }
}

impl Walker {
    fn block(
        &mut self,
        block: &[u8; BLOCK],
        shape: &Shape,
        offset: u64,
        sink: &mut impl FnMut(u64, Token<'_>) -> Flow,
    ) -> Result<Flow, Error> {
        if let Some(long) = self.open
            && self.long(long, 0, block, shape, sink)? == Flow::Stop
        {
            return Ok(Flow::Stop);
        }
        let mut rest = shape.quoted.opening | shape.open | shape.close | shape.comma | shape.primitive_start;
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let flow = match block[at] {
                b',' => {
                    self.expect_key = self.objects.last() == Some(&true);
                    Flow::Continue
                }
                bracket @ (b'{' | b'[' | b'}' | b']') => sink(offset + at as u64, self.bracket(bracket)),
                byte => {
                    let long = match byte {
                        b'"' if std::mem::take(&mut self.expect_key) => Long::Key,
                        b'"' => Long::String,
                        _ => Long::Primitive,
                    };
                    self.start = offset + at as u64;
                    let first = at + usize::from(long != Long::Primitive);
                    self.long(long, first, block, shape, sink)?
                }
            };
            if flow == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    fn bracket(&mut self, bracket: u8) -> Token<'static> {
        match bracket {
            b'{' | b'[' => self.objects.push(bracket == b'{'),
            _ => drop(self.objects.pop()),
        }
        self.expect_key = bracket == b'{';
        match bracket {
            b'{' => Token::ObjectStart,
            b'[' => Token::ArrayStart,
            b'}' => Token::ObjectEnd,
            _ => Token::ArrayEnd,
        }
    }

    /// Goes through a string or primitive from its byte at `from` on, and gives it to the sink if it ends here.
    fn long(
        &mut self,
        long: Long,
        from: usize,
        block: &[u8; BLOCK],
        shape: &Shape,
        sink: &mut impl FnMut(u64, Token<'_>) -> Flow,
    ) -> Result<Flow, Error> {
        let ends = if long == Long::Primitive { !shape.primitive } else { shape.quoted.closing };
        let ends = if from < BLOCK { ends & (u64::MAX << from) } else { 0 };
        let end = ends.trailing_zeros() as usize;
        let bytes = &block[from..end];
        if self.piece.len() + bytes.len() > self.cap {
            return Err(Error { offset: self.start, kind: ErrorKind::TokenTooLarge { cap: self.cap } });
        }
        if end == BLOCK {
            self.piece.extend_from_slice(bytes);
            self.open = Some(long);
            return Ok(Flow::Continue);
        }
        self.open = None;
        let bytes = if self.piece.is_empty() {
            bytes
        } else {
            self.piece.extend_from_slice(bytes);
            &self.piece
        };
        let text =
            std::str::from_utf8(bytes).map_err(|_| Error { offset: self.start, kind: ErrorKind::Utf8 })?;
        let token = match (long, text) {
            (Long::Key, text) => Token::Key(Text(text)),
            (Long::String, text) => Token::String(Text(text)),
            (Long::Primitive, "true") => Token::Bool(true),
            (Long::Primitive, "false") => Token::Bool(false),
            (Long::Primitive, "null") => Token::Null,
            (Long::Primitive, number) => Token::Number(number),
        };
        let flow = sink(self.start, token);
        self.piece.clear();
        Ok(flow)
    }
}
