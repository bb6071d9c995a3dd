//! Connections and requests.

use std::error::Error as _;
use std::fmt;
use std::future::{pending, poll_fn};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::body::Pieces;
use super::{Content, Fault};

/// What the kubelet's owner and its connections both see.
pub(super) struct Shared {
    pub(super) content: Box<dyn Content>,
    /// The content's length, which may have cost something to find out.
    pub(super) len: Option<u64>,
    token: Option<String>,
    client_auth: bool,
    fault: Mutex<Option<Fault>>,
    requests: AtomicU64,
    bytes_sent: AtomicU64,
    authorization: Mutex<Option<String>>,
}

impl Shared {
    pub(super) fn new(
        content: Box<dyn Content>,
        token: Option<String>,
        client_auth: bool,
        fault: Option<Fault>,
    ) -> Self {
        Self {
            len: content.len(),
            content,
            token,
            client_auth,
            fault: Mutex::new(fault),
            requests: AtomicU64::new(0),
            bytes_sent: AtomicU64::new(0),
            authorization: Mutex::new(None),
        }
    }

    pub(super) fn set_fault(&self, fault: Option<Fault>) {
        *lock(&self.fault) = fault;
    }

    pub(super) fn requests(&self) -> u64 {
        self.requests.load(Ordering::SeqCst)
    }

    pub(super) fn bytes_sent(&self) -> u64 {
        self.bytes_sent.load(Ordering::SeqCst)
    }

    pub(super) fn count_sent(&self, bytes: u64) {
        self.bytes_sent.fetch_add(bytes, Ordering::SeqCst);
    }

    pub(super) fn authorization(&self) -> Option<String> {
        lock(&self.authorization).clone()
    }

    /// Whether this client may read the list: if anything is asked for, one of it is enough.
    fn admits(&self, authorization: Option<&str>, is_certified: bool) -> bool {
        let bearer = authorization.and_then(|value| value.strip_prefix("Bearer "));
        let by_token = self.token.is_some() && bearer == self.token.as_deref();
        let by_certificate = self.client_auth && is_certified;
        by_token || by_certificate || (self.token.is_none() && !self.client_auth)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the content, which may be long, nor the token.
        let mut fields = formatter.debug_struct("Shared");
        fields.field("requests", &self.requests).field("bytes_sent", &self.bytes_sent);
        fields.field("fault", &self.fault).finish_non_exhaustive()
    }
}

/// What is behind a lock is whole between any two statements, so a panic elsewhere did no harm.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves whoever comes, until it is dropped.
pub(super) async fn accept(listener: TcpListener, tls: Option<TlsAcceptor>, shared: Arc<Shared>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(connect(stream, tls.clone(), Arc::clone(&shared)))),
            // Too many open files, say. The next client may have more luck.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

async fn connect(stream: TcpStream, tls: Option<TlsAcceptor>, shared: Arc<Shared>) {
    let Some(tls) = tls else { return serve(stream, false, shared).await };
    // A client that does not trust this kubelet goes away here.
    let Ok(stream) = tls.accept(stream).await else { return };
    let is_certified = stream.get_ref().1.peer_certificates().is_some();
    serve(stream, is_certified, shared).await;
}

async fn serve<S>(stream: S, is_certified: bool, shared: Arc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let for_requests = Arc::clone(&shared);
    let service = service_fn(move |request| {
        let shared = Arc::clone(&for_requests);
        Box::pin(async move { answer(&request, is_certified, &shared).await })
    });
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let end = poll_fn(|context| connection.poll_without_shutdown(context)).await;
    let mut stream = connection.into_parts().io.into_inner();
    // From here on a client that has hung up is of no interest.
    let _ = match end {
        Ok(()) => stream.shutdown().await,
        Err(error) => match error.source().and_then(|source| source.downcast_ref()) {
            Some(ByHand::NotHttp) => not_http(&mut stream).await,
            Some(ByHand::CloseAfter(bytes)) => break_off(&mut stream, *bytes, &shared).await,
            None => Ok(()),
        },
    };
}

/// Answers that an HTTP server would never give, so the stream is taken back from it.
#[derive(Debug, thiserror::Error)]
#[error("this is not answered as HTTP has it")]
enum ByHand {
    NotHttp,
    CloseAfter(u64),
}

type Answer = Response<Either<Full<Bytes>, Pieces>>;

async fn answer(
    request: &Request<Incoming>,
    is_certified: bool,
    shared: &Arc<Shared>,
) -> Result<Answer, ByHand> {
    let authorization = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    *lock(&shared.authorization) = authorization.map(str::to_owned);
    shared.requests.fetch_add(1, Ordering::SeqCst);

    let fault = lock(&shared.fault).clone();
    match &fault {
        Some(Fault::Status(status, body)) => return Ok(text(*status, body)),
        Some(Fault::Redirect(place)) => return Ok(redirect(place)),
        Some(Fault::NotHttp) => return Err(ByHand::NotHttp),
        Some(Fault::Hang) => pending().await,
        Some(Fault::CloseAfter(_) | Fault::Slowly { .. }) | None => {}
    }
    if !shared.admits(authorization, is_certified) {
        return Ok(text(401, "Unauthorized"));
    }
    if request.uri().path() != "/pods" {
        return Ok(text(404, "404 page not found\n"));
    }
    if request.method() != Method::GET {
        return Ok(text(405, "405: Method Not Allowed"));
    }
    let pieces = match fault {
        Some(Fault::CloseAfter(bytes)) if shared.len.is_none_or(|len| bytes < len) => {
            return Err(ByHand::CloseAfter(bytes));
        }
        Some(Fault::Slowly { bytes, every }) => Pieces::new(shared).slowly(bytes, every),
        _ => Pieces::new(shared),
    };
    let response = Response::builder().header(CONTENT_TYPE, "application/json").body(Either::Right(pieces));
    Ok(response.unwrap_or_else(|error| impossible(&error)))
}

fn text(status: u16, body: &str) -> Answer {
    if status < 200 {
        return impossible(&format!("{status} is no status of an answer"));
    }
    Response::builder()
        .status(status)
        .header(CONTENT_TYPE, "text/plain; charset=utf-8")
        .body(Either::Left(Full::from(body.to_owned())))
        .unwrap_or_else(|error| impossible(&error))
}

fn redirect(place: &str) -> Answer {
    Response::builder()
        .status(302)
        .header(LOCATION, place)
        .body(Either::Left(Full::default()))
        .unwrap_or_else(|error| impossible(&error))
}

/// For a status or a place that cannot stand in a head.
fn impossible(error: &dyn std::fmt::Display) -> Answer {
    let mut response = Response::new(Either::Left(Full::from(format!("this cannot be answered: {error}"))));
    *response.status_mut() = hyper::StatusCode::INTERNAL_SERVER_ERROR;
    response
}

async fn not_http(stream: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    stream.write_all(b"SSH-2.0-OpenSSH_9.9\r\n\r\n").await?;
    stream.shutdown().await
}

/// Promises the whole list and sends its first bytes. Whoever calls this drops the stream.
async fn break_off(stream: &mut (impl AsyncWrite + Unpin), bytes: u64, shared: &Shared) -> io::Result<()> {
    let len = shared.len;
    let promise =
        len.map_or_else(|| "transfer-encoding: chunked".to_owned(), |len| format!("content-length: {len}"));
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{promise}\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    let mut left = usize::try_from(bytes).unwrap_or(usize::MAX);
    let mut pieces = shared.content.chunks().filter(|piece| !piece.is_empty());
    while left > 0 {
        let Some(mut piece) = pieces.next() else {
            // Of unknown length, and not longer than this: whole after all.
            stream.write_all(b"0\r\n\r\n").await?;
            return stream.shutdown().await;
        };
        piece.truncate(left);
        left -= piece.len();
        if len.is_none() {
            stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).await?;
        }
        stream.write_all(&piece).await?;
        if len.is_none() {
            stream.write_all(b"\r\n").await?;
        }
        shared.count_sent(piece.len() as u64);
    }
    stream.flush().await
}
