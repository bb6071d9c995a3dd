//! A server that plays what it is told, once.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use coracle_attest::{KubeletOptions, PodIndex, Source, SourceError};
use coracle_podlist::Summary;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

pub(crate) const LIST: &str =
    r#"{"kind":"PodList","items":[{"metadata":{"uid":"u-1","name":"one"}},{"metadata":{"uid":"u-2"}}]}"#;

/// What is sent after the request's head: bytes, each after a pause. Then the connection ends.
pub(crate) type Script = Vec<(Duration, Vec<u8>)>;

/// One answer, at once.
pub(crate) fn at_once(answer: impl Into<Vec<u8>>) -> Script {
    vec![(Duration::ZERO, answer.into())]
}

/// A whole answer with this status line's end, such as `200 OK`.
pub(crate) fn response(status: &str, body: &str) -> Script {
    let len = body.len();
    at_once(format!("HTTP/1.1 {status}\r\nContent-Length: {len}\r\n\r\n{body}"))
}

/// A server on a port of its own, and what came of the one request to it.
pub(crate) struct Played {
    pub(crate) result: Result<Summary, SourceError>,
    pub(crate) index: PodIndex,
    /// The head of the request; `None` if none came.
    pub(crate) request: Option<String>,
}

impl Played {
    pub(crate) fn error(&self) -> &SourceError {
        self.result.as_ref().expect_err("an error was expected")
    }

    /// The error and its sources on one line.
    pub(crate) fn chain(&self) -> String {
        let mut text = self.error().to_string();
        let mut source = std::error::Error::source(self.error());
        while let Some(error) = source {
            text = format!("{text}: {error}");
            source = error.source();
        }
        text
    }
}

/// Asks a server that plays `script`; `options` get its port.
pub(crate) async fn play(script: Script, tls: Option<ServerConfig>, options: KubeletOptions) -> Played {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.expect("a client");
        match tls {
            None => serve(stream, script).await,
            Some(config) => serve(TlsAcceptor::from(Arc::new(config)).accept(stream).await?, script).await,
        }
    });
    let source = Source::Kubelet(KubeletOptions { port, ..options });
    let mut index = PodIndex::new();
    let result = may_change_threads(source.read(&mut index)).await;
    // A server that was sent nothing may wait for ever.
    let head = tokio::time::timeout(Duration::from_secs(2), server).await;
    let request = head.ok().and_then(Result::ok).and_then(Result::ok);
    Played { result, index, request }
}

/// An agent may read on whichever thread is free.
fn may_change_threads<F: Future + Send>(future: F) -> F {
    future
}

async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, script: Script) -> io::Result<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    for (pause, bytes) in script {
        tokio::time::sleep(pause).await;
        // A client that has heard enough may hang up.
        if stream.write_all(&bytes).await.is_err() {
            break;
        }
    }
    let _ = stream.shutdown().await;
    Ok(String::from_utf8(head).expect("a request is ASCII"))
}
