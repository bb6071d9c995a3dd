//! One request, streamed.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use coracle_podlist::{Error as ListError, Flow, Reader, Sink, Summary};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, AUTHORIZATION, HOST, HeaderValue, USER_AGENT};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::credentials::Credentials;
use super::error::KubeletError;
use super::options::{KubeletOptions, Scheme};
use super::{SetupError, tls};

/// The largest piece of a body that is held at once.
const BUFFER_BYTES: usize = 16 * 1024;
/// Of the body of an error, this much is shown.
const SHOWN_BYTES: usize = 1024;

/// Either side's fault.
#[derive(Debug)]
pub(crate) enum ReadError {
    Kubelet(KubeletError),
    List(ListError),
}

impl From<KubeletError> for ReadError {
    fn from(error: KubeletError) -> Self {
        Self::Kubelet(error)
    }
}

/// Asks for the pod list and gives it to `reader` as it comes; nothing of it is kept here.
///
/// Drop the future to cancel: the connection closes.
pub(crate) async fn read(
    options: &KubeletOptions,
    reader: Reader,
    sink: &mut impl Sink,
) -> Result<Summary, ReadError> {
    // Outside the request's future, so that it can be told when time is up.
    let mut received = 0;
    let exchange = exchange(options, reader, sink, &mut received);
    let result = tokio::time::timeout(options.timeout, exchange).await;
    result.unwrap_or_else(|_| {
        let url = options.to_string();
        Err(KubeletError::Timeout { url, after: options.timeout, received }.into())
    })
}

async fn exchange(
    options: &KubeletOptions,
    reader: Reader,
    sink: &mut impl Sink,
    received: &mut u64,
) -> Result<Summary, ReadError> {
    let failed = |error| KubeletError::Setup { url: options.to_string(), source: Box::new(error) };
    if options.scheme == Scheme::Http {
        // No credentials are even read: they must not cross the network in the clear.
        let request = request(options, &Credentials::Anonymous).map_err(failed)?;
        return converse(options, connect(options).await?, request, reader, sink, received).await;
    }
    let credentials = Credentials::load(options).map_err(failed)?;
    let request = request(options, &credentials).map_err(failed)?;
    let (connector, name) = tls_parts(options, credentials).map_err(failed)?;
    let stream = connect(options).await?;
    let stream =
        connector.connect(name, stream).await.map_err(|source| KubeletError::handshake(options, source))?;
    converse(options, stream, request, reader, sink, received).await
}

fn tls_parts(
    options: &KubeletOptions,
    credentials: Credentials,
) -> Result<(TlsConnector, rustls::pki_types::ServerName<'static>), SetupError> {
    let name = tls::server_name(options)?;
    let config = tls::config(options, credentials)?;
    Ok((TlsConnector::from(std::sync::Arc::new(config)), name))
}

async fn connect(options: &KubeletOptions) -> Result<TcpStream, KubeletError> {
    let failed = |source| KubeletError::Connect { url: options.to_string(), source };
    TcpStream::connect((options.host.as_str(), options.port)).await.map_err(failed)
}

fn request(options: &KubeletOptions, credentials: &Credentials) -> Result<Request<Empty<Bytes>>, SetupError> {
    let host = HeaderValue::from_str(&options.authority());
    let host = host.map_err(|_| SetupError::HostName { name: options.host.clone() })?;
    let path = options.path.parse().ok().filter(|_| options.path.starts_with('/'));
    let mut request = Request::new(Empty::new());
    *request.uri_mut() = path.ok_or_else(|| SetupError::Path { path: options.path.clone() })?;
    let headers = request.headers_mut();
    headers.insert(HOST, host);
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("coracle/", env!("CARGO_PKG_VERSION"))));
    if let Credentials::Token(token) = credentials {
        headers.insert(AUTHORIZATION, token.header_value());
    }
    Ok(request)
}

/// Sends the request and reads the answer while the connection is driven, in the same task.
async fn converse<T: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
    options: &KubeletOptions,
    stream: T,
    request: Request<Empty<Bytes>>,
    reader: Reader,
    sink: &mut impl Sink,
    received: &mut u64,
) -> Result<Summary, ReadError> {
    let no_answer = |source| KubeletError::no_answer(options, source);
    let handshake = http1::Builder::new().max_buf_size(BUFFER_BYTES).handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(no_answer)?;
    let mut connection = Driven { connection: pin!(connection), ended: None };
    let presented = request.headers().get(AUTHORIZATION).cloned();
    let response = match connection.beside(sender.send_request(request)).await {
        Ok(response) => response,
        // If the connection itself failed, it knows better why; who waits for it is only told that it is gone.
        Err(gone) => return Err(no_answer(connection.ended.and_then(Result::err).unwrap_or(gone)).into()),
    };
    if response.status() != StatusCode::OK {
        return Err(connection.beside(refused(options, response, presented.as_ref())).await.into());
    }
    connection.beside(read_list(options, response.into_body(), reader, sink, received)).await
}

/// A connection that moves on only while something is awaited beside it, in the same task.
struct Driven<'a, C: Future> {
    connection: Pin<&'a mut C>,
    ended: Option<C::Output>,
}

impl<C: Future> Driven<'_, C> {
    /// Polls the connection whenever `foreground` is polled.
    async fn beside<T>(&mut self, foreground: impl Future<Output = T>) -> T {
        let mut foreground = pin!(foreground);
        std::future::poll_fn(|context| {
            self.drive(context);
            let polled = foreground.as_mut().poll(context);
            if polled.is_pending() {
                // What was asked for just now (the next piece of a body) must be begun before the task sleeps.
                self.drive(context);
            }
            polled
        })
        .await
    }

    fn drive(&mut self, context: &mut Context<'_>) {
        if self.ended.is_none()
            && let Poll::Ready(end) = self.connection.as_mut().poll(context)
        {
            self.ended = Some(end);
        }
    }
}

async fn read_list(
    options: &KubeletOptions,
    mut body: Incoming,
    mut reader: Reader,
    sink: &mut impl Sink,
    received: &mut u64,
) -> Result<Summary, ReadError> {
    let url = || options.to_string();
    let limit = options.max_body_bytes;
    while let Some(frame) = body.frame().await {
        let frame =
            frame.map_err(|source| KubeletError::BrokeOff { url: url(), received: *received, source })?;
        let Ok(data) = frame.into_data() else { continue };
        *received += data.len() as u64;
        if *received > limit {
            return Err(KubeletError::TooLarge { url: url(), limit }.into());
        }
        if feed(&mut reader, &data, sink)? == Flow::Stop {
            break;
        }
    }
    reader.finish(sink).map_err(ReadError::List)
}

fn feed(reader: &mut Reader, data: &[u8], sink: &mut impl Sink) -> Result<Flow, ReadError> {
    for piece in data.chunks(BUFFER_BYTES) {
        if reader.push(piece, sink).map_err(ReadError::List)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    Ok(Flow::Continue)
}

/// How long the next bytes of the reason for a refusal are waited for.
const REASON_TIME: Duration = Duration::from_secs(1);

async fn refused(
    options: &KubeletOptions,
    response: Response<Incoming>,
    presented: Option<&HeaderValue>,
) -> KubeletError {
    let code = response.status().as_u16();
    let mut body = response.into_body();
    let mut shown = Vec::new();
    // A body that breaks off or does not come is no worse than none: the status is what counts.
    while let Ok(Some(Ok(frame))) = tokio::time::timeout(REASON_TIME, body.frame()).await {
        if let Some(data) = frame.data_ref() {
            shown.extend_from_slice(&data[..data.len().min(SHOWN_BYTES - shown.len())]);
        }
        if shown.len() == SHOWN_BYTES {
            break;
        }
    }
    if presented.is_some_and(|presented| repeats(&shown, presented)) {
        shown = b"(not shown: it repeats the token)".to_vec();
    }
    KubeletError::status(options, code, &shown)
}

/// Whether a text has the token in it, or the beginning of one that was cut.
fn repeats(text: &[u8], presented: &HeaderValue) -> bool {
    let token = presented.as_bytes().strip_prefix(b"Bearer ").unwrap_or(presented.as_bytes());
    memchr::memmem::find(text, &token[..token.len().min(12)]).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_that_repeats_the_token_is_told_apart_also_when_it_is_cut() {
        let presented = HeaderValue::from_static("Bearer eyJhbGciOiJSUzI1NiJ9.payload.signature");
        assert!(repeats(b"bad token eyJhbGciOiJSUzI1NiJ9.payload.signature", &presented));
        assert!(repeats(b"bad token eyJhbGciOiJSUz", &presented));
        assert!(!repeats(b"Unauthorized", &presented));
    }
}
