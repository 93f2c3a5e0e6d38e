#!/usr/bin/python3
"""Points of kinds that the settings of the default were not chosen on, with known densities, as CSV.

    experiments/scripts/other_kinds.py DIR
    for s in uniform vmf-mixture checkerboard fractal; do
      riemflow compare DIR/$s.csv --protocol distinct --methods kernel-one,kernel-local,kernel-anisotropic,kernels,auto --seeds 100-102
    done

truth.json has the mean -log density of each set's points under the density they were drawn from, in nats per
steradian; the fractal has no density.
"""
import json
import pathlib
import sys

import numpy as np

N, SEED = 3000, 20261118


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def uniform(rng):
    return unit(rng.normal(size=(N, 3))), np.full(N, np.log(4 * np.pi))


def vmf_mixture(rng):
    """Five of them, concentrations 5 to 300."""
    means, kappa, weights = unit(rng.normal(size=(5, 3))), np.geomspace(5, 300, 5), np.array([0.3, 0.25, 0.2, 0.15, 0.1])
    which = rng.choice(5, N, p=weights)
    k = kappa[which]
    cosine = 1 + np.log(rng.uniform(size=N) * (1 - np.exp(-2 * k)) + np.exp(-2 * k)) / k
    tangent = rng.normal(size=(N, 3))
    tangent = unit(tangent - (tangent * means[which]).sum(1, keepdims=True) * means[which])
    points = cosine[:, None] * means[which] + np.sqrt(np.maximum(0, 1 - cosine**2))[:, None] * tangent
    peaks = np.log(kappa / (2 * np.pi)) - np.log1p(-np.exp(-2 * kappa))
    density = np.exp(np.log(weights) + peaks + kappa * (points @ means.T - 1)).sum(1)
    return points, -np.log(density)


def checkerboard(rng):
    """Eight sectors of longitude by four bands of equal area, every other one full."""
    points = unit(rng.normal(size=(8 * N, 3)))
    sector = np.floor((np.arctan2(points[:, 1], points[:, 0]) + np.pi) / (np.pi / 4)).astype(int)
    band = np.floor((points[:, 2] + 1) * 2).clip(0, 3).astype(int)
    return points[(sector + band) % 2 == 0][:N], np.full(N, np.log(2 * np.pi))


def fractal(rng):
    """Offspring of offspring, each generation a fifth as far away."""
    points = unit(rng.normal(size=(N, 3)))
    parents = [unit(rng.normal(size=3))]
    for i in range(N):
        reach = 0.5 * 0.2 ** rng.integers(0, 5)
        points[i] = unit(parents[rng.integers(len(parents))] + reach * rng.normal(size=3))
        parents.append(points[i])
    return points, None


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    truth = {}
    for number, make in enumerate((uniform, vmf_mixture, checkerboard, fractal)):
        name = make.__name__.replace("_", "-")
        points, nll = make(np.random.default_rng([SEED, number]))
        np.savetxt(folder / f"{name}.csv", points, delimiter=",", header="x,y,z", comments="", fmt="%.9f")
        if nll is not None:
            truth[name] = round(float(nll.mean()), 4)
    (folder / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")
