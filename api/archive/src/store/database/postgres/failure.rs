//! Failures by what they mean for the store.

use std::{error, io};

use super::{round_trip::Late, values::Mismatch};
use crate::store::database::error::Error;

impl From<tokio_postgres::Error> for Error {
    #[cold]
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(found) = error.as_db_error() else {
            let text = chain(&error);
            return match error::Error::source(&error) {
                Some(cause) if cause.is::<Mismatch>() => Self::Corrupt(text),
                // Such as a password or encryption that the server asks for and the address lacks, or a certificate that is not
                // trusted.
                Some(cause) if !cause.downcast_ref::<io::Error>().is_some_and(is_of_connection) => Self::Denied(text),
                // The connection.
                _ => Self::Unreachable(text),
            };
        };
        let text = found.to_string();
        match found.code().code() {
            "55P03" | "40P01" | "40001" => Self::Busy,
            "53100" => Self::Full,
            "42501" => Self::ReadOnly,
            "57014" => Self::Interrupted,
            // A number that is too large is one that no version stores.
            "XX001" | "XX002" | "42P01" | "42703" | "22003" => Self::Corrupt(text),
            // The server has become a standby, ends the session, or accepts no other.
            "25006" | "57P01" | "57P02" | "57P03" | "57P05" | "25P03" | "53300" => Self::Unreachable(text),
            "28P01" | "28000" | "3D000" => Self::Denied(text),
            other if other.starts_with("08") => Self::Unreachable(text),
            other if other.starts_with("23") => Self::Constraint(text),
            _ => Self::Other(text),
        }
    }
}

/// True unless it is that of a TLS handshake, which arrives as one of the connection.
fn is_of_connection(error: &io::Error) -> bool {
    let Some(inner) = error.get_ref() else { return true };
    !inner.is::<rustls::Error>()
}

impl From<Late> for Error {
    fn from(late: Late) -> Self {
        match late {
            Late::Expired => Self::Unreachable("the server does not answer".to_owned()),
            Late::Cancelled => Self::Interrupted,
        }
    }
}

/// The text of an error with its causes.
fn chain(error: &dyn error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(found) = cause {
        text = format!("{text}: {found}");
        cause = found.source();
    }
    text
}
