//! Signatures of Standard Webhooks, version 1: HMAC-SHA256 with a secret that the receiver has too.

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use quipu_archive::model::WebhookSecret;
use sha2::Sha256;

/// The text of a secret, for the receiver.
pub fn secret_text(secret: &WebhookSecret) -> String {
    format!("whsec_{}", STANDARD.encode(secret))
}

/// The header `webhook-signature`: a signature with each secret. `id` and `timestamp`, in seconds since 1970, are those of the
/// headers `webhook-id` and `webhook-timestamp`.
pub fn signature<S: AsRef<[u8]>>(secrets: &[S], id: &str, timestamp: i64, body: &[u8]) -> String {
    let signatures =
        secrets.iter().map(|secret| format!("v1,{}", STANDARD.encode(signed(secret.as_ref(), id, timestamp, body))));
    signatures.collect::<Vec<_>>().join(" ")
}

fn signed(secret: &[u8], id: &str, timestamp: i64, body: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("a key of any length");
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    mac.finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification and of its libraries.
    #[test]
    fn the_example_of_the_specification() {
        let secret = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("base64");
        let signed = signature(&[secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn each_secret_signs() {
        let [one, two] = [[1; 32], [2; 32]];
        let both = signature(&[one, two], "a", 1, b"x");
        assert_eq!(both, format!("{} {}", signature(&[one], "a", 1, b"x"), signature(&[two], "a", 1, b"x")));
        for other in [signature(&[one], "b", 1, b"x"), signature(&[one], "a", 2, b"x"), signature(&[one], "a", 1, b"y")]
        {
            assert_ne!(other, signature(&[one], "a", 1, b"x"));
        }
    }
}
