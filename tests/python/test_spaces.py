"""Each space of docs/spaces.md: points, fits, scores, draws, files, pictures, and that a point's other names change nothing."""

import pickle

import numpy as np
import pytest

import riemflow as rf

N = 80


def normalised(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def product(p, q):
    """Of quaternions."""
    w, v, u, z = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    return np.concatenate([w * u - (v * z).sum(-1, keepdims=True), w * z + u * v + np.cross(v, z)], axis=-1)


def about(space, rng):
    """Points of each space that are not spread evenly."""
    if space.startswith("rotation:3 x"):
        return np.concatenate([about("rotation:3", rng), rng.normal(size=(N, 3))], axis=1)
    if space == "torus:1,L=24 x euclidean:1":
        return np.stack([rng.normal(23.5, 3, N) % 24, rng.exponential(1, N)], axis=1)
    if space == "sphere:3,K=0.25":
        return 2 * normalised(rng.normal([1, 1, 0, 0], 0.4, (N, 4)))
    if space.startswith(("sphere", "axis")):
        return normalised(rng.normal([1, 1, 0], 0.4, (N, 3)))
    if space.startswith("rotation"):
        return rf.manifold(space).project(normalised(rng.normal([1, 0.2, 0, 0], 0.2, (N, 4))))
    if space == "torus:2":
        return rng.normal(0, 1, (N, 2))
    if space.startswith("torus"):
        return np.stack([rng.normal(23, 3, N) % 24, rng.normal(180, 60, N) % 365], axis=1)
    if space.startswith("ball"):
        return 0.2 * rng.normal(size=(N, 2)).clip(-3, 3)
    if space.startswith("hyperboloid"):
        x = rng.normal(size=(N, 2))
        return np.concatenate([np.sqrt(1 + (x**2).sum(axis=1, keepdims=True)), x], axis=1)
    if space == "spd:2":
        a = rng.normal(size=(N, 2, 4))
        return upper(a @ a.transpose(0, 2, 1))
    if space.startswith("interval"):
        return 10 * rng.beta(0.7, 2, (N, 1))
    if space.startswith("positive"):
        return rng.lognormal(3, 1, (N, 1))
    if space.startswith("simplex"):
        return np.sqrt(rng.dirichlet([2, 3, 0.5], N))
    return rng.normal(5, 2, (N, 3))


def upper(matrices):
    i, j = np.triu_indices(matrices.shape[1])
    return matrices[:, i, j]


# The space, its dimension, the numbers of a point, its volume.
SPACES = {
    "sphere:2": (2, 3, 4 * np.pi),
    "sphere:3,K=0.25": (3, 4, 16 * np.pi**2),
    "torus:2": (2, 2, 4 * np.pi**2),
    "torus:2,L=24;365": (2, 2, 24 * 365),
    "euclidean:3": (3, 3, np.inf),
    "ball:2": (2, 2, np.inf),
    "hyperboloid:2": (2, 3, np.inf),
    "rotation:3": (3, 4, 8 * np.pi**2),
    "rotation:3/222": (3, 4, 2 * np.pi**2),
    "rotation:3/432": (3, 4, np.pi**2 / 3),
    "axis:2": (2, 3, 2 * np.pi),
    "spd:2": (3, 3, np.inf),
    "interval:1,from=0,to=10": (1, 1, 10),
    "positive:1": (1, 1, np.inf),
    "simplex:2": (2, 3, np.pi / 2),
    "torus:1,L=24 x euclidean:1": (2, 2, np.inf),
    "rotation:3 x euclidean:3": (6, 7, np.inf),
}

FITS = {
    "kde": {"model": "kde", "kernel": "one"},
    "normal-mixture": {"model": "normal-mixture", "time_limit": 0.3},
    "riemannian": {"width": 4, "depth": 1, "iterations": 3, "batch": 20},
}


@pytest.fixture(scope="module", params=SPACES)
def space(request):
    return request.param


@pytest.fixture(scope="module")
def points(space):
    return about(space, np.random.default_rng(1))


@pytest.fixture(scope="module", params=FITS)
def density(request, space, points):
    return rf.fit(points, space, **FITS[request.param])


def same_points(space, x):
    """The points of x, written otherwise."""
    if space.startswith("rotation:3 x"):
        return [x * ([-1] * 4 + [1] * 3)]
    if space.startswith("rotation"):
        half = np.sqrt(0.5)
        turns = {"rotation:3": [], "rotation:3/222": [[0, 0, 0, 1], [0, 1, 0, 0]],
                 "rotation:3/432": [[half, 0, 0, half], [0.5, 0.5, 0.5, 0.5], [0, half, half, 0]]}[space]
        return [-x, *(product(x, np.array(turn, dtype=float)) for turn in turns)]
    if space.startswith("axis"):
        return [-x]
    if space == "torus:2":
        return [x + [2 * np.pi, 0]]
    if space == "torus:2,L=24;365":
        return [x + [24, -365]]
    if space == "torus:1,L=24 x euclidean:1":
        return [x - [48, 0]]
    return []


def test_space(space, points):
    manifold = rf.manifold(space)
    dimension, ambient, volume = SPACES[space]
    assert (manifold.dimension, manifold.ambient) == (dimension, ambient)
    assert manifold.volume == pytest.approx(volume, rel=1e-12)
    assert manifold.contains(points).all()
    x, y = points[:20], points[20:40]
    v = manifold.log(x, y)
    np.testing.assert_allclose(manifold.distance(manifold.exp(x, v), y), 0, atol=1e-6)
    np.testing.assert_allclose(np.sqrt(manifold.inner(x, v, v)), manifold.distance(x, y), rtol=1e-8)
    assert manifold.frame(x).shape == (20, dimension, ambient) and manifold.transport(x, y, v).shape == x.shape
    assert pickle.loads(pickle.dumps(manifold)) == manifold and manifold == rf.manifold(manifold.name)
    for other in same_points(space, x):
        np.testing.assert_allclose(manifold.distance(x, other), 0, atol=2e-6)
    if np.isfinite(volume):
        uniform = rf.distributions.uniform(space)
        drawn = manifold.random_uniform(20, seed=1)
        np.testing.assert_allclose(uniform.log_prob(drawn), -np.log(volume), atol=1e-9)
    else:
        with pytest.raises(rf.Error):
            manifold.random_uniform(3)


def test_density(space, points, density, tmp_path):
    assert density.manifold == rf.manifold(space)
    values = density.log_prob(points)
    assert values.shape == (N,) and np.isfinite(values).all()
    score = density.score(points)
    assert score.mean == pytest.approx(values.mean()) and score.points == N and score.failed == 0
    drawn = density.sample(30, seed=2)
    assert drawn.shape == (30, density.manifold.ambient) and density.manifold.contains(drawn).all()
    np.testing.assert_array_equal(drawn, density.sample(30, seed=2))
    assert np.isfinite(density.log_prob(drawn)).all()
    density.save(tmp_path / "a.model")
    for again in (rf.load(tmp_path / "a.model"), pickle.loads(pickle.dumps(density))):
        np.testing.assert_array_equal(again.log_prob(points), values)
    for other in same_points(space, points):
        np.testing.assert_allclose(density.log_prob(other), values, atol=1e-6 if density.kind != "riemannian" else 2e-3)
    gradients = density.log_prob_gradient(points[:3])
    np.testing.assert_allclose(gradients[0], values[:3], atol=1e-6)
    assert gradients[1].shape == points[:3].shape and np.isfinite(gradients[1]).all()


def test_mass(space, density):
    mass = density.mass(accuracy=5e-3)
    assert abs(mass.value - 1) < max(4 * mass.error, 1e-3)


def test_default_fit(space, points):
    density = rf.fit(points, space, time_limit=0.5)
    assert density.kind == "pool" and np.isfinite(density.log_prob(points)).all()


def test_columns_and_units():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    # Bunge's angles in degrees: first about z, then about the new x, then about the new z.
    euler = pandas.DataFrame({"phi1": [90.0], "Phi": [0.0], "phi2": [0.0]})
    np.testing.assert_allclose(rf.read(euler, "rotation:3").points, [[np.sqrt(0.5), 0, 0, np.sqrt(0.5)]], atol=1e-12)
    cube = rf.read(euler, "rotation:3/432").points
    assert rf.manifold("rotation:3/432").distance(cube[0], [1.0, 0.0, 0.0, 0.0]) == pytest.approx(0, abs=1e-7)
    # Matrices row by row.
    turned = pandas.DataFrame([[0.0, -1, 0, 1, 0, 0, 0, 0, 1]], columns=[f"r{i}{j}" for i in "123" for j in "123"])
    np.testing.assert_allclose(rf.read(turned, "rotation:3").points, [[np.sqrt(0.5), 0, 0, np.sqrt(0.5)]], atol=1e-12)
    # Both ends of an axis.
    ends = rf.read(pandas.DataFrame({"lat": [30.0, -30.0], "lon": [40.0, -140.0]}), "axis:2").points
    assert rf.manifold("axis:2").distance(*ends) == pytest.approx(0, abs=1e-7)
    # Proportions, of which points are the square roots.
    parts = pandas.DataFrame(rng.dirichlet([2, 3, 4], 5), columns=["p1", "p2", "p3"])
    np.testing.assert_allclose(rf.read(parts, "simplex:2").points ** 2, parts.to_numpy(), atol=1e-12)
    # The upper triangle, or all entries.
    whole = pandas.DataFrame([[2.0, 0.5, 0.5, 1.0]], columns=["s11", "s12", "s21", "s22"])
    np.testing.assert_allclose(rf.read(whole, "spd:2").points, [[2.0, 0.5, 1.0]])
    # Hours of any day.
    hours = rf.read(pandas.DataFrame({"hour": [25.0, -1.0], "size": [1.0, 2.0]}), "torus:1,L=24 x euclidean:1")
    np.testing.assert_allclose(hours.points, [[1.0, 1.0], [23.0, 2.0]])


def test_what_is_written_otherwise_is_told():
    with pytest.raises(rf.Error, match="sqrt"):
        rf.fit(np.random.default_rng(0).dirichlet([1, 2, 3], 30), "simplex:2")
    with pytest.raises(rf.Error, match="triu_indices"):
        rf.fit(np.stack([np.eye(2)] * 30), "spd:2")
    with pytest.raises(rf.Error, match="w x y z"):
        rf.fit(np.stack([np.eye(3)] * 30), "rotation:3")
    with pytest.raises(rf.Error, match="0 to 10"):
        rf.fit(np.linspace(-1, 9, 30), "interval:1,from=0,to=10")


def test_axes_of_matplotlib(space, points):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    if space == "euclidean:3":
        pytest.skip("drawn in two dimensions at most")
    density = rf.fit(points, space, **FITS["kde"])
    if density.manifold.dimension > 2 or space.startswith(("simplex", "hyperboloid")):
        with pytest.raises(rf.Error, match="format"):
            density.plot(points)
        return
    ax = density.plot(points)
    ends = {"interval:1,from=0,to=10": (0, 10), "torus:2,L=24;365": (0, 24), "torus:1,L=24 x euclidean:1": (0, 24)}
    if space in ends:
        curve = ax.lines[0].get_xdata() if density.manifold.dimension == 1 else np.array(ax.get_xlim())
        np.testing.assert_allclose([curve.min(), curve.max()], ends[space], atol=1e-9)
    plt.close("all")


def test_a_curve_over_the_hours():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    hours = np.random.default_rng(1).normal(23.5, 2, (100, 1)) % 24
    ax = rf.fit(hours, "torus:1,L=24", **FITS["kde"]).plot(hours)
    x, p = ax.lines[0].get_data()
    assert x[0] == 0 and 23.9 < x[-1] < 24 and p[0] == pytest.approx(p[-1], rel=0.01)
    assert np.sum(p) * (x[1] - x[0]) == pytest.approx(1, abs=1e-6)
    marks = ax.lines[1].get_xdata()
    assert marks.min() >= 0 and marks.max() < 24
    plt.close("all")


def test_surfaces_have_the_whole_mass():
    """The density times the volume of each cell; of both ends of an axis there is twice as much."""
    from riemflow._plot import _surface
    rng = np.random.default_rng(2)
    ends = normalised(rng.normal([1, 1, 0], 0.4, (N, 3)))
    hours = about("torus:1,L=24 x euclidean:1", rng)
    for space, x, images in (("axis:2", ends, 2), ("sphere:2,K=4", ends / 2, 1), ("torus:1,L=24 x euclidean:1", hours, 1),
                             ("axis:1 x interval:1", np.c_[normalised(ends[:, :2]), rng.beta(2, 2, N)], 2)):
        density = rf.fit(x, space, model="kde", kernel="one")
        # Far enough for the tails of what has no ends.
        across, up, shown, volume, labels, degrees = _surface(density, x, None, 20.0 if "euclidean" in space else None)
        mass = np.sum(shown * volume) * (across[1] - across[0]) * (up[1] - up[0])
        assert mass == pytest.approx(images, rel=2e-2 if "euclidean" in space else 2e-3), space
        assert len(labels) == 2 and degrees == space.startswith(("axis:2", "sphere")), space


@pytest.mark.parametrize("space", ["stiefel:2,1", "stiefel:3,1", "grassmann:2,1", "grassmann:3,1", "hyperboloid:2", "simplex:2"])
def test_what_has_no_axes_names_its_figure(space):
    pytest.importorskip("matplotlib").use("agg")
    manifold = rf.manifold(space)
    if np.isfinite(manifold.volume):
        x = manifold.random_uniform(N, seed=1)
    else:
        x = about(space, np.random.default_rng(1))
    density = rf.fit(x, space, **FITS["riemannian"])
    figure = "hyperbolic disk" if space.startswith("hyper") else "pairs of coordinates"
    with pytest.raises(rf.Error, match=f"format='png' for the library's figure: .*{figure}"):
        density.plot(x)
    assert density.plot(format="png", dpi=40)[:8] == b"\x89PNG\r\n\x1a\n"


def test_a_space_may_stand_for_its_name():
    space = rf.manifold("axis:2")
    assert rf.manifold(space) == space and rf.Manifold(space).name == "axis:2"
    x = about("axis:2", np.random.default_rng(1))
    by_name, by_space = (rf.fit(x, m, **FITS["kde"]).log_prob(x[:5]) for m in ("axis:2", space))
    np.testing.assert_array_equal(by_name, by_space)
    pandas = pytest.importorskip("pandas")
    ends = pandas.DataFrame({"lat": [30.0, -30.0], "lon": [40.0, -140.0]})
    assert rf.read(ends, space).manifold == "axis:2"
    for wrong in (7, ["axis:2"]):
        with pytest.raises(rf.Error, match="name it, as in 'sphere:2', or give a riemflow.Manifold"):
            rf.manifold(wrong)


def test_the_module_says_which_spaces_there_are():
    for word in ("orientations of crystals", "covariances", "proportions", "frames and subspaces", "above 0"):
        assert word in rf.__doc__.replace("\n", " ")
