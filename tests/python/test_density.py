"""Every method of a density, of every kind."""

import copy
import json
import pickle
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import riemflow as rf


def sphere_mean(density, n=40):
    """The mean of p over the sphere by a product rule of 2n × 4n nodes, times its area."""
    z, weights = np.polynomial.legendre.leggauss(2 * n)
    angle = 2 * np.pi * np.arange(4 * n) / (4 * n)
    r = np.sqrt(1 - z**2)
    points = np.stack([np.outer(r, np.cos(angle)), np.outer(r, np.sin(angle)),
                       np.outer(z, np.ones_like(angle))], axis=-1).reshape(-1, 3)
    p = np.exp(density.log_prob(points)).reshape(len(z), len(angle))
    return float(weights @ p.mean(axis=1) * 2 * np.pi)


def test_the_density_has_mass_one_by_a_quadrature_of_its_own(any_density):
    assert sphere_mean(any_density) == pytest.approx(1, abs=2e-3)
    mass = any_density.mass()
    assert abs(mass.value - 1) < max(mass.error, 5e-4) and mass.error < 5e-3


def test_the_mass_is_computed(flow):
    rough, fine = flow.mass(accuracy=1e-2), flow.mass(accuracy=1e-5)
    assert rough.value != 1 and 0 < fine.error < rough.error and abs(fine.value - 1) < 1e-3


def test_failures_are_warnings(kernels, uniform_points):
    core = kernels._core
    failing = rf.Density(SimpleNamespace(manifold=core.manifold, grid=lambda *a: {**core.grid(*a), "failed": 2},
                                         log_prob=lambda points: (core.log_prob(points)[0], "3 points failed"),
                                         sample=lambda *a: (core.sample(*a)[0], "4 draws failed")))
    for call, words in ((lambda: failing.grid(resolution=30), "2 cells"), (lambda: failing.sample(3), "4 draws"),
                        (lambda: failing.log_prob(uniform_points), "3 points")):
        with pytest.warns(rf.RiemflowWarning, match=words) as seen:
            call()
        assert seen[0].filename == __file__


def test_score_is_the_mean_of_log_prob(any_density, uniform_points):
    values = any_density.log_prob(uniform_points)
    score = any_density.score(uniform_points)
    assert score.mean == pytest.approx(values.mean(), rel=1e-12)
    assert score.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(len(values)), rel=1e-9)
    assert (score.points, score.failed) == (len(values), 0)


def test_gradient_is_the_derivative_along_geodesics(any_density, uniform_points):
    points = uniform_points[:40]
    values, gradients = any_density.log_prob_gradient(points)
    np.testing.assert_allclose(values, any_density.log_prob(points), atol=1e-4)
    np.testing.assert_allclose((gradients * points).sum(axis=1), 0, atol=1e-4 * np.abs(gradients).max())
    sphere, step = rf.manifold("sphere:2"), 1e-2
    precise = any_density.evaluated(tolerance=1e-7)
    for direction in sphere.frame(points).transpose(1, 0, 2):
        ahead = precise.log_prob(sphere.exp(points, step * direction))
        behind = precise.log_prob(sphere.exp(points, -step * direction))
        slope = (ahead - behind) / (2 * step)
        np.testing.assert_allclose((gradients * direction).sum(axis=1), slope, atol=0.02 * (1 + np.abs(slope)).max())


def test_samples_are_of_the_density(any_density):
    draws = any_density.sample(4000, seed=1)
    assert rf.manifold("sphere:2").contains(draws).all()
    circle = any_density.prob(circle=(90, 0, 2000))
    share = np.mean(rf.manifold("sphere:2").distance(draws, np.array([0, 0, 1.0])) * 6371.0088 <= 2000)
    assert share == pytest.approx(circle.value, abs=5 * np.sqrt(circle.value / 4000))
    np.testing.assert_array_equal(draws, any_density.sample(4000, seed=1))
    assert not np.array_equal(draws, any_density.sample(4000, seed=2))


def test_more_points_than_a_chunk(kernels):
    """What is computed in chunks of 16,384 is one array, and no chunk is drawn twice."""
    draws = kernels.sample(40_000, seed=3)
    np.testing.assert_array_equal(draws[:100], kernels.sample(100, seed=3))
    assert len(np.unique(draws, axis=0)) == 40_000 and kernels.sample(0).shape == (0, 3)
    values, gradients = kernels.log_prob_gradient(draws)
    np.testing.assert_array_equal(values, kernels.log_prob(draws))
    for part in (slice(16_380, 16_390), slice(39_990, 40_000)):
        few, slopes = kernels.log_prob_gradient(draws[part])
        np.testing.assert_array_equal(few, values[part])
        np.testing.assert_array_equal(slopes, gradients[part])
    assert kernels.score(draws).points == 40_000


def test_regions(kernels, tmp_path):
    box = kernels.prob(box=(-180, -90, 180, 90))
    assert box.value == pytest.approx(1, abs=1e-4) and box.uniform == pytest.approx(1)
    ring = [(-10, 50), (10, 50), (10, 70), (-10, 70)]
    as_ring = kernels.prob(polygon=ring)
    as_box = kernels.prob(box=(-10, 50, 10, 70))
    assert as_ring.value == pytest.approx(as_box.value, rel=1e-5) and as_ring.area_km2 == pytest.approx(as_box.area_km2)
    geometry = {"type": "Polygon", "coordinates": [[list(p) for p in ring + ring[:1]]]}
    path = tmp_path / "region.geojson"
    path.write_text(json.dumps(geometry))
    assert kernels.prob(polygon=path).value == kernels.prob(polygon=geometry).value == as_ring.value
    assert kernels.prob(circle=(0, 0, 15000)).value + kernels.prob(
        circle=(0, 180, np.pi * 6371.0088 - 15000)).value == pytest.approx(1, abs=1e-5)
    assert as_ring.ratio == as_ring.value / as_ring.uniform
    for wrong in ({}, {"circle": (0, 0)}, {"circle": (91, 0, 10)}, {"box": (0, 0, 1, 1), "circle": (0, 0, 1)},
                  {"polygon": [(0, 0), (1, 1)]}):
        with pytest.raises(rf.Error):
            kernels.prob(**wrong)


def test_grid_is_a_cf_dataset_whose_cells_add_up(any_density):
    xarray = pytest.importorskip("xarray")
    grid = any_density.grid(resolution=10)
    assert isinstance(grid, xarray.Dataset) and grid.density.dims == ("lat", "lon")
    assert grid.attrs["Conventions"] == "CF-1.8" and grid.lat.attrs["units"] == "degrees_north"
    edges = np.sin(np.radians(grid.lat_bnds.values))
    area = (edges[:, 1] - edges[:, 0])[:, None] * np.radians(10)
    assert float((grid.density.values * area).sum()) == pytest.approx(1, abs=2e-3)
    np.testing.assert_allclose(np.exp(grid.log_density), grid.density, rtol=1e-12)
    assert float(any_density.grid(resolution=30, longitude=0).lon[0]) == 15
    km2 = any_density.grid(resolution=30, per="km2")
    assert km2.density.attrs["units"] == "km-2"
    with pytest.raises(rf.Error):
        any_density.grid(per="acre")
    with pytest.raises(rf.Error, match="longitude"):
        any_density.grid(longitude=5)


def test_grid_of_centres(kernels):
    pytest.importorskip("xarray")
    grid = kernels.grid(resolution=30, cell="centre")
    lat, lon = np.meshgrid(grid.lat, grid.lon, indexing="ij")
    np.testing.assert_allclose(grid.log_density.values.ravel(), kernels.log_prob(rf.from_latlon(lat.ravel(), lon.ravel())),
                               atol=1e-6)


def test_grid_is_a_dict_without_xarray(kernels, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "xarray", None)
    grid = kernels.grid(resolution=30)
    assert isinstance(grid, dict) and grid["density"].shape == (6, 12) and grid["attributes"]["mass"] > 0.99


def test_trajectories_begin_uniform_and_end_in_the_sample(flow, pool, kernels, sphere_points):
    times, paths = flow.trajectories(50, frames=5, seed=4)
    assert paths.shape == (5, 50, 3) and list(times) == [0, 0.25, 0.5, 0.75, 1]
    np.testing.assert_allclose(paths[-1], flow.sample(50, seed=4), atol=3e-5)  # other steps of the solver
    times, back = flow.trajectories(sphere_points[:20], frames=3)
    np.testing.assert_array_equal(back[-1], sphere_points[:20])
    assert pool.trajectories(3, frames=2)[1].shape == (2, 3, 3)
    with pytest.raises(rf.Error, match="no paths"):
        kernels.trajectories(3)
    with pytest.raises(rf.Error, match="frames"):
        flow.trajectories(3, frames=1)


def test_a_pool_has_members_and_weights(pool, kernels, uniform_points):
    assert [member.kind for member in pool.members] == ["kde", "riemannian", "vmf-mixture"]
    np.testing.assert_allclose(pool.weights, [0.5, 0.3, 0.2])
    together = np.log(sum(w * np.exp(m.log_prob(uniform_points)) for w, m in zip(pool.weights, pool.members)))
    np.testing.assert_allclose(pool.log_prob(uniform_points), together, atol=1e-5)
    assert kernels.members == [] and list(kernels.weights) == [1]


def test_check(any_density):
    found = any_density.check(points=300)
    assert found and found.trustworthy and found.verdict == "trustworthy" and found.reasons == []
    assert abs(found.mass.value - 1) < 2e-3 and found.details["mass"]["value"] == found.mass.value


def test_round_trips(any_density, tmp_path, uniform_points):
    path = tmp_path / "a.model"
    any_density.save(path)
    for same in (rf.load(path), pickle.loads(pickle.dumps(any_density)), copy.copy(any_density),
                 copy.deepcopy(any_density)):
        assert same == any_density and hash(same) == hash(any_density)
        np.testing.assert_array_equal(same.log_prob(uniform_points), any_density.log_prob(uniform_points))
    assert rf.load(path).info["metadata"].get("provenance") == any_density.info["metadata"].get("provenance", "")


def test_different_densities_differ(kernels, flow):
    assert kernels != flow and kernels != 3


def test_a_file_of_another_kind_is_not_lost(kernels, tmp_path):
    path = tmp_path / "quakes.csv"
    path.write_text("lat,lon\n1,2\n")
    with pytest.raises(rf.Error):
        kernels.save(path)
    assert path.read_text() == "lat,lon\n1,2\n"
    with pytest.raises(rf.Error) as error:
        kernels.save(tmp_path / "no" / "such" / "folder.model")
    assert error.value.code == 73


def test_a_damaged_file_is_refused(kernels, tmp_path):
    path = tmp_path / "a.model"
    kernels.save(path)
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(rf.Error) as error:
        rf.load(path)
    assert error.value.code == 65
    path.write_bytes(bytes(data[:100]))
    with pytest.raises(rf.Error):
        rf.load(path)


def test_figures(any_density, sphere_points):
    assert any_density.plot(format="png", resolution=10, dpi=60)[:8] == b"\x89PNG\r\n\x1a\n"
    svg = any_density.plot(sphere_points[:50], format="svg", resolution=10, dpi=60, title="A title", contours=(50, 90),
                           projection="orthographic", center=(45, 10))
    assert svg.startswith(b"<?xml") and svg.rstrip().endswith(b"</svg>")
    plain = dict(format="svg", resolution=10, dpi=60)
    alone = any_density.plot(**plain)
    for shown in ({"title": "A title"}, {"contours": (50, 90)}, {"data": sphere_points[:50]}, {"samples": 20},
                  {"coastlines": False}, {"scale": "linear"}, {"per": "km2"}, {"projection": "mollweide"}):
        assert any_density.plot(**plain, **shown) != alone, shown
    assert any_density.plot(format="pdf", resolution=10, dpi=60)[:5] == b"%PDF-"
    with pytest.raises(rf.Error):
        any_density.plot(format="gif")
    with pytest.raises(rf.Error, match="projection"):
        any_density.plot(projection="robinson")


def test_axes(kernels, sphere_points):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    ax = kernels.plot(sphere_points, resolution=10, contours=(50, 90), title="Poles")
    assert ax.get_title() == "Poles" and ax.get_xlabel() == "longitude [degrees]"
    assert ax.get_xlim() == (-180, 180) and ax.get_ylim() == (-90, 90)
    again = plt.subplots()[1]
    assert kernels.plot(ax=again, resolution=10) is again
    circle = rf.KernelDensity("torus:1", bandwidth=0.3).fit(np.array([0.0, 0.1, 3.0]))
    (line,) = [line for line in circle.plot().lines]
    x, y = line.get_data()
    assert np.sum(y) * (x[1] - x[0]) == pytest.approx(1, abs=1e-6)
    plane = rf.KernelDensity("euclidean:2", bandwidth=0.3).fit([[0.0, 0.0], [1.0, 2.0]])
    grid, axes = plane.grid(extent=3.0), plane.plot([[0.0, 0.0]], extent=3.0)
    mesh = axes.collections[0].get_array().reshape(grid.density.shape)
    np.testing.assert_allclose(mesh, grid.density.values.T)  # rows go up
    assert plane.plot().get_xlim()[1] > 1
    torus = rf.KernelDensity("torus:2", bandwidth=0.5).fit([[0.5, 6.0], [1.0, 2.0]])
    dots = torus.plot([[0.5, 6.0]], resolution=10).lines[-1].get_data()
    np.testing.assert_allclose(np.ravel(dots), np.degrees([0.5, 6.0 - 2 * np.pi]))
    with pytest.raises(rf.Error, match="format"):
        rf.KernelDensity("euclidean:3", bandwidth=1.0).fit(np.eye(3)).plot()
    plt.close("all")


def test_coastlines_are_latitudes_and_longitudes():
    places = np.concatenate(rf._core.coastlines())
    assert np.abs(places[:, 0]).max() <= 90 and np.abs(places[:, 1]).max() > 179
    # Land of the north is more than that of the south.
    assert np.mean(places[:, 0] > 0) > 0.6


def test_levels_of_contours():
    from riemflow._plot import _highest
    assert _highest(np.array([[4.0, 1.0], [3.0, 2.0]]), np.array([[0.4, 0.1], [0.3, 0.2]]), (40, 80)) == [2.0, 4.0]


def test_report(kernels, sphere_points, tmp_path):
    path = tmp_path / "report.html"
    assert kernels.report(path, sphere_points, title="The <pole>") == "trustworthy"
    page = path.read_text()
    without = tmp_path / "without.html"
    kernels.report(without)
    assert len(page) > len(without.read_text()) + 1000
    assert "The &lt;pole&gt;" in page and "training" in page  # points of the fit are known as such


def test_notebook(any_density):
    page = any_density._repr_html_()
    assert any_density.manifold.name in page and "data:image/png;base64," in page


def test_notebook_of_other_manifolds():
    line = rf.KernelDensity("euclidean:1", bandwidth=0.3).fit([[0.0], [1.0]])
    assert "euclidean:1" in line._repr_html_()


def test_info(kernels):
    info = kernels.info
    assert info["model"] == "kde" and info["metadata"]["provenance"]["test_nll"] < 2.53
    assert kernels.kind == "kde" and kernels.manifold == rf.manifold("sphere:2")
    assert "kde on sphere:2" in repr(kernels)


def test_threads_get_the_same_answers(any_density, uniform_points):
    want = any_density.log_prob(uniform_points)
    found = [None] * 8

    def work(i):
        found[i] = any_density.log_prob(uniform_points)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(found))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for values in found:
        np.testing.assert_array_equal(values, want)


def test_the_number_of_threads_changes_nothing(any_density, uniform_points):
    np.testing.assert_array_equal(any_density.evaluated(threads=1).log_prob(uniform_points),
                                  any_density.evaluated(threads=2).log_prob(uniform_points))


def test_the_interpreter_is_free_meanwhile(kernels):
    """A thread of Python goes on while a call computes."""
    points = rf.manifold("sphere:2").random_uniform(400_000, seed=1)
    done, ticks = threading.Event(), []

    def tick():
        while not done.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    kernels.log_prob(points)
    done.set()
    thread.join()
    assert len(ticks) > 20


def test_the_tolerance_is_the_solvers(flow, uniform_points):
    rough = flow.evaluated(tolerance=1e-2)
    assert rough.tolerance == 1e-2 != flow.tolerance
    apart = np.abs(rough.log_prob(uniform_points) - flow.log_prob(uniform_points)).max()
    assert 1e-5 < apart < 0.5


def test_evaluated_refuses_what_is_none(kernels):
    with pytest.raises(rf.Error, match="device"):
        kernels.evaluated(device="tpu")
