//! Options as data: settings of the service, scopes of tokens, themes and sizes of pictures. The command line lists them also in
//! a build without the archive, the pictures and the service.
//!
//! ```
//! use quipu_options::{
//!     Scope,
//!     settings::{Setting, Settings},
//! };
//!
//! let mut settings = Settings::default();
//! let setting = Setting::find("max-body").expect("it is in the table");
//! setting.set(&mut settings, "8MiB").expect("it is within its bounds");
//! assert_eq!(settings.max_body, 8 * 1024 * 1024);
//! assert_eq!(setting.variable(), "QUIPU_MAX_BODY");
//! assert_eq!(setting.line(&settings), "max_body = \"8MiB\"");
//!
//! assert!(Scope::Admin.allows(Scope::RecordsWrite));
//! ```

pub mod look;
pub mod scope;
pub mod settings;

pub use scope::Scope;
