//! What goes wrong at real kubelets.

use std::time::Duration;

/// How a kubelet answers when it does not just send its list.
///
/// All but [`CloseAfter`](Fault::CloseAfter) and [`Slowly`](Fault::Slowly) answer every request, whoever asks for
/// whatever; those two are ways to send the list, so path and credentials are looked at first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// This status, from 200 to 999, and this text as the body. An impossible status becomes a 500.
    Status(u16, String),
    /// The head and so many bytes of the body, exactly; then the connection is closed, over TLS without a
    /// `close_notify`. The head has promised the whole list; a list that is not longer is sent whole.
    CloseAfter(u64),
    /// The list, in parts of `bytes` (at least one), a pause before each. The head is sent at once.
    Slowly {
        /// How many bytes at a time.
        bytes: usize,
        /// How long to wait before each part.
        every: Duration,
    },
    /// The greeting of an SSH server; then the connection is closed.
    NotHttp,
    /// Takes the request and never answers.
    Hang,
    /// A 302 to this place.
    Redirect(String),
}
