//! TLS to a server, whose certificate must be of a trusted authority and have the name of the host.

use std::{path::Path, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject},
};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Connections with TLS. The trusted authorities are those of a file in PEM, or else those of the system.
///
/// # Errors
/// The reason that there are none, as text.
pub(super) fn connector(root_file: Option<&Path>) -> Result<MakeRustlsConnect, String> {
    let mut roots = RootCertStore::empty();
    if let Some(file) = root_file {
        let wrong = |error: &dyn std::fmt::Display| format!("sslrootcert {}: {error}", file.display());
        for certificate in CertificateDer::pem_file_iter(file).map_err(|error| wrong(&error))? {
            let certificate = certificate.map_err(|error| wrong(&error))?;
            roots.add(certificate).map_err(|error| wrong(&error))?;
        }
        if roots.is_empty() {
            return Err(wrong(&"no certificate"));
        }
    } else {
        let found = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            return Err("the system has no root certificates: name a file by sslrootcert".to_owned());
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
