//! Points of both sides by their names.

use pyo3::{prelude::*, types::PyDict};
use quipu_referee::{Points, games};

/// Points by the name of the side, side 1 first.
pub(crate) fn points_by_side(game: Option<&'static str>, points: Option<Points>) -> Option<Vec<(&'static str, u32)>> {
    let sides = &games::find(game?)?.notation().sides;
    Some(sides.iter().map(|side| side.name).zip(points?.counted()).collect())
}

/// Points as a `dict`.
pub(crate) fn points_dict<'py>(
    py: Python<'py>,
    points: Option<Vec<(&'static str, u32)>>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(points) = points else { return Ok(None) };
    let dict = PyDict::new(py);
    for (side, count) in points {
        dict.set_item(side, count)?;
    }
    Ok(Some(dict))
}
