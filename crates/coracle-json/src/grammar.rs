//! The grammar of JSON (RFC 8259, section 2), checked for all tokens of 64 bytes at once.
//!
//! Which token may follow which is a question about neighbours, and is answered with a handful of shifts and
//! additions for the whole block: each class of tokens marks the place where the next token starts, and a token of a
//! class that may not stand there is an error. Only brackets change what the rules are, so only brackets are looked
//! at one by one; the pairs `{}` and `[]` need not even that.
//!
//! Objects and arrays differ in two things, kept as two masks and chosen by the container between two brackets:
//! an array has no colon at all, and in an object each comma is followed by a string, and each string that follows a
//! comma or the opening brace is followed by a colon.

use crate::error::ErrorKind;
use crate::primitive::Primitive;
use crate::scan::{BLOCK, TokenClasses};
use crate::strings::Quoted;

/// The tokens of one block, all outside strings, and how deep they are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shape {
    pub(crate) quoted: Quoted,
    /// `{` and `[`.
    pub(crate) open: u64,
    /// `}` and `]`.
    pub(crate) close: u64,
    pub(crate) comma: u64,
    /// Every byte of numbers and literals.
    pub(crate) primitive: u64,
    /// The first byte of each.
    pub(crate) primitive_start: u64,
    /// Containers open at the end of the block.
    pub(crate) depth_after: usize,
    /// The fewest containers that were open anywhere in the block, pairs of brackets side by side left aside.
    pub(crate) least_depth: usize,
}

/// 1 where the token that the next one follows was in an earlier block.
#[derive(Debug, Default)]
struct Pending {
    open: u64,
    colon: u64,
    comma: u64,
    key: u64,
}

/// The state of the grammar between blocks.
#[derive(Debug)]
pub(crate) struct Grammar {
    pending: Pending,
    /// 1 if a string that can be a key is open.
    key_open: u64,
    /// 1 if the block ended in a primitive.
    primitive_open: u64,
    primitive: Primitive,
    depth: usize,
    cap: usize,
    /// The innermost container: all ones if it is an object.
    object: u64,
    /// The containers around it, one entry a level.
    outer: Box<[u64; MOST_DEPTH]>,
}

/// One more than the deepest nesting that can be asked for. A power of two: an index is cut to it, not checked.
const MOST_DEPTH: usize = 1024;

/// Where the first error of a block is, relative to the block: before it if a character was cut; and what it is.
pub(crate) type Broken = (isize, ErrorKind);

impl Grammar {
    pub(crate) fn new(cap: usize) -> Self {
        let cap = cap.min(MOST_DEPTH - 1);
        Self {
            // A document starts with a value, as what follows a colon does.
            pending: Pending { colon: 1, ..Pending::default() },
            key_open: 0,
            primitive_open: 0,
            primitive: Primitive::Start,
            depth: 0,
            cap,
            object: 0,
            outer: Box::new([0; MOST_DEPTH]),
        }
    }

    /// Whether the document can end here.
    pub(crate) fn is_whole(&self) -> bool {
        self.depth == 0 && self.pending.colon == 0
    }

    /// What is open, in words for an error about a document that ends too early.
    pub(crate) fn open_in_words(&self) -> &'static str {
        match (self.depth, self.object) {
            (0, _) => "white space, before any value",
            (_, 0) => "an array",
            _ => "an object",
        }
    }

    /// The next block lies inside a string, whole.
    #[inline(always)]
    pub(crate) fn pass_text(&self, quoted: Quoted) -> Shape {
        Shape { quoted, depth_after: self.depth, least_depth: self.depth, ..Shape::default() }
    }

    /// Checks the next block whole, and says where its tokens are. `None` if it is wrong: `broken` then says where.
    #[inline(always)]
    pub(crate) fn next(
        &mut self,
        block: &[u8; BLOCK],
        classes: &TokenClasses,
        quoted: Quoted,
        broken: &mut Option<Broken>,
    ) -> Option<Shape> {
        let outside = !quoted.inside;
        let open = classes.open & outside;
        let close = classes.close & outside;
        let colon = classes.colon & outside;
        let comma = classes.comma & outside;
        let space = classes.space & outside;
        let primitive = outside & !(quoted.closing | open | close | colon | comma | space);

        let primitive_start = primitive & !(primitive << 1 | self.primitive_open);
        let mut bad_primitive = 0;
        if primitive | self.primitive_open != 0
            && let Some(at) = self.check_primitives(block, primitive)
        {
            bad_primitive = 1 << at;
        }
        self.primitive_open = primitive >> 63;

        let Follow { open: after_open, colon: after_colon, comma: after_comma, key: after_key } =
            if space == 0 {
                self.follow::<false>(open, colon, comma, space, quoted)
            } else {
                self.follow::<true>(open, colon, comma, space, quoted)
            };
        let value_start = quoted.opening | primitive_start | open;
        let value_expected = after_open | after_colon | after_comma;
        let misplaced = value_start & !value_expected
            | comma & value_expected
            | colon & !after_key
            | close & (after_colon | after_comma);
        let wrong_in_object = (after_open | after_comma) & (primitive_start | open) | after_key & !colon;
        let nesting = Nesting { open, close, curly: classes.curly, wrong_in_object, colon, comma };
        let (errors, least_depth) = self.nest(&nesting, misplaced | bad_primitive);
        if errors != 0 {
            let at = errors.trailing_zeros() as usize;
            let places = Places {
                first: after_open,
                after_colon,
                after_comma,
                key: after_key,
                bad_primitive: bad_primitive & !misplaced,
            };
            *broken = Some((at.cast_signed(), self.describe(at, block, &nesting, &places)));
            return None;
        }
        Some(Shape {
            quoted,
            open,
            close,
            comma,
            primitive,
            primitive_start,
            depth_after: self.depth,
            least_depth,
        })
    }

    /// The places where the tokens start that follow these.
    #[inline(always)]
    fn follow<const SPACED: bool>(
        &mut self,
        open: u64,
        colon: u64,
        comma: u64,
        space: u64,
        quoted: Quoted,
    ) -> Follow {
        let pending = &mut self.pending;
        let after_open = follow::<SPACED>(open, &mut pending.open, space);
        let after_colon = follow::<SPACED>(colon, &mut pending.colon, space);
        let after_comma = follow::<SPACED>(comma, &mut pending.comma, space);
        // A string in the place of a key carries that through to its closing quote, and from there to the colon.
        let key_start = quoted.opening & (after_open | after_comma);
        let (carried, beyond) = sum(key_start, quoted.inside, self.key_open);
        self.key_open = beyond;
        let after_key = follow::<SPACED>(carried & quoted.closing, &mut pending.key, space);
        Follow { open: after_open, colon: after_colon, comma: after_comma, key: after_key }
    }

    /// Walks the brackets of a block. Returns the tokens that are wrong, those already known to be included, and the
    /// least depth.
    #[inline(always)]
    fn nest(&mut self, nesting: &Nesting, errors: u64) -> (u64, usize) {
        let Nesting { open, close, curly, .. } = *nesting;
        let pairs = open & (close >> 1) & !(curly ^ curly >> 1);
        let brackets = (open | close) & !(pairs | pairs << 1);
        let count = brackets.count_ones() as usize;
        // Where the block can reach neither the top nor the cap, and nothing is wrong yet, less has to be looked at.
        if errors == 0 && self.depth > count && self.depth + count < self.cap {
            let before = (self.depth, self.object);
            if let Some(least_depth) = self.nest_quickly(nesting, brackets) {
                return (0, least_depth);
            }
            (self.depth, self.object) = before;
        }
        self.nest_carefully(nesting, brackets, pairs, errors)
    }

    /// `None` if something is wrong; depth and container are then not to be relied on.
    #[inline(always)]
    fn nest_quickly(&mut self, nesting: &Nesting, mut brackets: u64) -> Option<usize> {
        let mut walk = Walk {
            depth: self.depth,
            least_depth: self.depth,
            object: self.object,
            inside_object: self.object,
            unmatched: 0,
        };
        // Most blocks have three brackets at most: going on without asking is cheaper than a branch that cannot be
        // predicted, and a step without a bracket changes nothing.
        for _ in 0..3 {
            walk.step(nesting, brackets, &mut self.outer);
            brackets &= brackets.wrapping_sub(1);
        }
        while brackets != 0 {
            walk.step(nesting, brackets, &mut self.outer);
            brackets &= brackets - 1;
        }
        let Walk { depth, least_depth, object, inside_object, unmatched } = walk;
        let wrong = (nesting.wrong_in_object & inside_object) | (nesting.colon & !inside_object) | unmatched;
        self.depth = depth;
        self.object = object;
        (wrong == 0).then_some(least_depth)
    }

    /// As above, but stops at the first error, so that the container around it is known then.
    #[cold]
    fn nest_carefully(
        &mut self,
        nesting: &Nesting,
        mut brackets: u64,
        pairs: u64,
        errors: u64,
    ) -> (u64, usize) {
        let Nesting { open, curly, .. } = *nesting;
        let mut least_depth = self.depth;
        let mut unseen = u64::MAX;
        while brackets != 0 {
            let upto = brackets ^ (brackets - 1);
            let wrong = (errors | self.wrong_here(nesting, pairs)) & upto & unseen;
            if wrong != 0 {
                return (wrong, least_depth);
            }
            unseen = !upto;
            let bit = brackets & brackets.wrapping_neg();
            brackets &= brackets - 1;
            let is_object = if curly & bit == 0 { 0 } else { u64::MAX };
            if open & bit != 0 {
                if self.depth == self.cap {
                    return (bit, least_depth);
                }
                self.outer[self.depth] = self.object;
                self.depth += 1;
                self.object = is_object;
            } else {
                if self.depth == 0 || self.object != is_object {
                    return (bit, least_depth);
                }
                self.depth -= 1;
                self.object = self.outer[self.depth];
                least_depth = least_depth.min(self.depth);
            }
        }
        ((errors | self.wrong_here(nesting, pairs)) & unseen, least_depth)
    }

    /// The tokens that are wrong in the innermost container.
    #[inline(always)]
    fn wrong_here(&self, nesting: &Nesting, pairs: u64) -> u64 {
        if self.depth == 0 {
            return nesting.comma | nesting.colon | if self.cap == 0 { pairs } else { 0 };
        }
        let wrong = (nesting.wrong_in_object & self.object) | (nesting.colon & !self.object);
        if self.depth == self.cap { wrong | pairs } else { wrong }
    }

    /// Feeds the bytes of all primitives of a block. Returns where the first error is.
    #[inline]
    fn check_primitives(&mut self, block: &[u8; BLOCK], primitive: u64) -> Option<usize> {
        let mut rest = primitive;
        if self.primitive_open == 1
            && let Some(at) = self.feed_primitive(block, 0, &mut rest)
        {
            return Some(at);
        }
        while rest != 0 {
            self.primitive = Primitive::Start;
            let start = rest.trailing_zeros() as usize;
            if let Some(at) = self.feed_primitive(block, start, &mut rest) {
                return Some(at);
            }
        }
        None
    }

    /// Feeds the primitive that has bytes from `start` on, which may be none if it ended with the block before, and
    /// takes it off the mask.
    #[inline(always)]
    fn feed_primitive(&mut self, block: &[u8; BLOCK], start: usize, rest: &mut u64) -> Option<usize> {
        let end = BLOCK.min(start + (!(*rest >> start)).trailing_zeros() as usize);
        *rest &= if end < BLOCK { u64::MAX << end } else { 0 };
        if end < BLOCK && self.primitive == Primitive::Start && Primitive::is_common(&block[start..end]) {
            self.primitive = Primitive::Zero;
            return None;
        }
        for (at, &byte) in block.iter().enumerate().take(end).skip(start) {
            match self.primitive.next(byte) {
                Some(next) => self.primitive = next,
                None => return Some(at),
            }
        }
        (end < BLOCK && !self.primitive.is_whole()).then_some(end)
    }

    /// Puts the error at this place into words. Cold: it runs once a document.
    #[cold]
    fn describe(&self, at: usize, block: &[u8; BLOCK], nesting: &Nesting, places: &Places) -> ErrorKind {
        let found = block[at];
        let has = |mask: u64| mask >> at & 1 == 1;
        let unexpected = |expected| ErrorKind::Unexpected { expected, found };
        if has(places.bad_primitive) {
            return ErrorKind::Primitive { found };
        }
        if has(nesting.open)
            && self.depth == self.cap
            && has(places.first | places.after_colon | places.after_comma)
        {
            return ErrorKind::TooDeep { cap: self.cap };
        }
        if has(places.first) {
            return unexpected(if self.object == 0 { "a value or ']'" } else { "a key or '}'" });
        }
        if has(places.key) && self.object != 0 {
            return unexpected("':' after the key");
        }
        if has(places.after_comma) && self.depth != 0 {
            return unexpected(if self.object == 0 { "a value" } else { "a key" });
        }
        if has(places.after_colon) {
            return unexpected("a value");
        }
        match (self.depth, self.object) {
            (0, _) => unexpected("nothing more after the document's value"),
            (_, 0) => unexpected("',' or ']'"),
            _ => unexpected("',' or '}'"),
        }
    }
}

/// The places that a token of each class determines for the next one.
struct Follow {
    open: u64,
    colon: u64,
    comma: u64,
    key: u64,
}

/// A walk over the brackets of a block.
struct Walk {
    depth: usize,
    least_depth: usize,
    object: u64,
    /// For each byte, whether the container around it is an object.
    inside_object: u64,
    /// Not zero once a bracket closed a container of the other kind.
    unmatched: u64,
}

impl Walk {
    /// Takes the first of these brackets, if there is one. Opening and closing are gone without a branch: which of
    /// the two a bracket is cannot be predicted.
    #[inline(always)]
    fn step(&mut self, nesting: &Nesting, brackets: u64, outer: &mut [u64; MOST_DEPTH]) {
        let behind = !(brackets ^ brackets.wrapping_sub(1));
        let bit = brackets & brackets.wrapping_neg();
        let is_object = if nesting.curly & bit == 0 { 0 } else { u64::MAX };
        let opens = nesting.open & bit != 0;
        let closes = nesting.close & bit != 0;
        outer[self.depth % MOST_DEPTH] = self.object;
        self.depth = self.depth + usize::from(opens) - usize::from(closes);
        self.unmatched |= if closes { self.object ^ is_object } else { 0 };
        let next = if opens { is_object } else { outer[self.depth % MOST_DEPTH] };
        self.inside_object ^= (self.object ^ next) & behind;
        self.object = next;
        self.least_depth = self.least_depth.min(self.depth);
    }
}

/// What the walk over the brackets of a block needs.
struct Nesting {
    open: u64,
    close: u64,
    curly: u64,
    colon: u64,
    comma: u64,
    wrong_in_object: u64,
}

/// The places where a token of a certain kind had to start, for error messages.
struct Places {
    /// Behind an opening bracket.
    first: u64,
    after_colon: u64,
    after_comma: u64,
    key: u64,
    bad_primitive: u64,
}

/// Where the tokens that follow these start: one byte on, or more where there is white space. What leaves the block
/// comes back as `pending` in the next one.
#[inline(always)]
fn follow<const SPACED: bool>(tokens: u64, pending: &mut u64, space: u64) -> u64 {
    let next = tokens << 1 | *pending;
    *pending = tokens >> 63;
    if !SPACED {
        return next;
    }
    // Adding the place to the run of white space that starts there carries it to the run's end.
    let (moved, beyond) = next.overflowing_add(space);
    *pending |= u64::from(beyond);
    moved & !space
}

/// `left + right + carry`, and the carry out.
#[inline(always)]
fn sum(left: u64, right: u64, carry: u64) -> (u64, u64) {
    let (partial, first) = left.overflowing_add(right);
    let (total, second) = partial.overflowing_add(carry);
    (total, u64::from(first | second))
}
