"""Points from files and data frames, and places on the Earth."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _arrays, _core
from ._progress import Listener
from .errors import in_python

__all__ = ["PointSet", "from_latlon", "read", "to_latlon"]


class PointSet:
    """Points that were read, and what was assumed about them; `read` makes one.

    Attributes
    ----------
    points : ndarray [n, ambient]
        Coordinates on the manifold: unit vectors on the sphere, radians on the torus.
    manifold : str
        Where they live: "sphere:2".
    columns : list of str
        The columns that they were made from.
    weights : ndarray [n] or None
        What each point counts, from the column that `read` was given; `fit` and `compare` use them.
    assumptions : list of str
        How the file was understood, in sentences.
    duplicates : int
        Points that repeat an earlier one.
    skipped : int
        Rows that were left out because they are no points.
    lines : ndarray [n]
        The line or row of each point, from 1.
    name : str
        Of the file, without its folder.

    Examples
    --------
    >>> import riemflow as rf
    >>> quakes = rf.read("earthquakes")
    >>> quakes.manifold, len(quakes)
    ('sphere:2', 5871)
    """

    def __init__(self, data: Any) -> None:
        self._data = data
        self.points: np.ndarray = data.points
        self.manifold: str = data.manifold
        self.columns: List[str] = data.columns
        self.weights: Optional[np.ndarray] = data.weights
        self.assumptions: List[str] = [in_python(sentence) for sentence in data.assumptions + data.remarks]
        self.duplicates: int = data.duplicates
        self.skipped: int = data.skipped
        self.lines: np.ndarray = data.lines
        self.name: str = data.name

    def __len__(self) -> int:
        return len(self.points)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        array = self.points if dtype is None else self.points.astype(dtype)
        return array.copy() if copy else array

    def __repr__(self) -> str:
        return f"<riemflow.PointSet {self.name!r}: {len(self)} points on {self.manifold}>"


def read(path: Any, manifold: Any = None, *, columns: Union[None, str, Sequence[Any]] = None,
         units: str = "auto", format: Optional[str] = None, skip_invalid: bool = False,
         data_dir: Optional[str] = None, weights: Union[None, str, int] = None) -> PointSet:
    """Read the points of a file, a pandas DataFrame or an xarray Dataset.

    Columns are found by their names (lat and lon, x y z, phi and psi, ra and dec, …); what was assumed is in the
    result, and in the log `riemflow` at level INFO. Files packed with gzip or zstd are read as they are.

    Parameters
    ----------
    path : path, DataFrame or Dataset
        CSV, TSV, NPY or GeoJSON; or the name of a data set, such as "earthquakes", which is built in.
    manifold : str or Manifold, optional
        Where the points live: "sphere:2", "torus:2", "ball:2,K=-1", "euclidean:3", "rotation:3", …; `Manifold` has them
        all. Inferred from the columns unless given.
    columns : str or list, optional
        Columns that make a point, by name or number from 1.
    units : {"auto", "degrees", "radians"}
        Units of latitudes, longitudes and angles; auto: degrees, unless a column's name says otherwise.
    format : {"csv", "tsv", "npy", "geojson"}, optional
        Found by the content unless given.
    skip_invalid : bool
        Leave out rows that are no point, instead of raising an error at the first.
    data_dir : path, optional
        Folder of the paper's data sets; the environment variable RIEMFLOW_DATA unless given.
    weights : str or int, optional
        Column that says what each point counts, by name or number from 1: finite numbers from 0. In GeoJSON a property
        of the features.

    Returns
    -------
    PointSet

    Examples
    --------
    >>> import riemflow as rf
    >>> quakes = rf.read("earthquakes")
    >>> quakes.points.shape
    (5871, 3)

    Bunge's Euler angles in degrees become unit quaternions w x y z:

    >>> import pandas
    >>> grains = pandas.DataFrame({"phi1": [0.0, 90.0], "Phi": [0.0, 35.0], "phi2": [0.0, 45.0]})
    >>> rf.read(grains, "rotation:3").points.round(3) + 0.0
    array([[1.   , 0.   , 0.   , 0.   ],
           [0.365, 0.278, 0.115, 0.881]])
    """
    data = _arrays.read(path, manifold, columns, units, format, skip_invalid, data_dir, weights)
    listener = Listener(False)
    for sentence in data.assumptions + data.remarks:
        listener.say(sentence)
    return PointSet(data)


def from_latlon(lat: Any, lon: Any) -> np.ndarray:
    """Unit vectors of latitudes and longitudes in degrees.

    Parameters
    ----------
    lat, lon : array_like
        Latitudes from -90 to 90 and longitudes from -360 to 360.

    Returns
    -------
    ndarray [n, 3]
        x = (cos lat cos lon, cos lat sin lon, sin lat), exact at multiples of 90 degrees.

    Examples
    --------
    >>> import riemflow as rf
    >>> rf.from_latlon([90, 0], [0, 180])
    array([[ 0.,  0.,  1.],
           [-1.,  0.,  0.]])
    """
    places = np.stack(np.broadcast_arrays(np.atleast_1d(np.asarray(lat, dtype=np.float64)),
                                          np.atleast_1d(np.asarray(lon, dtype=np.float64))), axis=-1)
    return _core.from_latlon(_arrays.rows(places, "places"))


def to_latlon(points: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Latitudes and longitudes in degrees of unit vectors.

    Parameters
    ----------
    points : array_like [n, 3]

    Returns
    -------
    lat, lon : ndarray [n]
        Latitudes from -90 to 90 and longitudes from -180 to 180; 0 at the poles.

    Examples
    --------
    >>> import riemflow as rf
    >>> lat, lon = rf.to_latlon([[0, 1, 0], [0, 0, -1]])
    >>> lat, lon
    (array([  0., -90.]), array([90.,  0.]))
    """
    places = _core.to_latlon(_arrays.rows(points, "points"))
    return places[:, 0].copy(), places[:, 1].copy()
