//! What the test kubelet promises to the tests that use it.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use coracle_testkit::kubelet::{Content, Error, Fault, Kubelet};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

const LIST: &[u8] = br#"{"kind":"PodList","items":[{"metadata":{"uid":"u-1"}},{"metadata":{"uid":"u-2"}}]}"#;

/// A body of unknown length.
struct Endless(Vec<u8>, usize);

impl Content for Endless {
    fn chunks(&self) -> Box<dyn Iterator<Item = Vec<u8>> + Send> {
        Box::new(std::iter::repeat_n(self.0.clone(), self.1))
    }

    fn len(&self) -> Option<u64> {
        None
    }
}

/// What came until the kubelet closed the connection, split after the head; and whether it was closed cleanly.
struct Reply {
    head: String,
    body: Vec<u8>,
    end: io::Result<()>,
}

fn converse(mut stream: impl Read + Write, path: &str, headers: &str) -> Reply {
    let request = format!("GET {path} HTTP/1.1\r\nHost: node\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut all = Vec::new();
    let end = stream.read_to_end(&mut all).map(drop);
    let at = all.windows(4).position(|four| four == b"\r\n\r\n").map_or(all.len(), |at| at + 4);
    let body = all.split_off(at);
    Reply { head: String::from_utf8(all).expect("text"), body, end }
}

fn connect(kubelet: &Kubelet) -> TcpStream {
    let stream = TcpStream::connect(kubelet.addr()).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a limit");
    stream
}

fn ask(kubelet: &Kubelet, path: &str, headers: &str) -> Reply {
    converse(connect(kubelet), path, headers)
}

fn trusting(kubelet: &Kubelet, with_certificate: bool) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    let ca = CertificateDer::from_pem_slice(kubelet.ca_pem().expect("HTTPS").as_bytes()).expect("PEM");
    roots.add(ca).expect("a root");
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots);
    if !with_certificate {
        return builder.with_no_client_auth();
    }
    let certificate = kubelet.client_cert_pem().expect("HTTPS");
    let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).expect("PEM");
    let key =
        PrivateKeyDer::from_pem_slice(kubelet.client_key_pem().expect("HTTPS").as_bytes()).expect("PEM");
    builder.with_client_auth_cert(vec![certificate], key).expect("a pair")
}

/// Over TLS, if the kubelet is trusted under this name.
fn ask_tls(kubelet: &Kubelet, name: &str, config: ClientConfig, headers: &str) -> io::Result<Reply> {
    let name = ServerName::try_from(name.to_owned()).expect("a name");
    let mut tls = ClientConnection::new(Arc::new(config), name).expect("a client");
    let mut stream = connect(kubelet);
    while tls.is_handshaking() {
        tls.complete_io(&mut stream)?;
    }
    Ok(converse(StreamOwned::new(tls, stream), "/pods", headers))
}

fn long() -> Vec<u8> {
    (0..1_000_003_u32).map(|at| u8::try_from(at % 251).expect("small")).collect()
}

fn plain(content: impl Content, fault: Fault) -> Kubelet {
    Kubelet::builder(content).http().fault(fault).spawn().expect("a kubelet")
}

#[test]
fn it_serves_exactly_the_bytes_over_http() {
    let kubelet = Kubelet::builder(long()).http().spawn().expect("a kubelet");
    assert_eq!(kubelet.url(), format!("http://127.0.0.1:{}/pods", kubelet.addr().port()));
    assert_eq!((kubelet.ca_pem(), kubelet.client_cert_pem(), kubelet.client_key_pem()), (None, None, None));
    let reply = ask(&kubelet, "/pods", "");
    assert!(reply.head.starts_with("HTTP/1.1 200 OK\r\n"), "{}", reply.head);
    assert!(reply.head.contains("\r\ncontent-length: 1000003\r\n"), "{}", reply.head);
    assert!(reply.head.contains("\r\ncontent-type: application/json\r\n"), "{}", reply.head);
    assert!(reply.body == long());
}

#[test]
fn it_serves_exactly_the_bytes_over_https_under_each_of_its_names() {
    let kubelet = Kubelet::builder(long()).spawn().expect("a kubelet");
    for name in ["127.0.0.1", "localhost"] {
        let reply = ask_tls(&kubelet, name, trusting(&kubelet, false), "").expect("trusted");
        assert!(reply.head.starts_with("HTTP/1.1 200 OK\r\n"), "{}", reply.head);
        assert!(reply.body == long());
        assert!(reply.end.is_ok(), "{:?}", reply.end);
    }
    assert!(ask_tls(&kubelet, "node-1", trusting(&kubelet, false), "").is_err());
}

#[test]
fn its_names_can_be_chosen_and_it_can_sign_for_itself() {
    let builder = || Kubelet::builder(LIST.to_vec()).https().names(&["node-1"]);
    for kubelet in [builder().spawn(), builder().self_signed().spawn()] {
        let kubelet = kubelet.expect("a kubelet");
        let reply = ask_tls(&kubelet, "node-1", trusting(&kubelet, false), "").expect("trusted");
        assert_eq!(reply.body, LIST);
        assert!(ask_tls(&kubelet, "127.0.0.1", trusting(&kubelet, false), "").is_err());
    }
    let (one, other) = (builder().spawn().expect("a kubelet"), builder().spawn().expect("a kubelet"));
    assert!(ask_tls(&one, "node-1", trusting(&other, false), "").is_err(), "another CA");
}

#[test]
fn a_body_of_unknown_length_is_chunked() {
    let kubelet = Kubelet::builder(Endless(b"abc".to_vec(), 2)).http().spawn().expect("a kubelet");
    let reply = ask(&kubelet, "/pods", "");
    assert!(reply.head.contains("\r\ntransfer-encoding: chunked\r\n"), "{}", reply.head);
    assert_eq!(reply.body, b"3\r\nabc\r\n3\r\nabc\r\n0\r\n\r\n");
}

#[test]
fn an_empty_list_is_an_empty_body() {
    let kubelet = Kubelet::builder(Vec::new()).http().spawn().expect("a kubelet");
    let reply = ask(&kubelet, "/pods", "");
    assert!(reply.head.contains("\r\ncontent-length: 0\r\n"), "{}", reply.head);
    assert_eq!(reply.body, b"");
}

#[test]
fn other_paths_are_not_found() {
    let kubelet = Kubelet::builder(LIST.to_vec()).http().spawn().expect("a kubelet");
    for path in ["/", "/pods/", "/healthz", "/runningpods"] {
        assert!(ask(&kubelet, path, "").head.starts_with("HTTP/1.1 404 "), "{path}");
    }
    assert_eq!(kubelet.bytes_sent(), 0);
}

#[test]
fn without_its_token_a_request_is_unauthorized() {
    let kubelet = Kubelet::builder(LIST.to_vec()).http().token("sesame").spawn().expect("a kubelet");
    for headers in ["", "Authorization: Bearer barley\r\n", "Authorization: sesame\r\n"] {
        let reply = ask(&kubelet, "/pods", headers);
        assert!(reply.head.starts_with("HTTP/1.1 401 Unauthorized\r\n"), "{headers}: {}", reply.head);
        assert_eq!(reply.body, b"Unauthorized");
    }
    let reply = ask(&kubelet, "/pods", "Authorization: Bearer sesame\r\n");
    assert_eq!(reply.body, LIST);
}

#[test]
fn with_client_authentication_a_certificate_or_the_token_is_needed() {
    let kubelet = Kubelet::builder(LIST.to_vec()).client_auth().token("sesame").spawn().expect("a kubelet");
    let ask = |with_certificate, headers| {
        ask_tls(&kubelet, "localhost", trusting(&kubelet, with_certificate), headers).expect("trusted")
    };
    assert!(ask(false, "").head.starts_with("HTTP/1.1 401 "));
    assert_eq!(ask(true, "").body, LIST);
    assert_eq!(ask(false, "Authorization: Bearer sesame\r\n").body, LIST);

    let without_token = Kubelet::builder(LIST.to_vec()).client_auth().spawn().expect("a kubelet");
    let config = trusting(&without_token, false);
    let reply =
        ask_tls(&without_token, "localhost", config, "Authorization: Bearer sesame\r\n").expect("trusted");
    assert!(reply.head.starts_with("HTTP/1.1 401 "));
}

#[test]
fn it_counts_requests_and_bytes_and_remembers_the_last_authorization() {
    let kubelet = Kubelet::builder(LIST.to_vec()).http().spawn().expect("a kubelet");
    assert_eq!((kubelet.requests(), kubelet.bytes_sent(), kubelet.last_authorization()), (0, 0, None));
    ask(&kubelet, "/pods", "Authorization: Bearer sesame\r\n");
    assert_eq!((kubelet.requests(), kubelet.bytes_sent()), (1, LIST.len() as u64));
    assert_eq!(kubelet.last_authorization().as_deref(), Some("Bearer sesame"));
    ask(&kubelet, "/pods", "");
    ask(&kubelet, "/", "");
    assert_eq!((kubelet.requests(), kubelet.bytes_sent()), (3, 2 * LIST.len() as u64));
    assert_eq!(kubelet.last_authorization(), None);
}

#[test]
fn a_status_comes_with_its_text() {
    for status in [403, 429, 500, 503] {
        let kubelet = plain(LIST.to_vec(), Fault::Status(status, "no way".to_owned()));
        let reply = ask(&kubelet, "/pods", "");
        assert!(reply.head.starts_with(&format!("HTTP/1.1 {status} ")), "{}", reply.head);
        assert_eq!(reply.body, b"no way");
    }
}

#[test]
fn what_cannot_stand_in_a_head_is_an_internal_error() {
    let status = |status| Fault::Status(status, String::new());
    for fault in [status(0), status(101), status(1000), Fault::Redirect("a\r\nb".to_owned())] {
        let reply = ask(&plain(LIST.to_vec(), fault.clone()), "/pods", "");
        assert!(reply.head.starts_with("HTTP/1.1 500 "), "{fault:?}: {}", reply.head);
    }
}

#[test]
fn a_redirect_names_its_place() {
    let kubelet = plain(LIST.to_vec(), Fault::Redirect("https://elsewhere/pods".to_owned()));
    let reply = ask(&kubelet, "/pods", "");
    assert!(reply.head.starts_with("HTTP/1.1 302 Found\r\n"), "{}", reply.head);
    assert!(reply.head.contains("\r\nlocation: https://elsewhere/pods\r\n"), "{}", reply.head);
}

#[test]
fn a_body_breaks_off_after_exactly_so_many_bytes_of_those_promised() {
    for bytes in [0, 1, 16_384, 700_001, 1_000_002] {
        let kubelet = plain(long(), Fault::CloseAfter(bytes));
        let reply = ask(&kubelet, "/pods", "");
        assert!(reply.head.contains("\r\ncontent-length: 1000003\r\n"), "{}", reply.head);
        assert!(reply.body == long()[..usize::try_from(bytes).expect("small")], "{bytes}");
        assert_eq!(kubelet.bytes_sent(), bytes);
    }
    for bytes in [1_000_003, u64::MAX] {
        assert!(ask(&plain(long(), Fault::CloseAfter(bytes)), "/pods", "").body == long(), "{bytes}");
    }
}

#[test]
fn over_tls_a_body_breaks_off_without_a_farewell() {
    let kubelet = Kubelet::builder(long()).fault(Fault::CloseAfter(700_001)).spawn().expect("a kubelet");
    let reply = ask_tls(&kubelet, "localhost", trusting(&kubelet, false), "").expect("trusted");
    assert!(reply.body == long()[..700_001]);
    assert_eq!(reply.end.expect_err("no close_notify").kind(), io::ErrorKind::UnexpectedEof);
}

#[test]
fn a_chunked_body_breaks_off_without_its_last_chunk() {
    let broken = ask(&plain(Endless(b"abc".to_vec(), 3), Fault::CloseAfter(5)), "/pods", "");
    assert_eq!(broken.body, b"3\r\nabc\r\n2\r\nab\r\n");
    let whole = ask(&plain(Endless(b"abc".to_vec(), 1), Fault::CloseAfter(5)), "/pods", "");
    assert_eq!(whole.body, b"3\r\nabc\r\n0\r\n\r\n");
}

#[test]
fn a_slow_body_takes_its_time_and_is_whole() {
    let every = Duration::from_millis(20);
    let kubelet = plain(LIST[..10].to_vec(), Fault::Slowly { bytes: 3, every });
    let begun = Instant::now();
    assert_eq!(ask(&kubelet, "/pods", "").body, &LIST[..10]);
    assert!(begun.elapsed() >= 4 * every, "{:?}", begun.elapsed());
}

#[test]
fn garbage_is_no_http() {
    let secure = Kubelet::builder(LIST.to_vec()).fault(Fault::NotHttp).spawn().expect("a kubelet");
    let over_tls = ask_tls(&secure, "localhost", trusting(&secure, false), "").expect("trusted");
    for reply in [ask(&plain(LIST.to_vec(), Fault::NotHttp), "/pods", ""), over_tls] {
        assert_eq!(reply.head, "SSH-2.0-OpenSSH_9.9\r\n\r\n");
        assert_eq!(reply.body, b"");
    }
    assert_eq!(secure.requests(), 1);
}

#[test]
fn one_that_hangs_takes_the_request_and_says_nothing() {
    let kubelet = plain(LIST.to_vec(), Fault::Hang);
    let stream = connect(&kubelet);
    stream.set_read_timeout(Some(Duration::from_millis(200))).expect("a limit");
    let reply = converse(stream, "/pods", "");
    assert_eq!(reply.head, "");
    assert_eq!(reply.end.expect_err("nothing came").kind(), io::ErrorKind::WouldBlock);
    assert_eq!(kubelet.requests(), 1);
}

#[test]
fn a_fault_may_come_and_go_between_requests() {
    let kubelet = Kubelet::builder(LIST.to_vec()).http().spawn().expect("a kubelet");
    assert_eq!(ask(&kubelet, "/pods", "").body, LIST);
    kubelet.set_fault(Some(Fault::Status(500, String::new())));
    assert!(ask(&kubelet, "/pods", "").head.starts_with("HTTP/1.1 500 "));
    kubelet.set_fault(None);
    assert_eq!(ask(&kubelet, "/pods", "").body, LIST);
}

#[test]
fn dropped_it_frees_its_port_even_while_a_client_waits() {
    let kubelet = plain(LIST.to_vec(), Fault::Hang);
    let addr = kubelet.addr();
    let mut waiting = connect(&kubelet);
    waiting.write_all(b"GET /pods HTTP/1.1\r\nHost: node\r\n\r\n").expect("sent");
    drop(kubelet);
    assert_eq!(waiting.read(&mut [0; 1]).unwrap_or(0), 0);
    assert!(TcpStream::connect(addr).is_err());
}

#[test]
fn a_port_that_is_taken_and_a_name_that_is_none_are_told() {
    let first = Kubelet::builder(LIST.to_vec()).http().spawn().expect("a kubelet");
    let port = first.addr().port();
    let second = Kubelet::builder(LIST.to_vec()).http().port(port).spawn();
    assert_eq!(second.expect_err("taken").to_string(), format!("cannot listen on 127.0.0.1:{port}"));
    let unnamed = Kubelet::builder(LIST.to_vec()).names(&["n\u{f6}de"]).spawn();
    assert!(matches!(unnamed, Err(Error::Certificate(_))));
}

#[test]
fn it_starts_and_stops_inside_a_runtime_too() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let kubelet = Kubelet::builder(LIST.to_vec()).spawn().expect("a kubelet");
        let reply = ask_tls(&kubelet, "localhost", trusting(&kubelet, false), "").expect("trusted");
        assert_eq!(reply.body, LIST);
    });
}
