//! The reader: from chunks of bytes to pods.

use coracle_json::{Element, Elements, Flow};

use crate::decode::{Item, Object, POD};
use crate::{Error, Pod};

/// Receives the pods of a list, in the order of the document.
pub trait Sink {
    /// Whether the pod behind these bytes may matter; `false` skips decoding it, which is counted in
    /// [`Summary::filtered`].
    ///
    /// `raw` is the pod's JSON, reduced to the members that are read, as it is written: escapes are not decoded. A
    /// text that does not occur in it can still be in the pod if `raw` contains a `\u` escape.
    fn wants(&mut self, raw: &[u8]) -> bool {
        let _ = raw;
        true
    }

    /// One pod with a uid. [`Flow::Stop`] ends the reading here; what follows is then neither read nor checked.
    fn pod(&mut self, pod: &Pod<'_>) -> Flow;
}

/// Caps of a reader. What exceeds one is an error, not an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes that one pod may span in the document. Default 4 MiB; the API server stores no object over 1.5 MiB.
    pub pod_bytes: usize,
    /// Most objects and arrays inside each other. Default 128.
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

/// Reads a pod list from chunks of any size, and gives its pods to a [`Sink`], one at a time.
///
/// It holds the kept members of one pod, never the list: a few kilobytes, [`Limits::pod_bytes`] at the very most.
#[derive(Debug)]
pub struct Reader {
    elements: Elements<'static>,
    progress: Progress,
}

/// The part of the reader that an element changes.
#[derive(Debug, Default)]
struct Progress {
    summary: Summary,
    error: Option<Error>,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

impl Reader {
    /// A reader with the default [`Limits`].
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(Limits::default())
    }

    /// A reader under these caps.
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        let limits = coracle_json::Limits { depth: limits.depth, item_bytes: limits.pod_bytes };
        Self { elements: Elements::with_limits(&["items"], POD, limits), progress: Progress::default() }
    }

    /// Reads the next bytes of the document. After [`Flow::Stop`] the rest need not be pushed.
    ///
    /// After an error the pods that the sink has got are no answer: the list was not whole.
    pub fn push(&mut self, chunk: &[u8], sink: &mut impl Sink) -> Result<Flow, Error> {
        let progress = &mut self.progress;
        let flow = self.elements.push(chunk, |element| progress.element(&element, sink))?;
        progress.take_error()?;
        Ok(flow)
    }

    /// The end of the document: an error unless it was a whole pod list, or the sink stopped it.
    pub fn finish(mut self, sink: &mut impl Sink) -> Result<Summary, Error> {
        let progress = &mut self.progress;
        progress.take_error()?;
        let read = self.elements.finish(|element| progress.element(&element, sink))?;
        progress.take_error()?;
        Ok(Summary { bytes_read: read.bytes, stopped: read.stopped, ..progress.summary })
    }
}

impl Progress {
    fn take_error(&mut self) -> Result<(), Error> {
        self.error.take().map_or(Ok(()), Err)
    }

    fn element(&mut self, element: &Element<'_>, sink: &mut impl Sink) -> Flow {
        if !sink.wants(element.bytes) {
            self.summary.filtered += 1;
            return Flow::Continue;
        }
        match serde_json::from_slice::<Option<Object<Item<'_>>>>(element.bytes) {
            Ok(item) => {
                let Some(pod) = item.and_then(|Object(item)| item.into_pod()) else {
                    self.summary.without_uid += 1;
                    return Flow::Continue;
                };
                self.summary.pods += 1;
                self.summary.containers += pod.containers.len() as u64;
                sink.pod(&pod)
            }
            Err(error) => {
                self.error = Some(describe(element, &error));
                Flow::Stop
            }
        }
    }
}

/// Decodes once more, this time keeping track of the field. Runs once a document.
#[cold]
fn describe(element: &Element<'_>, error: &serde_json::Error) -> Error {
    let mut deserializer = serde_json::Deserializer::from_slice(element.bytes);
    let outcome: Result<Option<Object<Item<'_>>>, _> = serde_path_to_error::deserialize(&mut deserializer);
    let (path, message) = match &outcome {
        Err(located) => (located.path().to_string(), located.inner().to_string()),
        Ok(_) => (String::new(), error.to_string()),
    };
    // Line and column are those of the reduced element: they would mislead.
    let message =
        message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message).to_owned();
    let message = shorten(message);
    let path = match path.as_str() {
        "" | "." => String::new(),
        path => format!("{}: ", shorten(path.to_owned())),
    };
    Error::Pod { index: element.index, offset: element.offset, path, message }
}

/// A text of the document may be of any length; an error is for people.
fn shorten(mut text: String) -> String {
    const MOST_BYTES: usize = 200;
    if text.len() > MOST_BYTES {
        text.truncate(text.floor_char_boundary(MOST_BYTES));
        text.push('…');
    }
    text
}
