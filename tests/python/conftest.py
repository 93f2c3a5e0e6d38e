"""Small densities of every kind, made once. RIEMFLOW_TOOL: the tool, for what is compared with it."""

import os

import numpy as np
import pytest

import riemflow as rf


@pytest.fixture(scope="session")
def tool():
    path = os.environ.get("RIEMFLOW_TOOL")
    if not path:
        pytest.skip("RIEMFLOW_TOOL is not set")
    return path


@pytest.fixture(scope="session")
def sphere_points():
    return rf.distributions.mixture([0.7, 0.3], [rf.distributions.vmf([0, 0, 1], 30),
                                                 rf.distributions.vmf([1, 1, 0], 8)]).sample(600, seed=3)


@pytest.fixture(scope="session")
def kernels(sphere_points):
    return rf.fit(sphere_points, "sphere:2", model="kde", kernel="local")


@pytest.fixture(scope="session")
def flow(sphere_points):
    return rf.Flow("sphere:2", width=16, depth=2, iterations=60).fit(sphere_points)


@pytest.fixture(scope="session")
def mixture(sphere_points):
    return rf.VonMisesFisherMixture("sphere:2", components=4, optimizer="em").fit(sphere_points)


@pytest.fixture(scope="session")
def pool(kernels, flow, mixture):
    return rf.Pool.of([kernels, flow, mixture], [0.5, 0.3, 0.2])


@pytest.fixture(scope="session", params=["kernels", "flow", "mixture", "pool"])
def any_density(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def uniform_points():
    return rf.manifold("sphere:2").random_uniform(500, seed=11)


@pytest.fixture
def rng():
    return np.random.default_rng(5)
