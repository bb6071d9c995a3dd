use coracle_attest::{KubeletError, KubeletOptions, PodIndex, Source, SourceError, Status};
use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, SerialNumber};

use crate::certificates::{Cluster, Leaf, append, expired, self_signed, server, serving, strict_server};
use crate::server::{LIST, Played, play, response};

async fn ask(leaf: Leaf, options: KubeletOptions) -> Played {
    play(response("200 OK", LIST), Some(server(leaf)), options).await
}

fn assert_untrusted(played: &Played, remedy: &str) {
    let chain = played.chain();
    assert!(matches!(played.error(), SourceError::Kubelet(KubeletError::Untrusted { .. })), "{chain}");
    assert!(chain.contains(remedy), "{remedy:?} is not in: {chain}");
    assert!(chain.contains("https://127.0.0.1:"), "{chain}");
    assert!(played.error().is_lasting());
    assert_eq!(played.error().status(), Status::Unavailable);
    assert_eq!(played.request, None, "nothing was sent before the kubelet was trusted");
}

fn with_name(cluster: &Cluster, name: &str) -> KubeletOptions {
    KubeletOptions { node_name: Some(name.to_owned()), ..cluster.options() }
}

/// As a kubelet signs its own serving certificate: it says that it is a CA.
fn self_made(names: &[&str]) -> CertificateParams {
    let mut params = serving(names);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
}

#[tokio::test]
async fn without_a_node_name_a_chain_to_the_ca_file_is_enough_and_the_token_is_sent() {
    let cluster = Cluster::new();
    let played = ask(cluster.leaf(&serving(&["worker-3"])), cluster.options()).await;
    assert_eq!(played.result.expect("trusted").pods, 2);
    let request = played.request.expect("a request").to_ascii_lowercase();
    assert!(request.contains("\r\nauthorization: bearer sesame\r\n"), "{request}");
}

#[tokio::test]
async fn without_a_node_name_another_ca_is_refused() {
    let (cluster, other) = (Cluster::new(), Cluster::new());
    let played = ask(other.leaf(&serving(&["127.0.0.1"])), cluster.options()).await;
    assert_untrusted(&played, "give that one as the CA file");
    assert!(played.chain().contains(&cluster.path("ca.crt").display().to_string()));
}

#[tokio::test]
async fn an_expired_certificate_is_refused_with_and_without_a_name() {
    let cluster = Cluster::new();
    for options in [cluster.options(), with_name(&cluster, "worker-3")] {
        let played = ask(cluster.leaf(&expired(serving(&["worker-3"]))), options).await;
        assert_untrusted(&played, "its certificate has expired");
    }
}

#[tokio::test]
async fn a_client_certificate_does_not_serve() {
    let cluster = Cluster::new();
    let mut params = serving(&["worker-3"]);
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    let played = ask(cluster.leaf(&params), cluster.options()).await;
    assert_untrusted(&played, "not for servers");
}

#[tokio::test]
async fn with_a_node_name_the_certificate_must_carry_it() {
    let cluster = Cluster::new();
    for (names, name) in [(["worker-3"], "worker-3"), (["10.0.0.3"], "10.0.0.3"), (["fd00::3"], "fd00::3")] {
        let played = ask(cluster.leaf(&serving(&names)), with_name(&cluster, name)).await;
        assert_eq!(played.result.expect("trusted").pods, 2, "{name}");
    }
    for name in ["worker-4", "10.0.0.3"] {
        let played = ask(cluster.leaf(&serving(&["worker-3"])), with_name(&cluster, name)).await;
        assert_untrusted(&played, &format!("no subject alternative name {name:?}"));
        assert!(played.chain().contains("worker-3"), "the names that it has: {}", played.chain());
    }
}

#[tokio::test]
async fn a_self_signed_certificate_in_the_ca_file_is_trusted_whether_or_not_it_says_that_it_is_a_ca() {
    let mut numbered_zero = serving(&["worker-3"]);
    numbered_zero.serial_number = Some(SerialNumber::from(vec![0]));
    for params in [self_made(&["worker-3"]), serving(&["worker-3"]), numbered_zero] {
        let cluster = Cluster::new();
        let leaf = self_signed(&params);
        append(&cluster.path("ca.crt"), &leaf.pem);
        let played = ask(leaf, cluster.options()).await;
        assert_eq!(played.result.as_ref().map(|summary| summary.pods).ok(), Some(2), "{:?}", played.result);
    }
}

#[tokio::test]
async fn a_self_signed_certificate_that_is_not_in_the_ca_file_is_refused() {
    let cluster = Cluster::new();
    append(&cluster.path("ca.crt"), &self_signed(&self_made(&["worker-3"])).pem);
    let played = ask(self_signed(&self_made(&["worker-3"])), cluster.options()).await;
    assert_untrusted(&played, "CA file");
}

#[tokio::test]
async fn a_pinned_certificate_that_has_expired_or_is_for_another_name_is_refused() {
    for (params, name, remedy) in [
        (expired(self_made(&["worker-3"])), None, "has expired"),
        (self_made(&["worker-3"]), Some("worker-4"), "no subject alternative name"),
    ] {
        let cluster = Cluster::new();
        let leaf = self_signed(&params);
        append(&cluster.path("ca.crt"), &leaf.pem);
        let options = KubeletOptions { node_name: name.map(str::to_owned), ..cluster.options() };
        assert_untrusted(&ask(leaf, options).await, remedy);
    }
}

#[tokio::test]
async fn a_server_without_the_key_of_a_trusted_certificate_is_refused() {
    let cluster = Cluster::new();
    let trusted = cluster.leaf(&serving(&["worker-3"]));
    let thief = Leaf { key: rcgen::KeyPair::generate().expect("a key"), ..trusted };
    let config = stolen(thief);
    for options in [cluster.options(), KubeletOptions { skip_verification: true, ..cluster.options() }] {
        let played = play(response("200 OK", LIST), Some(config.clone()), options).await;
        assert!(
            matches!(played.error(), SourceError::Kubelet(KubeletError::Untrusted { .. })),
            "{}",
            played.chain()
        );
    }
}

/// A server that presents a certificate with a key that is not its own.
fn stolen(leaf: Leaf) -> rustls::ServerConfig {
    use rustls::crypto::ring::sign::any_supported_type;
    use rustls::pki_types::PrivateKeyDer;
    use rustls::sign::{CertifiedKey, SingleCertAndKey};
    use std::sync::Arc;

    let key = PrivateKeyDer::try_from(leaf.key.serialize_der()).expect("a key");
    let key = any_supported_type(&key).expect("a signing key");
    let resolver = SingleCertAndKey::from(CertifiedKey::new(vec![leaf.der], key));
    rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(resolver))
}

#[tokio::test]
async fn skipping_verification_needs_no_ca_file() {
    let cluster = Cluster::new();
    let options =
        KubeletOptions { skip_verification: true, ca_file: "/nonexistent".into(), ..cluster.options() };
    let played = ask(self_signed(&expired(serving(&["x"]))), options).await;
    assert_eq!(played.result.expect("anyone is trusted").pods, 2);
}

#[tokio::test]
async fn a_client_certificate_is_presented_instead_of_the_token() {
    let cluster = Cluster::new();
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    let client = cluster.leaf(&params);
    let options = KubeletOptions {
        client_certificate_file: Some(cluster.write("client.crt", &client.pem)),
        client_key_file: Some(cluster.write("client.key", &client.key.serialize_pem())),
        token_file: "/nonexistent".into(),
        ..cluster.options()
    };
    let config = || strict_server(cluster.leaf(&serving(&["worker-3"])), cluster.ca.der());
    let played = play(response("200 OK", LIST), Some(config()), options.clone()).await;
    assert_eq!(played.result.expect("both trust each other").pods, 2);
    assert!(!played.request.expect("a request").to_ascii_lowercase().contains("authorization"));
    let anonymous = KubeletOptions { anonymous: true, ..options };
    let played = play(response("200 OK", LIST), Some(config()), anonymous).await;
    assert!(played.result.is_err(), "anonymous wins over the certificate");
}

#[tokio::test]
async fn anonymous_wins_over_everything_and_reads_no_credentials() {
    let cluster = Cluster::new();
    let options = KubeletOptions {
        anonymous: true,
        token_file: "/nonexistent".into(),
        client_certificate_file: Some("/nonexistent".into()),
        ..cluster.options()
    };
    let played = ask(cluster.leaf(&serving(&["worker-3"])), options).await;
    assert!(played.result.is_ok());
    assert!(!played.request.expect("a request").to_ascii_lowercase().contains("authorization"));
}

#[tokio::test]
async fn files_that_cannot_be_used_are_named_and_secrets_are_not_shown() {
    let cluster = Cluster::new();
    let pem = cluster.ca.pem();
    let client = cluster.leaf(&serving(&["x"]));
    let key = client.key.serialize_pem();
    let other_key = rcgen::KeyPair::generate().expect("a key").serialize_pem();
    let base = cluster.options();
    let write = |name: &str, content: &str| cluster.write(name, content);
    let with_ca = |ca_file| KubeletOptions { ca_file, ..base.clone() };
    let with_token = |token_file| KubeletOptions { token_file, ..base.clone() };
    let with_pair = |certificate, key| KubeletOptions {
        client_certificate_file: certificate,
        client_key_file: key,
        ..base.clone()
    };
    let certificate = || Some(write("client.crt", &client.pem));
    let too_long = " ".repeat((1 << 20) + 1);
    let table = [
        (with_ca(cluster.path("missing.crt")), "cannot read the kubelet CA file"),
        (with_ca(write("empty.crt", "\n")), "holds no CERTIFICATE block"),
        (with_ca(write("mixed.crt", &format!("{pem}{key}"))), "holds a \"PRIVATE KEY\" block"),
        (
            with_ca(write("odd.crt", &format!("{pem}-----BEGIN ODD-----\n-----END ODD-----\n"))),
            "holds a \"ODD\" block",
        ),
        (with_ca(write("cut.crt", &pem[..pem.len() / 2])), "not well-formed PEM"),
        (
            with_ca(write("der.crt", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")),
            "certificate 1",
        ),
        (with_ca(write("long.crt", &(pem.clone() + &too_long))), "is longer than 1048576 bytes"),
        (with_ca("/dev/zero".into()), "is longer than 1048576 bytes"),
        (with_token(write("long", &too_long)), "is longer than 1048576 bytes"),
        (with_pair(certificate(), Some(write("long.key", &too_long))), "is longer than 1048576 bytes"),
        (with_pair(Some(write("l.crt", &too_long)), certificate()), "is longer than 1048576 bytes"),
        (with_token(cluster.path("missing")), "cannot read the token file"),
        (with_token(write("blank", " \n")), "it is empty"),
        (with_token(write("two", "hunter2\r\nX-Evil: 1")), "cannot have"),
        (with_token(write("umlaut", "hunter2\u{fc}")), "cannot have"),
        (with_pair(certificate(), None), "certificate is given without the client key"),
        (with_pair(None, Some(write("k", &key))), "key is given without the client certificate"),
        (with_pair(certificate(), Some(write("k", &pem))), "holds no PRIVATE KEY block"),
        (with_pair(certificate(), Some(write("k2", &other_key))), "do they belong together"),
        (KubeletOptions { node_name: Some("a b".to_owned()), ..base.clone() }, "\"a b\" is neither"),
        (KubeletOptions { path: "pods".to_owned(), ..base.clone() }, "must begin with a slash"),
        (KubeletOptions { host: "a\nb".to_owned(), ..base.clone() }, "is neither"),
    ];
    for (options, expected) in table {
        let error = Source::Kubelet(options).read(&mut PodIndex::new()).await.expect_err(expected);
        let SourceError::Kubelet(KubeletError::Setup { source, .. }) = &error else {
            panic!("{expected}: {error}")
        };
        let text = format!("{error}: {source} {error:?}");
        assert!(source.to_string().contains(expected), "{expected:?} is not in: {source}");
        for secret in ["hunter2", "sesame", &key[30..60]] {
            assert!(!text.contains(secret), "{text}");
        }
        assert!(error.is_lasting());
        assert_eq!(error.status(), Status::InvalidArgument);
    }
}

#[tokio::test]
async fn a_port_that_does_not_speak_tls_is_told() {
    let cluster = Cluster::new();
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a client");
        let answer = b"HTTP/1.0 400 Bad Request\r\n\r\n";
        tokio::io::AsyncWriteExt::write_all(&mut stream, answer).await.expect("sent");
        stream
    });
    let source = Source::Kubelet(KubeletOptions { port, ..cluster.options() });
    let error = source.read(&mut PodIndex::new()).await.expect_err("no TLS");
    let text = error.to_string();
    assert!(text.contains("does not speak TLS: is the port right? The read-only port"), "{text}");
    assert!(text.contains("by http://"), "{text}");
    assert!(error.is_lasting());
    drop(server.await);
}

#[tokio::test]
async fn a_handshake_that_breaks_off_asks_about_the_port_and_may_be_tried_again() {
    let cluster = Cluster::new();
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    let server = tokio::spawn(async move { drop(listener.accept().await.expect("a client")) });
    let source = Source::Kubelet(KubeletOptions { port, ..cluster.options() });
    let error = source.read(&mut PodIndex::new()).await.expect_err("no TLS");
    server.await.expect("it has hung up");
    assert!(error.to_string().contains("is this a port for TLS? If so, ask again"), "{error}");
    assert!(!error.is_lasting());
}
