use std::time::Duration;

use coracle_attest::{KubeletError, KubeletOptions, PodIndex, Source, SourceError, Status};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::server::{LIST, Played, at_once, play, response};

fn plain() -> KubeletOptions {
    KubeletOptions::read_only(0)
}

fn assert_says(played: &Played, parts: &[&str]) {
    let chain = played.chain();
    for part in parts {
        assert!(chain.contains(part), "{part:?} is not in: {chain}");
    }
    assert!(chain.contains("http://127.0.0.1:"), "no place in: {chain}");
    assert!(!chain.contains('\n'), "not one line: {chain}");
}

#[tokio::test]
async fn a_whole_list_is_read_and_the_request_is_plain() {
    let played = play(response("200 OK", LIST), None, plain()).await;
    let summary = played.result.expect("a whole list");
    assert_eq!((summary.pods, summary.bytes_read, played.index.len()), (2, LIST.len() as u64, 2));
    let request = played.request.expect("a request").to_ascii_lowercase();
    assert!(request.starts_with("get /pods http/1.1\r\n"), "{request}");
    assert!(request.contains("\r\nhost: 127.0.0.1:"), "{request}");
    for absent in ["authorization", "accept-encoding"] {
        assert!(!request.contains(absent), "{request}");
    }
}

#[tokio::test]
async fn a_token_is_never_sent_over_plain_http_nor_even_read() {
    let options = KubeletOptions { token_file: "/nonexistent".into(), ..plain() };
    let played = play(response("200 OK", LIST), None, options).await;
    assert!(played.result.is_ok());
    assert!(!played.request.expect("a request").to_ascii_lowercase().contains("authorization"));
}

#[tokio::test]
async fn a_refusal_whose_reason_does_not_come_is_a_refusal_all_the_same() {
    let answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nForbidden";
    let script = vec![(Duration::ZERO, answer.into()), (Duration::from_secs(3), Vec::new())];
    let played = play(script, None, KubeletOptions { timeout: Duration::from_secs(2), ..plain() }).await;
    let Err(SourceError::Kubelet(KubeletError::Status { code, .. })) = &played.result else {
        panic!("{:?}", played.result);
    };
    assert_eq!(*code, 403);
}

#[tokio::test]
async fn a_chunked_body_and_one_that_ends_with_the_connection_are_read() {
    let (one, two) = LIST.split_at(30);
    let chunked = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{one}\r\n{:x}\r\n{two}\r\n0\r\n\r\n",
        one.len(),
        two.len()
    );
    let until_closed = format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{LIST}");
    for answer in [chunked, until_closed] {
        let played = play(at_once(answer), None, plain()).await;
        assert_eq!(played.result.expect("a whole list").pods, 2);
    }
}

#[tokio::test]
async fn a_refusal_tells_the_status_the_body_and_the_remedy() {
    let table: [(&str, u16, &str, bool); 8] = [
        ("401 Unauthorized", 401, "does not know who asks", true),
        ("403 Forbidden", 403, "nodes/proxy", true),
        ("404 Not Found", 404, "a kubelet has it at /pods", true),
        ("302 Found", 302, "redirects are not followed", true),
        ("400 Bad Request", 400, "use https://", true),
        ("429 Too Many Requests", 429, "429", false),
        ("500 Internal Server Error", 500, "see its log", false),
        ("503 Service Unavailable", 503, "see its log", false),
    ];
    for (status, code, remedy, is_lasting) in table {
        let played = play(response(status, "no\tway\x1b[31m\u{2028}.\n"), None, plain()).await;
        assert_says(&played, &[remedy, &code.to_string(), r"it said: no\tway\u{1b}[31m\u{2028}."]);
        assert!(
            matches!(played.error(), SourceError::Kubelet(KubeletError::Status { code: found, .. }) if *found == code)
        );
        assert_eq!(played.error().status(), Status::Unavailable);
        assert_eq!(played.error().is_lasting(), is_lasting, "{status}");
    }
}

#[tokio::test]
async fn of_a_long_refusal_the_first_kibibyte_is_shown() {
    let played = play(response("500 Oops", &"x".repeat(5000)), None, plain()).await;
    let SourceError::Kubelet(KubeletError::Status { body, .. }) = played.error() else { panic!("a status") };
    assert_eq!(body.len(), 1024);
}

#[tokio::test]
async fn a_body_that_breaks_off_is_no_list_whatever_was_in_it() {
    let chunk = format!("{:x}\r\n{LIST}\r\n", LIST.len());
    let short = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{LIST}", LIST.len() + 1);
    let unfinished = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}");
    for answer in [short, unfinished] {
        let played = play(at_once(answer), None, plain()).await;
        let after = format!("broke off its answer after {} bytes", LIST.len());
        assert_says(&played, &[&after, "ask again", "the kubelet's log"]);
        assert_eq!(played.error().status(), Status::Unavailable);
        assert!(!played.error().is_lasting());
    }
}

#[tokio::test]
async fn a_cut_list_in_a_whole_body_is_told_by_the_reader() {
    let cut = &LIST[..LIST.len() - 2];
    let until_closed = at_once(format!("HTTP/1.1 200 OK\r\n\r\n{cut}"));
    for script in [response("200 OK", cut), until_closed] {
        let played = play(script, None, plain()).await;
        assert!(matches!(played.error(), SourceError::List { .. }));
        assert_says(&played, &["cannot be used", "the pod list cannot be read"]);
        assert_eq!(played.error().status(), Status::Unavailable);
    }
}

#[tokio::test]
async fn what_is_no_pod_list_is_an_error_that_lasts() {
    for body in ["", "[]", "{}", r#"{"items":{}}"#, "<html>", r#"{"items":[]} x"#] {
        let played = play(response("200 OK", body), None, plain()).await;
        assert!(matches!(played.error(), SourceError::List { .. }), "{body}");
        assert!(played.error().is_lasting(), "{body}");
    }
}

#[tokio::test]
async fn an_answer_that_is_not_http_is_told() {
    let tls_alert = [0x15, 3, 1, 0, 2, 2, 70].as_slice();
    for answer in [b"SSH-2.0-OpenSSH_9.9\r\n\r\n".as_slice(), tls_alert, &b"x".repeat(40_000)] {
        let played = play(at_once(answer), None, plain()).await;
        assert_says(&played, &["does not speak HTTP: is the port right?", "by https://"]);
        assert!(!played.chain().contains("broke off"), "{}", played.chain());
        assert!(played.error().is_lasting());
    }
}

#[tokio::test]
async fn a_server_that_speaks_first_is_told_not_to_speak_http() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    // The banner is sent before the client is even looked at: in this one thread, before it can ask anything.
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a client");
        stream.write_all(b"SSH-2.0-OpenSSH_9.9\r\n").await.expect("sent");
        let _ = stream.read_to_end(&mut Vec::new()).await;
    });
    let source = Source::Kubelet(KubeletOptions::read_only(port));
    let error = source.read(&mut PodIndex::new()).await.expect_err("no kubelet");
    assert!(error.to_string().contains("does not speak HTTP: is the port right?"), "{error}");
    server.await.expect("the server ends with its client");
}

#[tokio::test]
async fn a_peer_that_hangs_up_without_a_word_may_be_the_secure_port() {
    let played = play(Vec::new(), None, plain()).await;
    assert_says(&played, &["hung up without an answer", "by https://", "ask again", "the kubelet's log"]);
    assert!(!played.error().is_lasting());
}

#[tokio::test]
async fn a_missing_file_asks_to_check_the_path() {
    let source = Source::File("/nonexistent/pods.json".into());
    let error = source.read(&mut PodIndex::new()).await.expect_err("no file");
    assert_eq!(error.to_string(), "cannot read the pod list from /nonexistent/pods.json; check the path");
    let source = Source::File("/".into());
    let error = source.read(&mut PodIndex::new()).await.expect_err("no file");
    assert_eq!(error.to_string(), "cannot read the pod list from /; give a file in it");
}

#[tokio::test]
async fn a_byte_now_and_then_runs_into_the_limit_for_the_whole_request() {
    let head = (Duration::ZERO, b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n".to_vec());
    let drip = LIST.bytes().map(|byte| (Duration::from_millis(50), vec![byte]));
    let script = std::iter::once(head).chain(drip.take(60)).collect();
    let options = KubeletOptions { timeout: Duration::from_millis(300), ..plain() };
    let begun = std::time::Instant::now();
    let played = play(script, None, options).await;
    let SourceError::Kubelet(KubeletError::Timeout { received, after, .. }) = played.error() else {
        panic!("{}", played.chain())
    };
    assert!((1..=6).contains(received), "{received}");
    assert_eq!(*after, Duration::from_millis(300));
    assert!(begun.elapsed() < Duration::from_secs(4));
    assert_says(
        &played,
        &["0.3 s", "is the port another service's?", "raise the timeout", "the kubelet's log"],
    );
    assert!(played.error().is_lasting());
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused() {
    let options = KubeletOptions { max_body_bytes: 50, ..plain() };
    let played = play(response("200 OK", LIST), None, options).await;
    assert_says(&played, &["more than 50 bytes"]);
    assert!(played.error().is_lasting());
    let exactly = KubeletOptions { max_body_bytes: LIST.len() as u64, ..plain() };
    assert!(play(response("200 OK", LIST), None, exactly).await.result.is_ok());
}

#[tokio::test]
async fn where_nobody_listens_the_port_is_asked_about() {
    let mut sink = coracle_attest::PodIndex::new();
    // Port 1 is reserved, and nobody listens there.
    let source = coracle_attest::Source::Kubelet(KubeletOptions::read_only(1));
    let error = source.read(&mut sink).await.expect_err("nobody there");
    assert!(matches!(error, SourceError::Kubelet(KubeletError::Connect { .. })));
    assert!(error.to_string().contains("http://127.0.0.1:1/pods; is the port right"), "{error}");
    assert!(!error.is_lasting());
}
