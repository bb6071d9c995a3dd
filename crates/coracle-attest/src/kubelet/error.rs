//! Why the kubelet gave no pod list, and what to do about it.

use std::error::Error as _;
use std::io;
use std::time::Duration;

use rustls::CertificateError;

use super::credentials::SetupError;
use super::options::{KubeletOptions, Scheme};
use super::tls::is_ca_used_as_end_entity;

/// A request to the kubelet failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KubeletError {
    /// The options cannot be used, or a file that they name.
    #[error("cannot set up the request to the kubelet {url}")]
    Setup {
        /// The pod list's URL.
        url: String,
        /// Which, and why.
        source: Box<SetupError>,
    },
    /// No connection.
    #[error(
        "cannot connect to the kubelet {url}; is the port right, and does the pod use hostNetwork or a node name?"
    )]
    Connect {
        /// The pod list's URL.
        url: String,
        /// Why.
        source: io::Error,
    },
    /// The TLS handshake failed because a certificate was not accepted.
    #[error("the kubelet {url} is not trusted: {remedy}")]
    Untrusted {
        /// The pod list's URL.
        url: String,
        /// What is wrong and what to do.
        remedy: String,
        /// What the TLS library says.
        source: Box<rustls::Error>,
    },
    /// The TLS handshake failed for another reason.
    #[error("the TLS handshake with the kubelet {url} failed{remedy}")]
    Handshake {
        /// The pod list's URL.
        url: String,
        /// What to do, if that is known.
        remedy: &'static str,
        /// Why.
        source: io::Error,
    },
    /// What came was not HTTP.
    #[error("what answers at {url} does not speak HTTP: is the port right?{remedy}")]
    NotHttp {
        /// The pod list's URL.
        url: String,
        /// What else it may be; empty, or begins with a space.
        remedy: &'static str,
        /// Why.
        source: hyper::Error,
    },
    /// The connection ended before the answer began.
    #[error("the kubelet {url} hung up without an answer; {remedy}")]
    HungUp {
        /// The pod list's URL.
        url: String,
        /// What to do.
        remedy: &'static str,
        /// Why.
        source: hyper::Error,
    },
    /// The answer began, and broke off.
    #[error(
        "the kubelet {url} broke off its answer after {received} bytes of the pod list, so it is not used; ask \
         again, and look at the kubelet's log if it happens again"
    )]
    BrokeOff {
        /// The pod list's URL.
        url: String,
        /// Bytes of the body until then.
        received: u64,
        /// Why.
        source: hyper::Error,
    },
    /// Another status than 200.
    #[error("the kubelet {url} answered {code}{remedy}{}", shown_body(.body))]
    Status {
        /// The pod list's URL.
        url: String,
        /// The HTTP status.
        code: u16,
        /// What to do, if that is known; begins with a separator.
        remedy: String,
        /// The first bytes of the body, at most 1024, as one line. Otherwise it is what the peer sent: whoever shows
        /// it escapes what his terminal must not see.
        body: String,
    },
    /// The body is longer than allowed.
    #[error(
        "the kubelet {url} sent more than {limit} bytes; raise the limit if a node really has so many pods"
    )]
    TooLarge {
        /// The pod list's URL.
        url: String,
        /// The limit.
        limit: u64,
    },
    /// The whole request took too long.
    #[error(
        "the kubelet {url} had not answered in full after {} s ({received} bytes of the pod list had come); \
         is the port another service's? If the node is only overloaded, raise the timeout; the kubelet's log may \
         tell why",
        after.as_secs_f64()
    )]
    Timeout {
        /// The pod list's URL.
        url: String,
        /// How long it was waited for.
        after: Duration,
        /// Bytes of the body until then.
        received: u64,
    },
}

impl KubeletError {
    /// Whether the same request would fail again until somebody changes something. So it is with a timeout: the
    /// peer has had all the time that it was allowed, and each further request could cost as much.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        match self {
            Self::Setup { .. }
            | Self::Untrusted { .. }
            | Self::NotHttp { .. }
            | Self::TooLarge { .. }
            | Self::Timeout { .. } => true,
            // 408 and 429 ask to come again.
            Self::Status { code, .. } => (300..500).contains(code) && !matches!(code, 408 | 429),
            // Else the connection broke, as it does while a kubelet restarts.
            Self::Handshake { source, .. } => tls_error(source).is_some(),
            Self::Connect { .. } | Self::HungUp { .. } | Self::BrokeOff { .. } => false,
        }
    }

    /// No head of an answer came, because of `source`.
    pub(crate) fn no_answer(options: &KubeletOptions, source: hyper::Error) -> Self {
        let url = options.to_string();
        let is_plain = options.scheme == Scheme::Http;
        if is_not_http(&source) {
            // A TLS server says so with an alert, which is no HTTP either.
            let remedy = if is_plain { " The secure port is to be reached by https://" } else { "" };
            return Self::NotHttp { url, remedy, source };
        }
        let remedy = if is_plain {
            "is this the secure port, to be reached by https://? If not, ask again, and look at the kubelet's log"
        } else {
            "ask again, and look at the kubelet's log if it happens again"
        };
        Self::HungUp { url, remedy, source }
    }

    pub(crate) fn handshake(options: &KubeletOptions, source: io::Error) -> Self {
        let url = options.to_string();
        match tls_error(&source) {
            Some(rustls::Error::InvalidCertificate(reason)) => {
                let error = rustls::Error::InvalidCertificate(reason.clone());
                Self::Untrusted {
                    url,
                    remedy: trust_remedy(options, reason, &error),
                    source: Box::new(error),
                }
            }
            Some(rustls::Error::InvalidMessage(_)) => {
                let remedy = ": it does not speak TLS: is the port right? The read-only port is to be reached by http://";
                Self::Handshake { url, remedy, source }
            }
            Some(rustls::Error::AlertReceived(_)) => {
                let remedy = ": the kubelet refused; does it accept the client certificate?";
                Self::Handshake { url, remedy, source }
            }
            Some(_) => Self::Handshake { url, remedy: "", source },
            None => {
                let remedy = ": the connection broke; is this a port for TLS? If so, ask again, and look at the \
                              kubelet's log";
                Self::Handshake { url, remedy, source }
            }
        }
    }

    pub(crate) fn status(options: &KubeletOptions, code: u16, body: &[u8]) -> Self {
        let remedy = match status_remedy(options, code) {
            Some(remedy) => format!(": {remedy}"),
            None => String::new(),
        };
        let body = String::from_utf8_lossy(body).trim().chars().flat_map(on_one_line).collect();
        Self::Status { url: options.to_string(), code, remedy, body }
    }
}

fn shown_body(body: &str) -> String {
    if body.is_empty() { String::new() } else { format!("; it said: {body}") }
}

/// Makes text one line. No more than that: the program that shows it escapes what a terminal must not see.
fn on_one_line(c: char) -> impl Iterator<Item = char> {
    let breaks_line = c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let escaped = breaks_line.then(|| c.escape_default());
    let plain = (!breaks_line).then_some(c);
    plain.into_iter().chain(escaped.into_iter().flatten())
}

/// What TLS itself found wrong, rather than the connection under it.
fn tls_error(error: &io::Error) -> Option<&rustls::Error> {
    error.get_ref()?.downcast_ref()
}

/// Whether bytes came that are no HTTP answer.
fn is_not_http(error: &hyper::Error) -> bool {
    error.is_parse() || spoke_first(error)
}

/// The peer sent something before it was asked, as SSH and mail servers do. The HTTP library has no predicate for it;
/// of what ends a connection it is the one error without a cause that is neither of these.
fn spoke_first(error: &hyper::Error) -> bool {
    let hung_up = error.is_incomplete_message() || error.is_canceled() || error.is_closed();
    !hung_up && !error.is_user() && error.source().is_none()
}

fn trust_remedy(options: &KubeletOptions, reason: &CertificateError, error: &rustls::Error) -> String {
    let ca = options.ca_file.display();
    match reason {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => format!(
            "no certificate of the CA file {ca} has signed its certificate; a kubelet often has another CA than the \
             API server, or a self-signed certificate: give that one as the CA file"
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired; renew it (serverTLSBootstrap, kubeadm certs), or check this node's clock"
                .to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet; check this node's clock".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => format!(
            "its certificate is signed by the CA file {ca}, but has no subject alternative name {:?}; give the node \
             name that it has{}",
            options.server_name(),
            presented_names(reason),
        ),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "its certificate is not for servers; the kubelet's serving certificate (not its client certificate) \
             belongs in tlsCertFile"
                .to_owned()
        }
        _ if is_ca_used_as_end_entity(error) => format!(
            "its certificate is a CA's own, and not in the CA file {ca}; if it is a self-signed kubelet certificate, \
             give it as the CA file"
        ),
        _ => format!("its certificate was not accepted; check it and the CA file {ca}"),
    }
}

fn presented_names(reason: &CertificateError) -> String {
    match reason {
        CertificateError::NotValidForNameContext { presented, .. } if !presented.is_empty() => {
            format!(" ({})", presented.join(", "))
        }
        _ => String::new(),
    }
}

fn status_remedy(options: &KubeletOptions, code: u16) -> Option<String> {
    let presented = if options.scheme == Scheme::Http {
        "nothing, over plain HTTP".to_owned()
    } else if options.anonymous {
        "nothing, as told".to_owned()
    } else if let Some(certificate) = &options.client_certificate_file {
        format!("the client certificate {}", certificate.display())
    } else {
        format!("the token of {}", options.token_file.display())
    };
    match code {
        400 if options.scheme == Scheme::Http => Some("it may be the secure port; use https://".to_owned()),
        401 => Some(format!(
            "it does not know who asks; presented was {presented}: is it expired, and has the kubelet token \
             authentication (authentication.webhook) or this client CA?"
        )),
        403 => Some(format!(
            "who asks may not read pods; presented was {presented}: its role needs \"get\" on nodes/pods \
             (Kubernetes 1.33 or later) or nodes/proxy"
        )),
        404 => Some("there is no pod list at this path; a kubelet has it at /pods".to_owned()),
        300..=399 => {
            Some("redirects are not followed, a kubelet sends none; is this another service?".to_owned())
        }
        500..=599 => Some("the kubelet has a problem of its own; see its log".to_owned()),
        _ => None,
    }
}
