//! A cluster's certificates, made for one kubelet.

use std::fmt;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

use super::Error;

/// How a kubelet shows who it is, and asks who its clients are.
pub(super) struct Wanted {
    pub(super) names: Vec<String>,
    pub(super) self_signed: bool,
    pub(super) client_auth: bool,
}

/// What clients need.
pub(super) struct Pems {
    pub(super) ca: String,
    pub(super) client_cert: String,
    pub(super) client_key: String,
}

impl fmt::Debug for Pems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Pems")
    }
}

/// Makes a CA, a serving certificate and a client certificate.
pub(super) fn make(wanted: Wanted) -> Result<(ServerConfig, Pems), Error> {
    let ca = authority()?;
    let serving_key = KeyPair::generate()?;
    let serving = leaf(wanted.names, "system:node:coracle", ExtendedKeyUsagePurpose::ServerAuth)?;
    let serving = if wanted.self_signed {
        serving.self_signed(&serving_key)?
    } else {
        serving.signed_by(&serving_key, &ca)?
    };
    let client_key = KeyPair::generate()?;
    let client =
        leaf(Vec::new(), "coracle", ExtendedKeyUsagePurpose::ClientAuth)?.signed_by(&client_key, &ca)?;
    let pems = Pems {
        ca: if wanted.self_signed { serving.pem() } else { ca.pem() },
        client_cert: client.pem(),
        client_key: client_key.serialize_pem(),
    };
    let key = PrivateKeyDer::Pkcs8(serving_key.serialize_der().into());
    let clients = wanted.client_auth.then(|| ca.der().clone());
    Ok((config(serving.der().clone(), key, clients)?, pems))
}

fn authority() -> Result<CertifiedIssuer<'static, KeyPair>, rcgen::Error> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "kubernetes");
    CertifiedIssuer::self_signed(params, KeyPair::generate()?)
}

fn leaf(
    names: Vec<String>,
    common_name: &str,
    usage: ExtendedKeyUsagePurpose,
) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.push(DnType::CommonName, common_name);
    params.extended_key_usages = vec![usage];
    Ok(params)
}

/// Like a kubelet's: a client certificate is asked for, checked if it comes, and may be missing; then the request
/// itself is refused.
fn config(
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
    clients: Option<CertificateDer<'static>>,
) -> Result<ServerConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(ca) => {
            let mut roots = RootCertStore::empty();
            roots.add(ca)?;
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.allow_unauthenticated().build()?)
        }
    };
    Ok(builder.with_single_cert(vec![certificate], key)?)
}
