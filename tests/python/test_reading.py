"""Points from files, frames and data sets."""

import gzip

import numpy as np
import pytest

import riemflow as rf


def test_the_embedded_earthquakes():
    quakes = rf.read("earthquakes")
    assert quakes.manifold == "sphere:2" and len(quakes) == 5871 and quakes.points.shape == (5871, 3)
    assert any("latitude" in sentence for sentence in quakes.assumptions) and quakes.duplicates > 0
    assert not any("‹" in sentence for sentence in quakes.assumptions)
    np.testing.assert_array_equal(np.asarray(quakes), quakes.points)
    assert np.asarray(quakes, dtype=np.float32).dtype == np.float32
    assert "5871 points on sphere:2" in repr(quakes)


def test_a_file_with_its_lines_and_columns(tmp_path):
    path = tmp_path / "quakes.csv"
    path.write_text("# note\ntime,latitude,longitude\n1,10,20\n2,-30,40\n\n3,90,0\n")
    quakes = rf.read(path)
    assert quakes.columns == ["latitude", "longitude"] and list(quakes.lines) == [3, 4, 6] and quakes.name == "quakes.csv"
    lat, lon = rf.to_latlon(quakes.points)
    np.testing.assert_allclose(lat, [10, -30, 90], atol=1e-12)
    np.testing.assert_allclose(lon, [20, 40, 0], atol=1e-12)


def test_a_packed_file_is_read_as_it_is(tmp_path):
    text = "lat,lon\n" + "".join(f"{i % 89}.5,{i % 359 - 179}\n" for i in range(100_000))
    (tmp_path / "quakes.csv").write_text(text)
    (tmp_path / "quakes.csv.gz").write_bytes(gzip.compress(text.encode()))
    plain, packed = rf.read(tmp_path / "quakes.csv"), rf.read(tmp_path / "quakes.csv.gz")
    np.testing.assert_array_equal(packed.points, plain.points)
    np.testing.assert_array_equal(packed.lines, plain.lines)
    whole = (tmp_path / "quakes.csv.gz").read_bytes()
    (tmp_path / "quakes.csv.gz").write_bytes(whole[:-3])
    with pytest.raises(rf.Error, match=r"quakes\.csv\.gz: the file is compressed with gzip, and cannot be unpacked") as error:
        rf.read(tmp_path / "quakes.csv.gz")
    assert error.value.code == 65 and error.value.file.endswith("quakes.csv.gz")


def test_weights_of_a_column(tmp_path):
    path = tmp_path / "quakes.csv"
    path.write_text("lat,lon,mass\n10,20,2\n-30,40,0\n80,0,0.5\n")
    assert rf.read(path).weights is None
    for column in ("mass", 3):
        quakes = rf.read(path, weights=column)
        np.testing.assert_array_equal(quakes.weights, [2, 0, 0.5])
        assert "Weights of the points: column 3 'mass'." in quakes.assumptions
    with pytest.raises(rf.Error, match="perhaps you meant 'mass'") as error:
        rf.read(path, weights="mas")
    assert error.value.code == 65 and error.value.setting == "weights"
    path.write_text("lat,lon,mass\n10,20,2\n-30,40,-1\n")
    with pytest.raises(rf.Error, match="weight .column 3, 'mass'. is '-1'") as error:
        rf.read(path, weights="mass")
    assert (error.value.line, error.value.column, error.value.value) == (3, 8, "-1")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"mass": [3.0, 1.0], "lat": [10.0, -30.0], "lon": [20.0, 40.0]})
    np.testing.assert_array_equal(rf.read(frame, weights="mass").weights, [3, 1])


def test_errors_have_their_place(tmp_path):
    path = tmp_path / "flawed.csv"
    path.write_text("lat,lon\n10,20\nnorth,30\n40,50\n")
    with pytest.raises(rf.Error) as error:
        rf.read(path)
    assert (error.value.file, error.value.line, error.value.column) == (str(path), 3, 1)
    assert error.value.value == "north" and error.value.code == 65 and "`skip_invalid`" in str(error.value)
    assert rf.read(path, skip_invalid=True).skipped == 1
    with pytest.raises(rf.Error) as error:
        rf.read(tmp_path / "none.csv")
    assert error.value.code == 66
    path.write_text("")
    with pytest.raises(rf.Error):
        rf.read(path)
    with pytest.raises(rf.Error, match="units"):
        rf.read("earthquakes", units="gradians")


def test_frames_are_read_by_the_names_of_their_columns(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"place": ["a", "b", "c"], "longitude": [20.0, 40.0, -170.0], "mag": [5, 6, 7],
                              "latitude": [10.0, -30.0, 80.0]})
    points = rf.read(frame)
    np.testing.assert_array_equal(points.points, rf.from_latlon(frame.latitude, frame.longitude))
    path = tmp_path / "frame.csv"
    frame.to_csv(path, index=False)
    np.testing.assert_array_equal(points.points, rf.read(path).points)
    angles = pandas.DataFrame({"phi": [-60.0, -120.0, 50.0], "psi": [-45.0, 130.0, 60.0]})
    assert rf.read(angles).manifold == "torus:2"
    np.testing.assert_allclose(rf.read(angles).points, np.radians(angles.to_numpy()))
    np.testing.assert_allclose(rf.read(np.radians(angles), units="radians").points, np.radians(angles.to_numpy()))
    assert rf.read(frame, columns=["latitude", "longitude"]).columns == ["latitude", "longitude"]
    with pytest.raises(rf.Error, match="latitude"):
        rf.read(frame.assign(latitude=[10, 99, 0]))
    with pytest.raises(rf.Error, match="row|2"):
        rf.read(frame.assign(latitude=[10, np.nan, 0]))
    density = rf.KernelDensity(bandwidth=0.2).fit(frame)
    assert density.manifold.name == "sphere:2"
    np.testing.assert_array_equal(density.log_prob(frame), density.log_prob(points))


def test_columns_of_pandas_and_arrays_of_xarray_are_taken_as_they_are(kernels):
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    frame = pandas.DataFrame({"lat": [10.0, 20.0], "lon": [30.0, 40.0]}, index=[7, 9])
    want = rf.from_latlon([10, 20], [30, 40])
    np.testing.assert_array_equal(rf.from_latlon(frame.lat, frame.lon), want)
    np.testing.assert_array_equal(rf.from_latlon(xarray.DataArray([10.0, 20]), xarray.DataArray([30.0, 40])), want)
    np.testing.assert_array_equal(kernels.log_prob(xarray.DataArray(want)), kernels.log_prob(want))
    np.testing.assert_array_equal(
        rf.read(xarray.Dataset({"lat": ("n", [10.0, 20.0]), "lon": ("n", [30.0, 40.0])})).points, want)


def test_places():
    np.testing.assert_array_equal(rf.from_latlon(0, [0, 90, 180, 270]),
                                  [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]])
    lat, lon = np.array([-89.9, 0.1, 45.0]), np.array([-179.9, 0.0, 123.4])
    back = rf.to_latlon(rf.from_latlon(lat, lon))
    np.testing.assert_allclose(back, [lat, lon], atol=1e-10)
    for wrong in ((91, 0), (0, 400), (np.nan, 0), (0, np.inf)):
        with pytest.raises(rf.Error, match="point 0"):
            rf.from_latlon(*wrong)
    with pytest.raises(rf.Error, match="point 1"):
        rf.to_latlon([[1, 0, 0], [1, 1, 1]])


def test_a_set_knows_its_manifold(sphere_points):
    quakes = rf.read("earthquakes")
    with pytest.raises(rf.Error, match="sphere:2"):
        rf.fit(quakes, "torus:2", model="kde")
