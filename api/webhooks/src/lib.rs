//! Webhooks: an address gets the changes of an archive as they are stored, signed as [Standard Webhooks] describe it.
//!
//! The log of changes is the queue. A webhook has a place in it, which moves on when a change was delivered; so each is delivered
//! at least once, in order, and a restart loses nothing. An attempt that fails is repeated with growing pauses for three days.
//!
//! The program calls addresses that others have chosen. It resolves each name itself, connects to the very address that was
//! checked, and follows no redirects; [`receiver_url`] and [`Webhooks`] refuse all but public addresses.
//!
//! [Standard Webhooks]: https://www.standardwebhooks.com
//!
//! ```
//! use quipu_archive::model::WebhookSecret;
//! use quipu_webhooks::{secret_text, signature};
//!
//! let secret = WebhookSecret::new([7; 32]);
//! assert_eq!(secret_text(&secret), "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=");
//! let signed = signature(&[secret], "msg_abcd2345_1_1735689600000", 1_735_689_600, b"{}");
//! assert_eq!(signed, "v1,4EYD2wt5EAq2JpE5z5a1Gj7NUcnvAGeFvCcn7xr8oYs=");
//! ```

mod address;
mod backoff;
mod courier;
mod event;
mod resolver;
mod sender;
mod signature;
#[cfg(test)]
mod tests;
mod url;
mod worker;

pub use signature::{secret_text, signature};
pub use url::{UrlFault, receiver_url};
pub use worker::Webhooks;
