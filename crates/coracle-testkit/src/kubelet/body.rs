//! The body of an answer, made while it is sent.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

use super::server::Shared;

/// A list, a piece at a time.
pub(super) struct Pieces {
    source: Box<dyn Iterator<Item = Vec<u8>> + Send>,
    piece: Bytes,
    /// Bytes to come, if known.
    left: Option<u64>,
    pace: Option<Pace>,
    shared: Arc<Shared>,
}

struct Pace {
    bytes: usize,
    every: Duration,
    pause: Pin<Box<Sleep>>,
}

impl Pieces {
    /// The list of this kubelet, as fast as the client reads.
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            source: shared.content.chunks(),
            piece: Bytes::new(),
            left: shared.len,
            pace: None,
            shared: Arc::clone(shared),
        }
    }

    /// The same, so many bytes at a time with a pause before each.
    pub(super) fn slowly(mut self, bytes: usize, every: Duration) -> Self {
        self.pace = Some(Pace { bytes: bytes.max(1), every, pause: Box::pin(sleep(every)) });
        self
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        if let Some(pace) = &mut this.pace {
            ready!(pace.pause.as_mut().poll(context));
        }
        while this.piece.is_empty() {
            let Some(piece) = this.source.next() else { return Poll::Ready(None) };
            this.piece = piece.into();
        }
        let part = match &mut this.pace {
            None => std::mem::take(&mut this.piece),
            Some(pace) => {
                pace.pause.as_mut().reset(Instant::now() + pace.every);
                this.piece.split_to(pace.bytes.min(this.piece.len()))
            }
        };
        let sent = part.len() as u64;
        this.left = this.left.map(|left| left.saturating_sub(sent));
        this.shared.count_sent(sent);
        Poll::Ready(Some(Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
