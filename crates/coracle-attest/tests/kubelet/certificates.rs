//! A cluster's certificates, made for one test.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use coracle_attest::KubeletOptions;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    date_time_ymd,
};
use rustls::RootCertStore;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use tempfile::TempDir;

/// A CA on disk, and a directory for more files.
pub(crate) struct Cluster {
    pub(crate) dir: TempDir,
    pub(crate) ca: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate and its key.
pub(crate) struct Leaf {
    pub(crate) pem: String,
    pub(crate) der: CertificateDer<'static>,
    pub(crate) key: KeyPair,
}

impl Cluster {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, "kubernetes");
        let ca = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a CA");
        let cluster = Self { dir, ca };
        cluster.write("ca.crt", &cluster.ca.pem());
        cluster.write("token", "sesame\n");
        cluster
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// The secure port of this host, with this cluster's CA and token.
    pub(crate) fn options(&self) -> KubeletOptions {
        KubeletOptions {
            ca_file: self.path("ca.crt"),
            token_file: self.path("token"),
            ..KubeletOptions::default()
        }
    }

    /// A certificate that the CA has signed.
    pub(crate) fn leaf(&self, params: &CertificateParams) -> Leaf {
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.ca).expect("a certificate");
        Leaf { pem: certificate.pem(), der: certificate.der().clone(), key }
    }
}

/// A serving certificate for these names.
pub(crate) fn serving(names: &[&str]) -> CertificateParams {
    let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).expect("names");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params
}

/// The same, expired long ago.
pub(crate) fn expired(mut params: CertificateParams) -> CertificateParams {
    params.not_before = date_time_ymd(2001, 1, 1);
    params.not_after = date_time_ymd(2002, 1, 1);
    params
}

pub(crate) fn self_signed(params: &CertificateParams) -> Leaf {
    let key = KeyPair::generate().expect("a key");
    let certificate = params.self_signed(&key).expect("a certificate");
    Leaf { pem: certificate.pem(), der: certificate.der().clone(), key }
}

/// A server with this certificate that wants none of its clients.
pub(crate) fn server(leaf: Leaf) -> ServerConfig {
    let key = PrivateKeyDer::try_from(leaf.key.serialize_der()).expect("a key");
    ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der], key)
        .expect("a key pair")
}

/// A server that wants a certificate of `ca` from its clients.
pub(crate) fn strict_server(leaf: Leaf, ca: &CertificateDer<'static>) -> ServerConfig {
    let provider = Arc::new(ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(ca.clone()).expect("a root");
    let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
        .build()
        .expect("a verifier");
    let key = PrivateKeyDer::try_from(leaf.key.serialize_der()).expect("a key");
    ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_client_cert_verifier(clients)
        .with_single_cert(vec![leaf.der], key)
        .expect("a key pair")
}

pub(crate) fn append(path: &Path, content: &str) {
    let before = std::fs::read_to_string(path).expect("a file");
    std::fs::write(path, before + content).expect("a file");
}
