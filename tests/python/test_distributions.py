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


def test_wrong_parameters():
    for wrong in (lambda: distributions.vmf([0, 0, 0], 1), lambda: distributions.vmf([0, 0, 1], -1),
                  lambda: distributions.uniform("ball:2"), lambda: distributions.mixture([1], []),
                  lambda: distributions.wrapped_normal([2.0, 0.0]), lambda: distributions.named("vmf", "sphere:2"),
                  lambda: distributions.vmf([0, 0, 1], 1).log_prob([[0, 1]])):
        with pytest.raises((rf.Error, IndexError)):
            wrong()
