"""Against scikit-learn and scipy."""

import numpy as np
import pytest

import riemflow as rf


def test_one_bandwidth_on_the_plane_is_scikit_learns():
    neighbors = pytest.importorskip("sklearn.neighbors")
    logsumexp = pytest.importorskip("scipy.special").logsumexp
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 2)) @ np.array([[1.0, 0.3], [0.0, 0.5]])
    at = rng.normal(size=(400, 2)) * 1.5
    for bandwidth in (0.1, 0.5, 2.0):
        theirs = neighbors.KernelDensity(bandwidth=bandwidth).fit(X).score_samples(at)
        ours = rf.KernelDensity("euclidean:2", bandwidth=bandwidth, wide=1e-300).fit(X).log_prob(at)
        # Farther out theirs is off, by up to 97 nats at -519; the sum itself tells. At exp(-690) the base begins.
        square = ((at[:, None] - X) ** 2).sum(axis=2)
        exact = logsumexp(-square / (2 * bandwidth**2), axis=1) - np.log(len(X) * 2 * np.pi * bandwidth**2)
        np.testing.assert_allclose(ours[exact > -600], exact[exact > -600], atol=1e-6)
        np.testing.assert_allclose(ours[exact > -15], theirs[exact > -15], atol=1e-6)
        assert np.sum(exact > -15) > 250


def test_on_the_sphere_ours_has_mass_one_and_haversine_has_not():
    neighbors = pytest.importorskip("sklearn.neighbors")
    X = rf.distributions.vmf([0.6, 0, 0.8], 5).sample(300, seed=1)
    lat, lon = rf.to_latlon(X)
    z, weights = np.polynomial.legendre.leggauss(60)
    angle = 2 * np.pi * np.arange(120) / 120
    latitudes, longitudes = np.meshgrid(np.degrees(np.arcsin(z)), np.degrees(angle), indexing="ij")

    def mass(log_density):
        return float(weights @ np.exp(log_density.reshape(60, 120)).mean(axis=1) * 2 * np.pi)

    ours = rf.KernelDensity("sphere:2", bandwidth=0.4).fit(X).log_prob(
        rf.from_latlon(latitudes.ravel(), longitudes.ravel()))
    theirs = neighbors.KernelDensity(bandwidth=0.4, metric="haversine").fit(np.radians(np.stack([lat, lon], 1)))
    theirs = theirs.score_samples(np.radians(np.stack([latitudes.ravel(), longitudes.ravel()], 1)))
    assert mass(ours) == pytest.approx(1, abs=1e-6)
    assert abs(mass(theirs) - 1) > 0.01
