//! Values that one call uses at a time, such as a source that is being read.

use std::sync::{Mutex, TryLockError};

use pyo3::prelude::*;
use quipu_referee::Lang;

use crate::errors::refused;

/// Calls `of` with the value, without the GIL; fails if another call does that already, also on the same thread.
pub(crate) fn exclusive<T: Send, R: Send>(
    py: Python<'_>,
    value: &Mutex<T>,
    lang: Lang,
    of: impl FnOnce(&mut T) -> R + Send,
) -> PyResult<R> {
    let done = py.detach(|| match value.try_lock() {
        Ok(mut value) => Some(of(&mut value)),
        Err(TryLockError::Poisoned(value)) => Some(of(&mut value.into_inner())),
        Err(TryLockError::WouldBlock) => None,
    });
    done.ok_or_else(|| refused(py, "python.busy", lang, &[]))
}
