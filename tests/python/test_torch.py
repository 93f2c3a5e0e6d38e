"""PyTorch, where it is."""

import numpy as np
import pytest

import riemflow as rf

torch = pytest.importorskip("torch")


def test_log_prob_is_differentiable_in_the_points(any_density, uniform_points):
    density = any_density.torch()
    points = torch.tensor(uniform_points[:10].reshape(2, 5, 3), requires_grad=True)
    values = density.log_prob(points)
    assert values.shape == (2, 5) and values.dtype == torch.float64
    np.testing.assert_allclose(values.detach().numpy().ravel(), any_density.log_prob(uniform_points[:10]), atol=1e-4)
    (values * torch.arange(10.0).reshape(2, 5)).sum().backward()
    _, gradients = any_density.log_prob_gradient(uniform_points[:10])
    np.testing.assert_allclose(points.grad.numpy().reshape(10, 3), np.arange(10)[:, None] * gradients, rtol=1e-12)


def test_a_plane_by_finite_differences():
    X = np.random.default_rng(1).normal(size=(100, 2))
    density = rf.KernelDensity("euclidean:2", bandwidth=0.5).fit(X).torch()
    assert torch.autograd.gradcheck(density.log_prob, torch.tensor(X[:5], requires_grad=True), eps=1e-4, atol=1e-4)


def test_samples_and_shapes(kernels):
    density = kernels.torch()
    torch.manual_seed(1)
    draws = density.sample((4, 2))
    assert draws.shape == (4, 2, 3) and draws.dtype == torch.get_default_dtype() and density.event_shape == (3,)
    torch.manual_seed(1)
    assert torch.equal(draws, density.sample((4, 2)))
    assert not torch.equal(draws, density.sample((4, 2)))
    with pytest.raises(rf.Error):
        density.log_prob(torch.zeros(4, 2))
