//! Whether the peer is the kubelet.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::credentials::{Credentials, SetupError, read_ca};
use super::options::KubeletOptions;

/// A configuration that trusts and presents what `options` say.
pub(crate) fn config(options: &KubeletOptions, credentials: Credentials) -> Result<ClientConfig, SetupError> {
    let provider = Arc::new(ring::default_provider());
    let verifier = KubeletVerifier::new(options, Arc::clone(&provider))?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring supports the default protocol versions")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = match credentials {
        Credentials::Anonymous | Credentials::Token(_) => builder.with_no_client_auth(),
        Credentials::Certificate { chain, key } => {
            builder.with_client_auth_cert(chain, key).map_err(|source| key_pair_error(options, source))?
        }
    };
    // A resumed session would not be verified again, and each request has its own connection anyway.
    config.resumption = Resumption::disabled();
    Ok(config)
}

/// The peer's name as TLS wants it.
pub(crate) fn server_name(options: &KubeletOptions) -> Result<ServerName<'static>, SetupError> {
    let name = options.server_name();
    ServerName::try_from(name.to_owned()).map_err(|_| SetupError::HostName { name: name.to_owned() })
}

fn key_pair_error(options: &KubeletOptions, source: Error) -> SetupError {
    SetupError::KeyPair {
        certificate: options.client_certificate_file.clone().unwrap_or_default(),
        key: options.client_key_file.clone().unwrap_or_default(),
        source,
    }
}

/// How much of the kubelet's certificate is verified.
#[derive(Debug)]
enum Trust {
    /// Nothing.
    Anyone,
    /// A chain to one of these; the name too if asked for.
    Chain { roots: RootCertStore, pinned: Vec<CertificateDer<'static>>, name: bool },
}

/// Verifies kubelets, whose certificates are often for no name that a client on the same node could use.
///
/// The handshake's signatures are verified in each case.
#[derive(Debug)]
struct KubeletVerifier {
    trust: Trust,
    provider: Arc<CryptoProvider>,
}

impl KubeletVerifier {
    fn new(options: &KubeletOptions, provider: Arc<CryptoProvider>) -> Result<Self, SetupError> {
        let trust = if options.skip_verification {
            Trust::Anyone
        } else {
            let pinned = read_ca(&options.ca_file)?;
            let roots = root_store(&options.ca_file, &pinned)?;
            Trust::Chain { roots, pinned, name: options.node_name.is_some() }
        };
        Ok(Self { trust, provider })
    }

    fn verify_chain(
        &self,
        roots: &RootCertStore,
        pinned: &[CertificateDer<'static>],
        end_entity: (&CertificateDer<'_>, &ParsedCertificate<'_>),
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<(), Error> {
        let (der, parsed) = end_entity;
        let algorithms = self.provider.signature_verification_algorithms.all;
        match verify_server_cert_signed_by_trust_anchor(parsed, roots, intermediates, now, algorithms) {
            // A self-signed kubelet certificate says that it is a CA. The operator has put this very certificate
            // among those to trust, and its validity period is checked before what it says of itself.
            Err(error) if is_ca_used_as_end_entity(&error) && pinned.contains(der) => Ok(()),
            other => other,
        }
    }
}

impl ServerCertVerifier for KubeletVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if let Trust::Chain { roots, pinned, name } = &self.trust {
            let parsed = ParsedCertificate::try_from(end_entity)?;
            self.verify_chain(roots, pinned, (end_entity, &parsed), intermediates, now)?;
            if *name {
                verify_server_name(&parsed, server_name)?;
            }
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

fn root_store(path: &Path, certificates: &[CertificateDer<'static>]) -> Result<RootCertStore, SetupError> {
    let mut roots = RootCertStore::empty();
    for (position, certificate) in certificates.iter().enumerate() {
        roots.add(certificate.clone()).map_err(|source| SetupError::BadRoot {
            path: path.to_owned(),
            number: position + 1,
            source,
        })?;
    }
    Ok(roots)
}

/// The path library's own error is not exported; its name is all that can be told of it.
pub(crate) fn is_ca_used_as_end_entity(error: &Error) -> bool {
    let Error::InvalidCertificate(CertificateError::Other(other)) = error else { return false };
    other.0.to_string() == "CaUsedAsEndEntity"
}
