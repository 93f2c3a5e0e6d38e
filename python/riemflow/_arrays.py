"""Arrays, data frames and files as the library takes them."""

from __future__ import annotations

import os
from typing import Any, Optional

import numpy as np

from . import _core
from .errors import Error

_BAD_DATA = 65


def name_of(manifold: Any) -> str:
    """Of a Manifold, or of what names one; empty if there is none."""
    name = getattr(manifold, "name", manifold)
    if name is None:
        return ""
    if not isinstance(name, str):
        raise Error(f"a manifold {manifold!r}", "name it, as in 'sphere:2', or give a riemflow.Manifold", 2, "manifold")
    return name


def numbers(values: Any, what: str) -> np.ndarray:
    """As float64 or float32 in rows; what is so already is not copied."""
    if type(values).__module__.startswith("scipy.sparse"):
        raise Error(f"{what} are a sparse matrix", "give a dense array: x.toarray()", _BAD_DATA)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise Error(f"{what} cannot be an array: {error}", "give rows of equal length", _BAD_DATA) from None
    if array.dtype.kind == "c":
        # The first words are those that scikit-learn's checks look for.
        raise Error(f"Complex data not supported: {what} are {array.dtype}", "give real numbers", _BAD_DATA)
    if array.dtype.kind not in "fiubO" or array.dtype == object:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            # An object that is no number at all stays a TypeError, as numpy has it.
            if isinstance(error, TypeError):
                raise TypeError(f"{what} hold what is no number: {error}") from None
            raise Error(f"{what} hold what is no number: {error}", "give numbers", _BAD_DATA) from None
    if array.dtype not in (np.dtype(np.float64), np.dtype(np.float32)):  # of this machine's order of bytes
        array = array.astype(np.float64)
    return np.ascontiguousarray(array)


def rows(values: Any, what: str = "points", columns: Optional[int] = None) -> np.ndarray:
    """[n, columns]. One dimension is taken for points of one number each, where the space has such."""
    array = numbers(values, what)
    if array.ndim == 1 and columns == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2:
        raise Error(
            f"Expected 2D array, got {'scalar' if array.ndim == 0 else f'{array.ndim}D'} array instead: {what} have "
            f"shape {array.shape}",
            "give one point per row: Reshape your data either using array.reshape(-1, 1) for points of one number or "
            "array.reshape(1, -1) for one point", _BAD_DATA)
    return array


def points_on(values: Any, manifold: str, columns: int) -> np.ndarray:
    """[n, columns]. What is a point elsewhere, and is written otherwise here, is told from other mistakes."""
    kind = manifold.split(":")[0] if " x " not in manifold else ""
    if kind in ("spd", "rotation", "simplex"):
        array = numbers(values, "points")
        if kind == "spd" and array.ndim == 3 and array.shape[1] == array.shape[2]:
            raise Error(f"matrices of shape {array.shape}", "a point is the upper triangle, row by row: give "
                        f"S[:, i, j] with i, j = np.triu_indices({array.shape[1]})", _BAD_DATA)
        if kind == "rotation" and array.ndim == 3 and array.shape[1:] == (3, 3):
            raise Error(f"matrices of shape {array.shape}", "a point is a unit quaternion w x y z: `read` makes them of a "
                        "data frame with the columns r11 r12 … r33", _BAD_DATA)
        if kind == "simplex" and array.ndim == 2 and array.shape[1] == columns and len(array) > 0 and (array >= 0).all():
            if (abs(array.sum(axis=1) - 1) < 1e-3).all() and (abs((array**2).sum(axis=1) - 1) > 1e-3).any():
                raise Error(f"proportions on {manifold}", "a point is the square roots of proportions: give np.sqrt(p), or "
                            "a data frame of the proportions themselves", _BAD_DATA)
    return rows(values, "points", columns)


def is_frame(points: Any) -> bool:
    """A pandas DataFrame, or what has columns as one."""
    return hasattr(points, "columns") and hasattr(points, "select_dtypes")


def is_dataset(points: Any) -> bool:
    """An xarray Dataset."""
    return hasattr(points, "data_vars") and hasattr(points, "to_dataframe")


def read(points: Any, manifold: Any = None, columns: Any = None, units: str = "auto",
         format: Optional[str] = None, skip_invalid: bool = False, data_dir: Optional[str] = None,
         weights: Any = None) -> Any:
    """The points of a file, a frame or a data set of xarray, as _core.ReadData."""
    chosen = columns if isinstance(columns, str) else ",".join(str(c) for c in columns) if columns is not None else ""
    weight = "" if weights is None else str(weights)
    space = name_of(manifold)
    if isinstance(points, (str, os.PathLike)):
        return _core.read_file(os.fspath(points), data_dir or "", space, chosen, units, format or "",
                               skip_invalid, weight)
    if is_dataset(points):
        points = points.to_dataframe().reset_index()
    frame = points.select_dtypes("number")
    return _core.read_columns([str(name) for name in frame.columns],
                              rows(frame.to_numpy(dtype=np.float64, na_value=np.nan), "columns"), "data frame",
                              space, chosen, units, skip_invalid, weight)


def is_read(points: Any) -> bool:
    """Whether read() takes it."""
    return isinstance(points, (str, os.PathLike)) or is_frame(points) or is_dataset(points)


def weights_for(sample_weight: Any) -> Optional[np.ndarray]:
    if sample_weight is None:
        return None
    array = numbers(sample_weight, "weights").astype(np.float64)
    if array.ndim != 1:
        raise Error("Sample weights must be 1D array or scalar: they have shape " + str(array.shape),
                    "give one weight per point", _BAD_DATA)
    return array
