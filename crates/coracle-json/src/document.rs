//! One JSON document, in chunks of any size: cuts it into blocks, checks them, and shows each to a walker.
//!
//! Blocks are counted from the start of the document, not of the chunk. Nothing that happens depends on where the
//! chunks were cut, because no code past this file knows where that was.

use crate::Flow;
use crate::error::{Error, ErrorKind};
use crate::grammar::{Broken, Grammar, Shape};
use crate::scan::{BLOCK, Classify, Scanner, Task, TextClasses, TokenClasses};
use crate::strings::Strings;
use crate::utf8::Utf8;

/// Is shown the blocks of a document that are known to be correct, in order.
pub(crate) trait Walk {
    /// The next block, and where in the document it starts.
    fn block(&mut self, block: &[u8; BLOCK], shape: &Shape, offset: u64) -> Result<Flow, Error>;
}

/// The state between chunks: fixed in size, 8 KiB for the containers that are open.
#[derive(Debug)]
pub(crate) struct Document {
    scanner: Scanner,
    strings: Strings,
    utf8: Utf8,
    grammar: Grammar,
    /// The start of a block whose end has not come yet.
    partial: [u8; BLOCK],
    partial_len: usize,
    /// Where the next block starts.
    offset: u64,
    ended: Option<End>,
}

/// Why a document takes no more bytes.
#[derive(Debug, Clone)]
enum End {
    Stopped,
    Failed(Error),
}

impl Document {
    pub(crate) fn new(depth_cap: usize) -> Self {
        Self {
            scanner: Scanner::detect(),
            strings: Strings::default(),
            utf8: Utf8::default(),
            grammar: Grammar::new(depth_cap),
            partial: [b' '; BLOCK],
            partial_len: 0,
            offset: 0,
            ended: None,
        }
    }

    /// Bytes that were pushed.
    pub(crate) fn bytes(&self) -> u64 {
        self.offset + self.partial_len as u64
    }

    /// The next bytes. After an error or a stop, the same answer again.
    pub(crate) fn push(&mut self, chunk: &[u8], walker: &mut impl Walk) -> Result<Flow, Error> {
        match &self.ended {
            Some(End::Stopped) => return Ok(Flow::Stop),
            Some(End::Failed(error)) => return Err(error.clone()),
            None => {}
        }
        let outcome = self.push_blocks(chunk, walker);
        self.end_on(outcome)
    }

    /// The end of the document. Nothing is checked of a document that the walker stopped.
    pub(crate) fn finish(&mut self, walker: &mut impl Walk) -> Result<Flow, Error> {
        match &self.ended {
            Some(End::Stopped) => return Ok(Flow::Stop),
            Some(End::Failed(error)) => return Err(error.clone()),
            None => {}
        }
        let outcome = self.last_block(walker);
        self.end_on(outcome)
    }

    fn end_on(&mut self, outcome: Result<Flow, Error>) -> Result<Flow, Error> {
        self.ended = match &outcome {
            Ok(Flow::Continue) => None,
            Ok(Flow::Stop) => Some(End::Stopped),
            Err(error) => Some(End::Failed(error.clone())),
        };
        outcome
    }

    fn push_blocks(&mut self, mut chunk: &[u8], walker: &mut impl Walk) -> Result<Flow, Error> {
        if self.partial_len > 0 {
            let (head, rest) = chunk.split_at(chunk.len().min(BLOCK - self.partial_len));
            self.partial[self.partial_len..self.partial_len + head.len()].copy_from_slice(head);
            self.partial_len += head.len();
            if self.partial_len < BLOCK {
                return Ok(Flow::Continue);
            }
            chunk = rest;
            self.partial_len = 0;
            let block = self.partial;
            if self.blocks(&[block], walker)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        let (blocks, rest) = chunk.as_chunks::<BLOCK>();
        if self.blocks(blocks, walker)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
        self.partial[..rest.len()].copy_from_slice(rest);
        self.partial_len = rest.len();
        Ok(Flow::Continue)
    }

    fn blocks(&mut self, blocks: &[[u8; BLOCK]], walker: &mut impl Walk) -> Result<Flow, Error> {
        self.scanner.run(Batch { document: self, blocks, walker })
    }

    /// Checks the next block. `None` if it is wrong: `broken` then says why. (An error in the return value itself would
    /// be moved about in memory for each block.)
    #[inline(always)]
    fn check<Text, Tokens, PrefixXor>(
        &mut self,
        block: &[u8; BLOCK],
        classify: &Classify<Text, Tokens, PrefixXor>,
        broken: &mut Option<Broken>,
    ) -> Option<Shape>
    where
        Text: Fn(&[u8; BLOCK]) -> TextClasses,
        Tokens: Fn(&[u8; BLOCK], u64) -> TokenClasses,
        PrefixXor: Fn(u64) -> u64,
    {
        let classes = (classify.text)(block);
        if (classes.non_ascii != 0 || self.utf8.is_cut())
            && let Err(at) = self.utf8.check(block)
        {
            *broken = Some((at, ErrorKind::Utf8));
            return None;
        }
        let quoted = self.strings.next(block, &classes, &classify.prefix_xor, broken)?;
        if quoted.inside == u64::MAX && quoted.opening == 0 {
            return Some(self.grammar.pass_text(quoted));
        }
        let tokens = (classify.tokens)(block, classes.control);
        self.grammar.next(block, &tokens, quoted, broken)
    }

    /// The error that `check` left, now with its place in the document.
    #[cold]
    fn error(&self, broken: Option<Broken>) -> Error {
        let (at, kind) = broken.expect("a block is refused for a reason");
        Error { offset: self.offset.wrapping_add_signed(at as i64), kind }
    }

    /// The bytes that fill no block, made one with white space, which changes no document.
    fn last_block(&mut self, walker: &mut impl Walk) -> Result<Flow, Error> {
        let end = self.bytes();
        self.partial[self.partial_len..].fill(b' ');
        let block = self.partial;
        self.partial_len = 0;
        let truncated = |inside| Error { offset: end, kind: ErrorKind::Truncated { inside } };
        let flow = self.blocks(&[block], walker).map_err(|error| {
            // Only what the white space cut short can be wrong past the end.
            let inside = if self.strings.is_open() { "a string" } else { "a number or literal" };
            if error.offset >= end { truncated(inside) } else { error }
        });
        self.offset = end;
        if flow? == Flow::Stop {
            return Ok(Flow::Stop);
        }
        if self.strings.is_open() {
            return Err(truncated("a string"));
        }
        if !self.grammar.is_whole() {
            return Err(truncated(self.grammar.open_in_words()));
        }
        Ok(Flow::Continue)
    }
}

/// A few blocks to be gone through, by the scanner's instruction set.
struct Batch<'a, W> {
    document: &'a mut Document,
    blocks: &'a [[u8; BLOCK]],
    walker: &'a mut W,
}

impl<W: Walk> Task for Batch<'_, W> {
    type Output = Result<Flow, Error>;

    #[inline(always)]
    fn run<Text, Tokens, PrefixXor>(self, classify: Classify<Text, Tokens, PrefixXor>) -> Self::Output
    where
        Text: Fn(&[u8; BLOCK]) -> TextClasses,
        Tokens: Fn(&[u8; BLOCK], u64) -> TokenClasses,
        PrefixXor: Fn(u64) -> u64,
    {
        let mut broken = None;
        for block in self.blocks {
            let Some(shape) = self.document.check(block, &classify, &mut broken) else {
                return Err(self.document.error(broken));
            };
            let offset = self.document.offset;
            self.document.offset += BLOCK as u64;
            if self.walker.block(block, &shape, offset)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }
}
