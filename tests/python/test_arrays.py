"""What may be given as points, and what is said of what may not."""

import gc
import resource

import numpy as np
import pytest

import riemflow as rf


def test_float32_strided_big_endian_and_lists_are_the_same_points(kernels, uniform_points):
    points = uniform_points.astype(np.float32)
    points /= np.linalg.norm(points.astype(np.float64), axis=1)[:, None].astype(np.float32)
    exact = points.astype(np.float64)
    want = kernels.log_prob(exact)
    np.testing.assert_array_equal(kernels.log_prob(points), want)
    np.testing.assert_array_equal(kernels.log_prob(exact.astype(">f8")), want)
    np.testing.assert_array_equal(kernels.log_prob(np.asfortranarray(exact)), want)
    wide = np.zeros((len(exact), 6))
    wide[:, ::2] = exact
    np.testing.assert_array_equal(kernels.log_prob(wide[:, ::2]), want)
    np.testing.assert_array_equal(kernels.log_prob(exact[::-1])[::-1], want)
    np.testing.assert_array_equal(kernels.log_prob(exact.tolist()), want)
    np.testing.assert_array_equal(kernels.log_prob([[0, 0, 1]]), kernels.log_prob([[0.0, 0.0, 1.0]]))


def test_empty_arrays_give_empty_answers(any_density):
    assert any_density.log_prob(np.empty((0, 3))).shape == (0,)
    values, gradients = any_density.log_prob_gradient(np.empty((0, 3)))
    assert values.shape == (0,) and gradients.shape == (0, 3)
    assert np.isnan(any_density.score(np.empty((0, 3))).mean)


@pytest.mark.parametrize("points, words", [
    (np.zeros((2, 2)), "needs 3 numbers"),
    (np.zeros(3), "2D"),
    (np.zeros((1, 1, 3)), "3D"),
    ([[0, 0, np.nan]], "point 0.*coordinate 3"),
    ([[0, 0, 1], [0, np.inf, 0]], "point 1.*coordinate 2"),
    ([[0, 0, 1], [0, 0, 2]], "point 1 is not on sphere:2"),
    ([["a", "b", "c"]], "no number"),
    (np.zeros((1, 3), dtype=complex), "Complex"),
    ([[0, 0, 1], [0, 0]], "array"),
])
def test_wrong_points_are_named(any_density, points, words):
    with pytest.raises((rf.Error, TypeError), match=words):
        any_density.log_prob(points)


def test_the_index_is_of_the_whole_array(kernels, uniform_points):
    points = np.tile(uniform_points, (80, 1))  # more than one chunk
    points[[38_000, 33_333, 33_334]] = [0, 0, 0.5]  # in two pieces of work
    with pytest.raises(rf.Error, match="point 33333 is not on sphere:2"):
        kernels.log_prob(points)


def test_one_number_a_point_may_be_one_axis():
    circle = rf.KernelDensity("torus:1", bandwidth=0.3).fit([0.0, 0.1, 3.0])
    np.testing.assert_array_equal(circle.log_prob([0.5, 1.0]), circle.log_prob([[0.5], [1.0]]))


def test_points_are_left_as_they_are(kernels, uniform_points):
    points = uniform_points.copy()
    points.setflags(write=False)
    kernels.log_prob(points)
    rf.fit(points, "sphere:2", model="kde", kernel="one")
    np.testing.assert_array_equal(points, uniform_points)


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_large_arrays_are_read_where_they_lie():
    """48 MB of points: what is added is the result and a chunk."""
    wide = rf.KernelDensity("sphere:2", bandwidth=0.5).fit([[0.0, 0.0, 1.0]])
    for dtype in (np.float64, np.float32):
        points = np.zeros((2_000_000, 3), dtype=dtype)
        points[:, 2] = 1
        wide.log_prob(points[:100_000])
        before = peak()
        values = wide.log_prob(points)
        assert peak() - before < values.nbytes * 2 + 8e6
        del values


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_memory_does_not_grow_over_a_thousand_calls(pool, uniform_points):
    points = uniform_points[:64]

    def call():
        pool.log_prob(points)
        pool.log_prob_gradient(points[:16])
        pool.sample(16)
        pool.score(points[:16])
        with pytest.raises(rf.Error):
            pool.log_prob([[0, 0, 2]])

    for _ in range(100):
        call()
    gc.collect()
    before = resident()
    for _ in range(1000):
        call()
    gc.collect()
    assert resident() - before < 4e6
