//! A kubelet to talk to: it serves a pod list at `GET /pods`, over HTTP or HTTPS, and can go wrong as real ones do.
//!
//! ```
//! use coracle_testkit::kubelet::{Fault, Kubelet};
//!
//! let kubelet = Kubelet::builder(br#"{"items":[]}"#.to_vec()).https().token("sesame").spawn().unwrap();
//! assert_eq!(kubelet.url(), format!("https://{}/pods", kubelet.addr()));
//! assert!(kubelet.ca_pem().unwrap().starts_with("-----BEGIN CERTIFICATE-----"));
//! kubelet.set_fault(Some(Fault::Hang));
//! assert_eq!(kubelet.requests(), 0);
//! ```

mod body;
mod certificates;
mod fault;
mod server;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;

use certificates::{Pems, Wanted};
pub use fault::Fault;
use server::Shared;

/// What a kubelet sends: bytes that are made while they are sent, so that a long list is never held.
#[expect(clippy::len_without_is_empty, reason = "the length of a body, not of a collection")]
pub trait Content: Send + Sync + 'static {
    /// The body from its start, in pieces. One piece is held at a time.
    fn chunks(&self) -> Box<dyn Iterator<Item = Vec<u8>> + Send>;

    /// How many bytes all the pieces have together. `None` if that is not known; the body is then sent in HTTP's
    /// chunks. A kubelet asks once, when it starts.
    fn len(&self) -> Option<u64>;
}

/// In pieces of 16 KiB. Each request holds a copy.
impl Content for Vec<u8> {
    fn chunks(&self) -> Box<dyn Iterator<Item = Vec<u8>> + Send> {
        const PIECE: usize = 16 << 10;
        let bytes = self.clone();
        Box::new(
            (0..bytes.len()).step_by(PIECE).map(move |at| bytes[at..bytes.len().min(at + PIECE)].to_vec()),
        )
    }

    fn len(&self) -> Option<u64> {
        Some(self.len() as u64)
    }
}

/// Why a kubelet did not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The port is taken, most likely.
    #[error("cannot listen on 127.0.0.1:{port}")]
    Listen {
        /// The port that was asked for; 0 for any.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
    /// A name that cannot stand in a certificate, most likely.
    #[error("cannot make a certificate")]
    Certificate(#[from] rcgen::Error),
    /// The certificates were made and are of no use.
    #[error("cannot set up TLS")]
    Tls(#[from] rustls::Error),
    /// The same, about the clients' certificates.
    #[error("cannot set up the check of client certificates")]
    Clients(#[from] rustls::server::VerifierBuilderError),
    /// No thread or no runtime could be made.
    #[error("cannot start the kubelet's thread")]
    Thread(#[source] io::Error),
}

/// What a kubelet is to be like. Without any call it is HTTPS for everybody, with a certificate of its CA for
/// `127.0.0.1` and `localhost`, on a free port.
#[must_use]
pub struct Builder {
    content: Box<dyn Content>,
    is_https: bool,
    port: u16,
    token: Option<String>,
    fault: Option<Fault>,
    wanted: Wanted,
}

impl Builder {
    /// Over HTTPS, as the kubelet's port 10250.
    pub fn https(mut self) -> Self {
        self.is_https = true;
        self
    }

    /// Over plain HTTP, as the kubelet's read-only port 10255. What was said of certificates does not matter then.
    pub fn http(mut self) -> Self {
        self.is_https = false;
        self
    }

    /// On this port; 0, the default, is any that is free.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Requests need this bearer token, or with [`client_auth`](Self::client_auth) a certificate; others get a 401.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Goes wrong like this, from the first request on.
    pub fn fault(mut self, fault: Fault) -> Self {
        self.fault = Some(fault);
        self
    }

    /// The subject alternative names of the serving certificate, host names or IP addresses, and no others.
    pub fn names(mut self, names: &[&str]) -> Self {
        self.wanted.names = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// The serving certificate has signed itself; [`Kubelet::ca_pem`] is then that certificate.
    pub fn self_signed(mut self) -> Self {
        self.wanted.self_signed = true;
        self
    }

    /// Requests need the client certificate, or the token if there is one; others get a 401. A certificate of
    /// another CA is refused in the handshake.
    pub fn client_auth(mut self) -> Self {
        self.wanted.client_auth = true;
        self
    }

    /// Starts it, on a thread of its own. It accepts connections when this returns.
    pub fn spawn(self) -> Result<Kubelet, Error> {
        let Self { content, is_https, port, token, fault, wanted } = self;
        let client_auth = is_https && wanted.client_auth;
        let (tls, pems) = if is_https {
            let (config, pems) = certificates::make(wanted)?;
            (Some(TlsAcceptor::from(Arc::new(config))), Some(pems))
        } else {
            (None, None)
        };
        let shared = Arc::new(Shared::new(content, token, client_auth, fault));
        let (listener, addr) = listen(port).map_err(|source| Error::Listen { port, source })?;
        let (stop, stopped) = oneshot::channel();
        let thread = start(listener, tls, Arc::clone(&shared), stopped).map_err(Error::Thread)?;
        let scheme = if is_https { "https" } else { "http" };
        let url = format!("{scheme}://{addr}/pods");
        Ok(Kubelet { url, addr, pems, shared, stop: Some(stop), thread: Some(thread) })
    }
}

fn listen(port: u16) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    listener.set_nonblocking(true)?;
    let addr = listener.local_addr()?;
    Ok((listener, addr))
}

/// The runtime lives and dies on the new thread, so the caller may be on one of another runtime.
fn start(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    shared: Arc<Shared>,
    stopped: oneshot::Receiver<()>,
) -> io::Result<JoinHandle<()>> {
    let (report, started) = mpsc::channel();
    let thread = std::thread::Builder::new().name("kubelet".to_owned()).spawn(move || {
        let prepared =
            tokio::runtime::Builder::new_current_thread().enable_all().build().and_then(|runtime| {
                let listener = {
                    let _entered = runtime.enter();
                    tokio::net::TcpListener::from_std(listener)?
                };
                runtime.spawn(server::accept(listener, tls, shared));
                Ok(runtime)
            });
        match prepared {
            Ok(runtime) => {
                let _ = report.send(Ok(()));
                // Stopped by a word or by the sender's end; connections end with the runtime.
                let _ = runtime.block_on(stopped);
            }
            Err(error) => drop(report.send(Err(error))),
        }
    })?;
    started.recv().unwrap_or_else(|_| Err(io::Error::other("it ended at once")))?;
    Ok(thread)
}

/// A kubelet that runs until it is dropped.
#[derive(Debug)]
pub struct Kubelet {
    url: String,
    addr: SocketAddr,
    pems: Option<Pems>,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Kubelet {
    /// A kubelet that will serve this.
    pub fn builder(content: impl Content) -> Builder {
        let names = ["127.0.0.1", "localhost"].map(str::to_owned).to_vec();
        Builder {
            content: Box::new(content),
            is_https: true,
            port: 0,
            token: None,
            fault: None,
            wanted: Wanted { names, self_signed: false, client_auth: false },
        }
    }

    /// Where the list is, such as `https://127.0.0.1:40250/pods`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where it listens.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// What a client has to trust, in PEM: the CA, or the serving certificate if that is self-signed. `None` over
    /// HTTP.
    #[must_use]
    pub fn ca_pem(&self) -> Option<&str> {
        self.pems.as_ref().map(|pems| pems.ca.as_str())
    }

    /// A client certificate of this kubelet's CA, in PEM. `None` over HTTP.
    #[must_use]
    pub fn client_cert_pem(&self) -> Option<&str> {
        self.pems.as_ref().map(|pems| pems.client_cert.as_str())
    }

    /// The key of the client certificate, in PEM (PKCS #8). `None` over HTTP.
    #[must_use]
    pub fn client_key_pem(&self) -> Option<&str> {
        self.pems.as_ref().map(|pems| pems.client_key.as_str())
    }

    /// How many requests have come, whatever their answer.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.shared.requests()
    }

    /// How many bytes of its list it has sent in all. What the connection still holds back, some 400 KiB at most,
    /// counts as sent.
    #[must_use]
    pub fn bytes_sent(&self) -> u64 {
        self.shared.bytes_sent()
    }

    /// The `Authorization` header of the last request; `None` if that had none.
    #[must_use]
    pub fn last_authorization(&self) -> Option<String> {
        self.shared.authorization()
    }

    /// Goes wrong like this, or no more, from the next request on.
    pub fn set_fault(&self, fault: Option<Fault>) {
        self.shared.set_fault(fault);
    }
}

impl Drop for Kubelet {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic there has been printed by now.
            let _ = thread.join();
        }
    }
}
