//! The elements of one array of a document, one at a time.

use crate::document::{Document, Walk};
use crate::error::{Error, ErrorKind};
use crate::grammar::Shape;
use crate::key::{self, Key};
use crate::scan::BLOCK;
use crate::{Flow, Keep, Limits};

/// Reads a document from chunks and gives the elements of one array to a sink, each whole and as one slice.
///
/// The array is named by the keys that lead to it; no keys mean that the document itself is the array. The whole
/// document is checked, also what is skipped. One element is held at a time: memory is
/// [`Limits::item_bytes`] at most, whatever the document's size, and what [`Keep`] leaves out is not held at all.
///
/// ```
/// use coracle_json::{Elements, Flow};
///
/// let mut elements = Elements::new(&["items"]);
/// let mut seen = Vec::new();
/// let mut sink = |element: coracle_json::Element<'_>| {
///     seen.push(String::from_utf8_lossy(element.bytes).into_owned());
///     Flow::Continue
/// };
/// for chunk in [&br#"{"kind":"List","it"#[..], br#"ems":[{"a":1},[2"#, br#"],"three"]}"#] {
///     elements.push(chunk, &mut sink)?;
/// }
/// let end = elements.finish(&mut sink)?; // the last elements may come only here
/// assert_eq!(seen, [r#"{"a":1}"#, "[2]", r#""three""#]);
/// assert_eq!(end.elements, 3);
/// # Ok::<(), coracle_json::Error>(())
/// ```
#[derive(Debug)]
pub struct Elements<'p> {
    document: Document,
    walker: Walker<'p>,
}

/// One element of the wanted array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element<'a> {
    /// Its position in the array, from 0.
    pub index: u64,
    /// Where in the document it starts, in bytes.
    pub offset: u64,
    /// Its JSON: every byte of it, or what [`Keep`] asks for.
    pub bytes: &'a [u8],
}

/// What was read of a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Read {
    /// Bytes of the document.
    pub bytes: u64,
    /// Elements given to the sink.
    pub elements: u64,
    /// Whether `null` stood in place of the array.
    pub null: bool,
    /// Whether the sink stopped before the end, so that the rest was neither read nor checked.
    pub stopped: bool,
}

impl<'p> Elements<'p> {
    /// A reader of the array behind these keys, with the default [`Limits`], that keeps elements whole.
    #[must_use]
    pub fn new(path: &'p [&'p str]) -> Self {
        Self::with_limits(path, Keep::Whole, Limits::default())
    }

    /// A reader that keeps only parts of the elements, under these caps.
    #[must_use]
    pub fn with_limits(path: &'p [&'p str], keep: Keep<'p>, limits: Limits) -> Self {
        Self { document: Document::new(limits.depth), walker: Walker::new(path, keep, limits.item_bytes) }
    }

    /// Reads the next bytes of the document; `sink` is called for each element that they complete.
    ///
    /// An element may complete up to 63 bytes after its last byte was pushed. After [`Flow::Stop`] or an error the
    /// reader takes no more, and answers the same again.
    pub fn push(&mut self, chunk: &[u8], sink: impl FnMut(Element<'_>) -> Flow) -> Result<Flow, Error> {
        self.document.push(chunk, &mut Pass { walker: &mut self.walker, sink })
    }

    /// The end of the document: an error unless it was whole and had the array, or the sink stopped it.
    pub fn finish(mut self, sink: impl FnMut(Element<'_>) -> Flow) -> Result<Read, Error> {
        let flow = self.document.finish(&mut Pass { walker: &mut self.walker, sink })?;
        let walker = &self.walker;
        if flow == Flow::Continue && walker.found == Found::Nothing {
            let key = walker.path.join(".");
            return Err(Error { offset: self.document.bytes(), kind: ErrorKind::Missing { key } });
        }
        Ok(Read {
            bytes: self.document.bytes(),
            elements: walker.index,
            null: walker.found == Found::Null,
            stopped: flow == Flow::Stop,
        })
    }

    /// Bytes pushed so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.document.bytes()
    }
}

/// The walker, and the sink of the push that is going on.
struct Pass<'a, 'p, S> {
    walker: &'a mut Walker<'p>,
    sink: S,
}

impl<S: FnMut(Element<'_>) -> Flow> Walk for Pass<'_, '_, S> {
    #[inline(always)]
    fn block(&mut self, block: &[u8; BLOCK], shape: &Shape, offset: u64) -> Result<Flow, Error> {
        // Most blocks lie deep inside a value that is passed over.
        if let Mode::Container { floor, keep: false } = self.walker.mode
            && shape.least_depth > floor
        {
            self.walker.depth = shape.depth_after;
            return self.walker.check_size(offset + BLOCK as u64).map(|()| Flow::Continue);
        }
        self.walker.block(block, shape, offset, &mut self.sink)
    }
}

/// Whether the wanted array was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Nothing,
    Null,
    Array,
}

/// What the walker does with the bytes before it.
#[derive(Debug, Clone, Copy)]
enum Mode {
    /// Looks at the next token of the innermost frame.
    Token,
    /// Inside a key of the innermost frame.
    Key,
    /// Inside a string that is kept or passed over.
    String { keep: bool },
    /// Inside a number or literal.
    Primitive { keep: bool },
    /// Inside an object or array, until no more than `floor` containers are open.
    Container { floor: usize, keep: bool },
}

/// What is to be done with the next value.
#[derive(Debug, Clone, Copy)]
enum Next<'p> {
    Skip,
    Keep(Keep<'p>),
    /// It is an element of the wanted array.
    Element,
    /// It is on the way to the wanted array, behind this many keys.
    Path(usize),
    /// Its key is a wanted one that stood in its object before.
    Again,
}

/// A container that the walker looks into.
#[derive(Debug)]
struct Frame<'p> {
    role: Role<'p>,
    array: bool,
    /// The wanted members that the object had so far, a bit each.
    seen: u64,
}

#[derive(Debug, Clone, Copy)]
enum Role<'p> {
    /// An object in which the path's key of this number is looked for.
    Path(usize),
    /// The wanted array.
    Target,
    /// An object of which some members are kept, or an array of such.
    Members(&'p [(&'p str, Keep<'p>)]),
}

#[derive(Debug)]
struct Walker<'p> {
    path: &'p [&'p str],
    keep: Keep<'p>,
    cap: usize,
    mode: Mode,
    next: Next<'p>,
    expect_key: bool,
    frames: Vec<Frame<'p>>,
    depth: usize,
    key: Key,
    element: Vec<u8>,
    /// Where the current element starts, if one is open.
    start: Option<u64>,
    index: u64,
    found: Found,
}

impl<'p> Walker<'p> {
    fn new(path: &'p [&'p str], keep: Keep<'p>, cap: usize) -> Self {
        let longest = path.iter().map(|key| key.len()).max().unwrap_or(0).max(longest_key(keep));
        Self {
            path,
            keep,
            cap,
            mode: Mode::Token,
            next: Next::Path(0),
            expect_key: false,
            frames: Vec::new(),
            depth: 0,
            key: Key::new(longest),
            element: Vec::new(),
            start: None,
            index: 0,
            found: Found::Nothing,
        }
    }

    /// An element that is still open must not have come to more bytes than the cap.
    #[inline]
    fn check_size(&self, reached: u64) -> Result<(), Error> {
        match self.start {
            Some(start) if reached - start > self.cap as u64 => Err(Error {
                offset: start,
                kind: ErrorKind::ElementTooLarge { index: self.index, cap: self.cap },
            }),
            _ => Ok(()),
        }
    }

    fn block(
        &mut self,
        block: &[u8; BLOCK],
        shape: &Shape,
        offset: u64,
        sink: &mut impl FnMut(Element<'_>) -> Flow,
    ) -> Result<Flow, Error> {
        let tokens = shape.quoted.opening | shape.open | shape.close | shape.comma | shape.primitive_start;
        let mut at = 0;
        while at < BLOCK {
            if let Mode::Token = self.mode {
                let Some(token) = first(tokens, at) else { break };
                at = self.token(block, shape, token, offset)?;
            } else {
                match self.pass(block, shape, at) {
                    Some(end) => at = end,
                    None => break,
                }
            }
            if self.element_ended() {
                self.check_size(offset + at as u64)?;
                if self.emit(sink) == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
        }
        self.check_size(offset + BLOCK as u64)?;
        Ok(Flow::Continue)
    }

    /// Goes through what the mode says. Returns where that ends, if it does in this block.
    #[inline(always)]
    fn pass(&mut self, block: &[u8; BLOCK], shape: &Shape, at: usize) -> Option<usize> {
        let (end, keep) = match self.mode {
            Mode::Token => return Some(at),
            Mode::Key => {
                let end = first(shape.quoted.closing, at);
                self.key.extend(&block[at..end.unwrap_or(BLOCK)]);
                if end.is_some() {
                    let key = std::mem::take(&mut self.key);
                    self.key_ended(key.raw(), key.is_escaped());
                    self.key = key;
                }
                return end.map(|end| end + 1);
            }
            // The byte at hand may be the opening quote: the closing one comes after it.
            Mode::String { keep } => (first(shape.quoted.closing, at).map(|end| end + 1), keep),
            Mode::Primitive { keep } => (first(!shape.primitive, at), keep),
            Mode::Container { floor, keep } => (self.close_of(shape, floor, at), keep),
        };
        if keep {
            self.element.extend_from_slice(&block[at..end.unwrap_or(BLOCK)]);
        }
        if end.is_some() {
            self.mode = Mode::Token;
        }
        end
    }

    /// Just behind the bracket that leaves no more than `floor` containers open.
    fn close_of(&mut self, shape: &Shape, floor: usize, at: usize) -> Option<usize> {
        if at == 0 && shape.least_depth > floor {
            self.depth = shape.depth_after;
            return None;
        }
        let mut brackets = (shape.open | shape.close) & from(at);
        while brackets != 0 {
            let bit = brackets & brackets.wrapping_neg();
            if shape.open & bit != 0 {
                self.depth += 1;
            } else {
                self.depth -= 1;
                if self.depth == floor {
                    return Some(bit.trailing_zeros() as usize + 1);
                }
            }
            brackets &= brackets - 1;
        }
        None
    }

    /// One token of the innermost frame. Returns where to go on: at the token itself if it starts something that the
    /// mode it set goes through.
    #[inline(always)]
    fn token(&mut self, block: &[u8; BLOCK], shape: &Shape, at: usize, offset: u64) -> Result<usize, Error> {
        match block[at] {
            b',' => self.comma(),
            b'"' if self.expect_key => {
                if let Some(end) = first(shape.quoted.closing, at) {
                    let escaped = shape.quoted.backslash & from(at) & !from(end) != 0;
                    self.key_ended(&block[at + 1..end], escaped);
                    return Ok(end + 1);
                }
                self.key.clear();
                self.mode = Mode::Key;
            }
            bracket @ (b'}' | b']') => self.leave(bracket),
            byte => {
                let passes = self.value(byte, offset + at as u64)?;
                return Ok(if passes { at } else { at + 1 });
            }
        }
        Ok(at + 1)
    }

    fn comma(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        self.expect_key = !frame.array;
        if frame.array {
            if let Role::Members(_) = frame.role {
                self.element.push(b',');
            }
            self.next = self.next_in_array();
        }
    }

    fn next_in_array(&self) -> Next<'p> {
        match self.frames.last().map(|frame| frame.role) {
            Some(Role::Target) => Next::Element,
            Some(Role::Members(members)) => Next::Keep(Keep::Members(members)),
            _ => Next::Skip,
        }
    }

    fn leave(&mut self, bracket: u8) {
        self.depth -= 1;
        self.expect_key = false;
        if let Some(Frame { role: Role::Members(_), .. }) = self.frames.pop() {
            self.element.push(bracket);
        }
    }

    fn enter(&mut self, role: Role<'p>, bracket: u8) {
        self.depth += 1;
        let array = bracket == b'[';
        if let Role::Members(_) = role {
            self.element.push(bracket);
        }
        self.frames.push(Frame { role, array, seen: 0 });
        self.expect_key = !array;
        if array {
            self.next = self.next_in_array();
        }
    }

    /// The key of a member is known, as it is written: decides what becomes of the member's value.
    fn key_ended(&mut self, raw: &[u8], escaped: bool) {
        self.mode = Mode::Token;
        self.expect_key = false;
        self.next = Next::Skip;
        let Some(frame) = self.frames.last_mut() else { return };
        let wanted = match frame.role {
            Role::Path(level) if key::is(raw, escaped, self.path[level]) => Some((0, Next::Path(level + 1))),
            Role::Members(members) => members
                .iter()
                .position(|(name, _)| key::is(raw, escaped, name))
                .map(|member| (member, Next::Keep(members[member].1))),
            Role::Path(_) | Role::Target => None,
        };
        let Some((member, next)) = wanted else { return };
        let bit = if member < 64 { 1 << member } else { 0 };
        if frame.seen & bit != 0 {
            self.next = Next::Again;
            self.key.set(raw);
            return;
        }
        if let Role::Members(_) = frame.role {
            if frame.seen != 0 {
                self.element.push(b',');
            }
            self.element.push(b'"');
            self.element.extend_from_slice(raw);
            self.element.extend_from_slice(b"\":");
        }
        frame.seen |= bit;
        self.next = next;
    }

    /// The first byte of a value. Returns whether the value is to be passed, that byte included.
    fn value(&mut self, byte: u8, offset: u64) -> Result<bool, Error> {
        match std::mem::replace(&mut self.next, Next::Skip) {
            Next::Skip => self.pass_value(byte, false),
            Next::Keep(keep) => return Ok(self.kept_value(byte, keep)),
            Next::Element => {
                self.start = Some(offset);
                self.element.clear();
                return Ok(self.kept_value(byte, self.keep));
            }
            Next::Again => {
                let key = String::from_utf8_lossy(self.key.raw()).into_owned();
                return Err(Error { offset, kind: ErrorKind::DuplicateKey { key } });
            }
            Next::Path(level) if level == self.path.len() => match byte {
                b'[' => {
                    self.found = Found::Array;
                    self.enter(Role::Target, byte);
                    return Ok(false);
                }
                b'n' if level > 0 => {
                    self.found = Found::Null;
                    self.pass_value(byte, false);
                }
                _ => return Err(self.wrong_type(level, "an array", byte, offset)),
            },
            Next::Path(level) => {
                if byte != b'{' {
                    return Err(self.wrong_type(level, "an object", byte, offset));
                }
                self.enter(Role::Path(level), byte);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn kept_value(&mut self, byte: u8, keep: Keep<'p>) -> bool {
        match keep {
            Keep::Members(members) if matches!(byte, b'{' | b'[') => {
                self.enter(Role::Members(members), byte);
                false
            }
            _ => {
                self.pass_value(byte, true);
                true
            }
        }
    }

    fn pass_value(&mut self, byte: u8, keep: bool) {
        self.mode = match byte {
            b'"' => Mode::String { keep },
            b'{' | b'[' => Mode::Container { floor: self.depth, keep },
            _ => Mode::Primitive { keep },
        };
    }

    fn element_ended(&self) -> bool {
        self.start.is_some()
            && matches!(self.mode, Mode::Token)
            && matches!(self.frames.last(), Some(Frame { role: Role::Target, .. }))
    }

    fn emit(&mut self, sink: &mut impl FnMut(Element<'_>) -> Flow) -> Flow {
        let Some(offset) = self.start.take() else { return Flow::Continue };
        let index = self.index;
        self.index += 1;
        sink(Element { index, offset, bytes: &self.element })
    }

    #[cold]
    fn wrong_type(&self, level: usize, expected: &'static str, found: u8, offset: u64) -> Error {
        let what = match level {
            0 => "the document".to_owned(),
            level => format!("\"{}\"", self.path[..level].join(".")),
        };
        Error { offset, kind: ErrorKind::WrongType { what, expected, found } }
    }
}

fn longest_key(keep: Keep<'_>) -> usize {
    match keep {
        Keep::Whole => 0,
        Keep::Members(members) => {
            members.iter().map(|(name, keep)| name.len().max(longest_key(*keep))).max().unwrap_or(0)
        }
    }
}

/// All bits from this one on; none if it is past the last.
#[inline(always)]
fn from(at: usize) -> u64 {
    if at < BLOCK { u64::MAX << at } else { 0 }
}

/// The first bit of the mask that is not before `at`.
#[inline(always)]
fn first(mask: u64, at: usize) -> Option<usize> {
    let rest = mask & from(at);
    (rest != 0).then(|| rest.trailing_zeros() as usize)
}
