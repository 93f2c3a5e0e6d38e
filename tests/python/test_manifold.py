"""The laws of the maps, on arrays of any shape."""

import pickle

import numpy as np
import pytest

import riemflow as rf

NAMES = ["sphere:1", "sphere:2", "sphere:5,K=0.25", "torus:3", "ball:2,K=-1", "ball:3,K=-0.5", "euclidean:2",
         "sphere:2 x torus:1", "hyperboloid:2", "spd:2", "interval:1,from=-2,to=6", "simplex:3", "torus:2,L=24;365", "rotation:3",
         "rotation:3/432", "axis:2", "rotation:3 x euclidean:3"]


def points_of(manifold, n, seed):
    if np.isfinite(manifold.volume):
        return manifold.random_uniform(n, seed)
    origin = np.tile(manifold.project(np.zeros(manifold.ambient)), (n, 1))
    steps = 0.5 * np.random.default_rng(seed).normal(size=(n, manifold.dimension, 1))
    return manifold.exp(origin, (steps * manifold.frame(origin)).sum(axis=1))


@pytest.mark.parametrize("name", NAMES)
def test_laws(name):
    manifold = rf.manifold(name)
    x, y = points_of(manifold, 50, 1), points_of(manifold, 50, 2)
    assert manifold.contains(x).all() and manifold.contains(manifold.project(x)).all()
    v = manifold.log(x, y)
    np.testing.assert_allclose(manifold.distance(manifold.exp(x, v), y), 0, atol=1e-7)
    np.testing.assert_allclose(np.sqrt(manifold.inner(x, v, v)), manifold.distance(x, y), rtol=1e-9)
    np.testing.assert_allclose(manifold.distance(x, y), manifold.distance(y, x), rtol=1e-9)
    np.testing.assert_allclose(manifold.transport(x, y, v), -manifold.log(y, x), atol=1e-7)
    frame = manifold.frame(x)
    assert frame.shape == (50, manifold.dimension, manifold.ambient)
    for i in range(manifold.dimension):
        for j in range(manifold.dimension):
            np.testing.assert_allclose(manifold.inner(x, frame[:, i], frame[:, j]), float(i == j), atol=1e-12)
    np.testing.assert_allclose(manifold.to_tangent(x, v), v, atol=1e-12)


def test_shapes_broadcast():
    sphere = rf.manifold("sphere:2")
    x = sphere.random_uniform(6, 1).reshape(2, 3, 3)
    pole = np.array([0.0, 0.0, 1.0])
    assert sphere.distance(x, pole).shape == (2, 3) and sphere.exp(x, 0 * x).shape == (2, 3, 3)
    assert sphere.frame(x).shape == (2, 3, 2, 3) and sphere.contains(x).shape == (2, 3)
    assert np.ndim(sphere.distance(pole, pole)) == 0 and sphere.contains(pole)
    np.testing.assert_allclose(sphere.distance(x, pole), np.arccos(x[..., 2]), atol=1e-7)
    for wrong in (np.zeros(2), np.zeros((4, 2)), 3.0):
        with pytest.raises(rf.Error):
            sphere.distance(wrong, pole)
    with pytest.raises(rf.Error, match="broadcast"):
        sphere.distance(np.zeros((4, 3)), np.zeros((5, 3)))


def test_names():
    assert rf.manifold("ball:2").name == "ball:2,K=-1" or rf.manifold("ball:2").name == "ball:2"
    assert rf.manifold("sphere:2") == pickle.loads(pickle.dumps(rf.manifold("sphere:2")))
    assert rf.manifold("sphere:2").volume == pytest.approx(4 * np.pi) and np.isinf(rf.manifold("ball:2").volume)
    for wrong in ("spere:2", "sphere:0", "sphere", "ball:2,K=1"):
        with pytest.raises(rf.Error):
            rf.manifold(wrong)
    with pytest.raises(rf.Error):
        rf.manifold("ball:2").random_uniform(3)
