//! The kubelet's pod list over HTTP or HTTPS.

mod client;
mod credentials;
mod error;
mod options;
mod tls;
mod url;

pub(crate) use client::{ReadError, read};
pub use credentials::SetupError;
pub use error::KubeletError;
pub use options::{KubeletOptions, Scheme};
pub use url::UrlError;
