//! Options as data: settings of the service, scopes of tokens, themes and sizes of pictures. The command line lists them
//! also where the archive, the pictures and the service are not built in.

pub mod look;
pub mod scope;
pub mod settings;

pub use scope::Scope;
