"""Densities for PyTorch."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from .errors import Error

try:
    import torch
except ImportError as error:  # pragma: no cover
    raise Error("torch() needs PyTorch, which is not installed", "install it (Debian: python3-torch)", 2) from error


class _LogProb(torch.autograd.Function):
    """log p with the library's exact gradient in the points."""

    @staticmethod
    def forward(ctx: Any, points: Any, density: Any) -> Any:  # type: ignore[override,unused-ignore]
        flat = points.detach().reshape(-1, points.shape[-1]).cpu().double().numpy()
        if points.requires_grad:
            values, gradients = density.log_prob_gradient(flat)
            ctx.save_for_backward(torch.from_numpy(gradients).to(points).reshape(points.shape))
        else:
            values = density.log_prob(flat)
        return torch.from_numpy(np.ascontiguousarray(values)).to(points).reshape(points.shape[:-1])

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, output: Any) -> Tuple[Any, None]:
        (gradients,) = ctx.saved_tensors
        return output.unsqueeze(-1) * gradients, None


class TorchDensity:
    """A density as torch.distributions have it; `Density.torch` makes one.

    `log_prob` is differentiable once in the points, by the exact gradient of the library, which computes on the CPU in
    the precision of the model; tensors keep their device and type.
    """

    def __init__(self, density: Any) -> None:
        self.density = density
        self.batch_shape = torch.Size()
        self.event_shape = torch.Size([density.manifold.ambient])

    def log_prob(self, value: Any) -> Any:
        """Logarithms of the density [...] at points [..., ambient]."""
        if value.dim() == 0 or value.shape[-1] != self.event_shape[0]:
            raise Error(f"a tensor of shape {tuple(value.shape)}",
                        f"its last axis needs {self.event_shape[0]} numbers", 65)
        return _LogProb.apply(value, self.density)

    def sample(self, sample_shape: Any = torch.Size()) -> Any:
        """Draws [*sample_shape, ambient], seeded by torch's own generator."""
        shape = torch.Size(sample_shape)
        seed = int(torch.randint(0, 2**31 - 1, (1,)).item())
        draws = self.density.sample(shape.numel(), seed)
        return torch.from_numpy(draws).to(torch.get_default_dtype()).reshape(*shape, self.event_shape[0])
