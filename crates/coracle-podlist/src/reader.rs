//! The reader (interface first).
use crate::Pod;

/// What a sink wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Stop: the rest of the stream is not needed.
    Stop,
}

/// Receives the pods of a list, in the order of the document.
pub trait Sink {
    /// Whether the pod behind these bytes may matter. `raw` is the pod's JSON reduced to the fields that are read.
    /// `false` skips decoding it; it is counted in [`Summary::filtered`].
    fn wants(&mut self, raw: &[u8]) -> bool {
        let _ = raw;
        true
    }
    /// One pod with a uid.
    fn pod(&mut self, pod: &Pod<'_>) -> Flow;
}

/// Byte and depth caps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes that one pod may span in the document. Default 4 MiB.
    pub pod_bytes: usize,
    /// Deepest nesting of objects and arrays. Default 128.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { pod_bytes: 4 << 20, depth: 128 }
    }
}

/// What was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Bytes pushed.
    pub bytes_read: u64,
    /// Pods given to the sink.
    pub pods: u64,
    /// Containers of those pods, of all three kinds.
    pub containers: u64,
    /// Pods without a uid: skipped.
    pub without_uid: u64,
    /// Pods that [`Sink::wants`] declined: not decoded.
    pub filtered: u64,
    /// Whether the sink stopped the stream, so that the rest was not read.
    pub stopped: bool,
}

/// Why a list could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not the JSON of a pod list.
    #[error("pod list: {0}")]
    Json(String),
}

/// Reads a pod list from chunks of any size.
#[derive(Debug, Default)]
pub struct Reader {
    limits: Limits,
}

impl Reader {
    /// A reader with default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
    /// A reader with these limits.
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        Self { limits }
    }
    /// Reads the next bytes of the document. After `Flow::Stop` the rest need not be pushed.
    pub fn push(&mut self, chunk: &[u8], sink: &mut impl Sink) -> Result<Flow, Error> {
        let _ = (chunk, sink, self.limits);
        Ok(Flow::Continue)
    }
    /// The end of the document: fails unless it was whole (or the sink stopped it).
    pub fn finish(self, sink: &mut impl Sink) -> Result<Summary, Error> {
        let _ = sink;
        Ok(Summary::default())
    }
}
