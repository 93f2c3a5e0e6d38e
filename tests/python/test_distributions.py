"""Closed forms against formulas of scipy."""

import pickle

import numpy as np
import pytest

import riemflow as rf
from riemflow import distributions


@pytest.mark.parametrize("d", [1, 2, 5, 20])
@pytest.mark.parametrize("kappa", [1e-3, 1.0, 50.0, 1e4])
def test_vmf_is_the_formula(d, kappa):
    special = pytest.importorskip("scipy.special")
    mu = np.random.default_rng(d).normal(size=d + 1)
    mu /= np.linalg.norm(mu)
    vmf = distributions.vmf(3 * mu, kappa)
    x = vmf.sample(50, seed=1)
    order = (d + 1) / 2 - 1
    log_bessel = np.log(special.ive(order, kappa)) + kappa
    log_constant = order * np.log(kappa) - (d + 1) / 2 * np.log(2 * np.pi) - log_bessel
    np.testing.assert_allclose(vmf.log_prob(x), log_constant + kappa * x @ mu, atol=1e-8 * (1 + kappa))
    _, gradients = vmf.log_prob_gradient(x)
    tangent = lambda v: v - (v * x).sum(axis=1)[:, None] * x
    np.testing.assert_allclose(tangent(gradients), tangent(np.broadcast_to(kappa * mu, x.shape)), atol=1e-8 * (1 + kappa))
    ratio = special.ive(order + 1, kappa) / special.ive(order, kappa)
    assert vmf.entropy() == pytest.approx(-log_constant - kappa * ratio, abs=1e-7 * (1 + kappa))


def test_draws_have_the_mean_of_the_formula():
    x = distributions.vmf([0, 0, 1], 10).sample(20_000, seed=1)
    np.testing.assert_allclose(x.mean(axis=0), [0, 0, 1 / np.tanh(10) - 0.1], atol=0.02)


def test_others():
    assert distributions.uniform("torus:2").entropy() == pytest.approx(2 * np.log(2 * np.pi))
    stats = pytest.importorskip("scipy.stats")
    x = np.random.default_rng(1).normal(size=(10, 3))
    np.testing.assert_allclose(distributions.normal(3).log_prob(x), stats.multivariate_normal(np.zeros(3)).logpdf(x))
    wrapped = distributions.wrapped_normal([0.0, 0.0], 0.25)
    ball = rf.manifold("ball:2,K=-1")
    y = wrapped.sample(20, seed=1)
    r = ball.distance(np.zeros(2), y)
    np.testing.assert_allclose(wrapped.log_prob(y), -np.log(2 * np.pi * 0.25) - r**2 / 0.5 - np.log(np.sinh(r) / r))
    both = distributions.product([distributions.vmf([0, 0, 1], 5), distributions.uniform("torus:1")])
    z = both.sample(10, seed=2)
    np.testing.assert_allclose(both.log_prob(z), distributions.vmf([0, 0, 1], 5).log_prob(z[:, :3]) - np.log(2 * np.pi))


def test_mixtures_and_names():
    parts = [distributions.vmf([0, 0, 1], 10), distributions.vmf([1, 0, 0], 20)]
    two = distributions.mixture([3, 7], parts)
    x = two.sample(1000, seed=3)
    want = np.log(0.3 * np.exp(parts[0].log_prob(x)) + 0.7 * np.exp(parts[1].log_prob(x)))
    np.testing.assert_allclose(two.log_prob(x), want, atol=1e-10)
    again = distributions.named("0.3*vmf:mu=0;0;1,kappa=10 + 0.7*vmf:mu=1;0;0,kappa=20", "sphere:2")
    np.testing.assert_allclose(again.log_prob(x), want, atol=1e-10)
    assert two.entropy() == pytest.approx(-want.mean(), abs=0.15)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(two)).log_prob(x), two.log_prob(x))


def test_a_manifold_may_stand_for_its_name():
    for made in (lambda m: distributions.named("vmf:mu=0;0;1,kappa=10", m), distributions.uniform):
        by_name, by_space = made("sphere:2"), made(rf.manifold("sphere:2"))
        assert by_space.manifold == by_name.manifold
        np.testing.assert_array_equal(by_space.log_prob([[0, 0.6, 0.8]]), by_name.log_prob([[0, 0.6, 0.8]]))
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(by_space)).sample(3), by_name.sample(3))


def test_what_is_no_point_is_named():
    for density, good, wrong, why in (
            (distributions.vmf([0, 0, 1], 1), [0, 0, 1], [0, 0, 1.5], "norm"),
            (distributions.matrix_fisher(np.eye(3)), [1, 0, 0, 0], [1, 1, 0, 0], "norm"),
            (distributions.wrapped_normal([0.0, 0.0]), [0.5, 0], [1, 0.5], "ball"),
            (distributions.normal(2), [1, 2], [1, np.nan], "coordinate 2 of 2 is nan")):
        assert np.isfinite(density.log_prob([good])).all()
        for asked in (density.log_prob, density.log_prob_gradient):
            with pytest.raises(rf.Error, match=why) as error:
                asked([good, good, wrong])
            assert error.value.code == 65 and "point 2 " in str(error.value)


def test_wrong_parameters():
    for wrong in (lambda: distributions.vmf([0, 0, 0], 1), lambda: distributions.vmf([0, 0, 1], -1),
                  lambda: distributions.uniform("ball:2"), lambda: distributions.mixture([1], []),
                  lambda: distributions.wrapped_normal([2.0, 0.0]), lambda: distributions.named("vmf", "sphere:2"),
                  lambda: distributions.vmf([0, 0, 1], 1).log_prob([[0, 1]])):
        with pytest.raises((rf.Error, IndexError)):
            wrong()


def _sphere_grid(n=400):
    """Midpoints of S^2 in height and longitude, and the area of each."""
    z = -1 + 2 * (np.arange(n) + 0.5) / n
    a = 2 * np.pi * (np.arange(2 * n) + 0.5) / (2 * n)
    z, a = (v.ravel() for v in np.meshgrid(z, a, indexing="ij"))
    r = np.sqrt(1 - z**2)
    return np.stack([r * np.cos(a), r * np.sin(a), z], axis=1), 4 * np.pi / len(z)


_ON_SPHERE = {
    "watson": lambda d: d.watson([1, 2, -2], 6.0),
    "girdle": lambda d: d.watson([1, 2, -2], -6.0),
    "bingham": lambda d: d.bingham([[1, 2, 0], [2, -5, 0.5], [0, 0.5, 3]]),
    "kent": lambda d: d.kent([1, 2, -2], [0, 1, 1], 12.0, 5.0),
    "acg": lambda d: d.angular_central_gaussian([[2, 1, 0], [1, 3, 0], [0, 0, 1]]),
}


@pytest.mark.parametrize("which", list(_ON_SPHERE))
def test_directional_densities_have_mass_one_and_the_entropy(which):
    p = _ON_SPHERE[which](distributions)
    assert p.manifold.name == "sphere:2"
    x, area = _sphere_grid()
    log_p = p.log_prob(x)
    assert np.exp(log_p).sum() * area == pytest.approx(1, abs=1e-4)
    assert -(np.exp(log_p) * log_p).sum() * area == pytest.approx(p.entropy(), abs=3e-4)
    draws = p.sample(20_000, seed=3)
    np.testing.assert_allclose(np.linalg.norm(draws, axis=1), 1, atol=1e-12)
    second = (x * (np.exp(log_p) * area)[:, None]).T @ x
    np.testing.assert_allclose(draws.T @ draws / len(draws), second, atol=0.02)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(p)).log_prob(x[:50]), log_p[:50])
    again = distributions.named(p.name, "sphere:2")
    np.testing.assert_allclose(again.log_prob(x[:50]), log_p[:50], atol=1e-10)


def test_formulas_of_scipy():
    special = pytest.importorskip("scipy.special")
    for d in (1, 2, 6):
        for kappa in (-40.0, -1.0, 0.5, 60.0):
            mu = np.random.default_rng(d).normal(size=d + 1)
            mu /= np.linalg.norm(mu)
            p = distributions.watson(mu, kappa)
            x = p.sample(20, seed=1)
            log_area = np.log(2) + (d + 1) / 2 * np.log(np.pi) - special.gammaln((d + 1) / 2)
            want = kappa * (x @ mu)**2 - log_area - np.log(special.hyp1f1(0.5, (d + 1) / 2, kappa))
            np.testing.assert_allclose(p.log_prob(x), want, atol=1e-9)
            np.testing.assert_allclose(distributions.bingham(kappa * np.outer(mu, mu)).log_prob(x), want, atol=1e-9)
    p = distributions.bivariate_von_mises([0.3, -2.0], [4.0, 2.0], -5.0)
    a = 2 * np.pi * (np.arange(200) + 0.5) / 200 - np.pi
    grid = np.stack([v.ravel() for v in np.meshgrid(a, a)], axis=1)
    assert np.exp(p.log_prob(grid)).sum() * (2 * np.pi / 200)**2 == pytest.approx(1, abs=1e-10)
    want = 4 * np.cos(grid[:, 0] - 0.3) + 2 * np.cos(grid[:, 1] + 2) - 5 * np.sin(grid[:, 0] - 0.3) * np.sin(grid[:, 1] + 2)
    np.testing.assert_allclose(np.diff(p.log_prob(grid)), np.diff(want), atol=1e-10)
    np.testing.assert_allclose(distributions.named(p.name, "torus:2").log_prob(grid), p.log_prob(grid), atol=1e-10)


def test_matrix_fisher_is_the_trace_on_rotations():
    rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    matrix = np.array([[5.0, 1.0, -2.0], [0.0, 3.0, 1.0], [2.0, 0.0, -1.0]])
    p = distributions.matrix_fisher(matrix)
    assert p.manifold.name == "rotation:3" and p.manifold.contains(p.sample(10)).all()
    q = rotation.random(200, random_state=1)
    wxyz = np.roll(q.as_quat(), 1, axis=1)
    trace = np.einsum("ij,nij->n", matrix, q.as_matrix())
    np.testing.assert_allclose(np.diff(p.log_prob(wxyz)), np.diff(trace), atol=1e-10)
    uniform = np.roll(rotation.random(200_000, random_state=2).as_quat(), 1, axis=1)
    share = np.exp(p.log_prob(uniform)) * 8 * np.pi**2
    assert share.mean() == pytest.approx(1, abs=5 * share.std() / np.sqrt(len(share)))
    fitted = distributions.fit_matrix_fisher(p.sample(40_000, seed=5))
    np.testing.assert_allclose(fitted.parameters["matrix"], matrix, atol=0.4)


def test_fits_come_back_and_use_weights():
    cases = [(distributions.watson([0.6, 0, 0.8], -9.0), distributions.fit_watson),
             (distributions.bingham([-20.0, -5.0, 0.0]), distributions.fit_bingham),
             (distributions.matrix_fisher(np.diag([9.0, 4.0, 2.0])), distributions.fit_matrix_fisher),
             (distributions.kent([0, 0, 1], [1, 0, 0], 50.0, 20.0), distributions.fit_kent),
             (distributions.angular_central_gaussian([1.0, 1.0, 4.0]), distributions.fit_angular_central_gaussian),
             (distributions.bivariate_von_mises([-1.0, 3.0], [5.0, 3.0], 2.0), distributions.fit_bivariate_von_mises)]
    for truth, fit in cases:
        x = truth.sample(4000, seed=7)
        fitted = fit(x)
        assert fitted.manifold.name == truth.manifold.name
        gain = (fitted.log_prob(x) - truth.log_prob(x)).mean()
        assert 0 < gain < 10 / len(x)  # half a χ² of the number of parameters
        assert fitted.log_prob(x).mean() == pytest.approx(-fitted.entropy(), abs=1e-6) or fit is distributions.fit_angular_central_gaussian
        weights = np.zeros(len(x))
        weights[:1000] = 3
        np.testing.assert_allclose(fit(x, weights).log_prob(x), fit(x[:1000]).log_prob(x), atol=1e-6)
        with pytest.raises(rf.Error):
            fit(np.repeat(x[:1], 10, axis=0))
        with pytest.raises(rf.Error):
            fit(x, weights[:5])
        with pytest.raises(rf.Error):
            fit(np.full((4, x.shape[1]), np.nan))


def test_wrong_parameters_of_directional_densities():
    for wrong in (lambda: distributions.watson([0, 0, 0], 1), lambda: distributions.watson([0, 0, 1], np.inf),
                  lambda: distributions.bingham([[0, 1], [0, 0]]), lambda: distributions.kent([0, 0, 1], [1, 0, 0], 2, 1),
                  lambda: distributions.kent([0, 1], [1, 0, 0], 2, 0), lambda: distributions.matrix_fisher(np.eye(2)),
                  lambda: distributions.angular_central_gaussian([1, -1, 1]),
                  lambda: distributions.bivariate_von_mises([0, 0], [1, -1]),
                  lambda: distributions.bivariate_von_mises([0, 0], 1)):
        with pytest.raises(rf.Error):
            wrong()
