"""The default of `riemflow fit` on synthetic rotations, beside the truth.

    PYTHONPATH=build/python python3 experiments/scripts/rotation_mixtures.py [--draws 50000] [--seeds 1] [--time-limit 60]

Mixtures of M wrapped normals on rotation:3 with means anywhere: M = 16, 32 and 64, sigma = 0.1 in an orthonormal basis
of the Frobenius metric, which is sqrt(2) times the angle, so 0.1/sqrt(2) radians; densities are with respect to the
volume 8 pi^2, as De Bortoli et al. (2022), who report 0.89, 0.20 and -0.49. Scores are of points of a draw of their own,
paired with the true density there, and beside minus the entropy. Writes experiments/results/rotation_mixtures.json and .md.
"""

import argparse
import datetime
import json
import math
import os
import platform
import subprocess
import time

import numpy as np

import riemflow as rf

SIGMA = 0.1 / math.sqrt(2)
TEST = 200000
PUBLISHED = {16: 0.89, 32: 0.20, 64: -0.49}


def product(a, b):
    w1, x1, y1, z1 = a.T
    w2, x2, y2, z2 = b.T
    return np.stack([w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2, w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
                     w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2, w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2], 1)


def means(M):
    q = np.random.default_rng(1000 + M).normal(size=(M, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def draws(M, n, seed):
    rng = np.random.default_rng([seed, M])
    v = SIGMA * rng.normal(size=(n, 3))
    t = np.linalg.norm(v, axis=1, keepdims=True)
    turn = np.concatenate([np.cos(t / 2), np.sin(t / 2) * v / t], 1)
    return product(means(M)[rng.integers(M, size=n)], turn)


def log_density(M, q):
    """Of the normal in the tangent space at each mean, whose turns beyond half a turn are 44 deviations away; the volume
    of a ball of rotations of angle t is (sin(t/2)/(t/2))^2 times the flat one."""
    half = np.arccos(np.clip(np.abs(q @ means(M).T), 0, 1))
    t = 2 * half
    stretch = 2 * np.log(np.sinc(half / np.pi))
    log_normal = -0.5 * (t / SIGMA) ** 2 - 1.5 * math.log(2 * math.pi * SIGMA**2) - stretch
    most = log_normal.max(1)
    return most + np.log(np.exp(log_normal - most[:, None]).mean(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=50000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--time-limit", type=float, default=60)
    options = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    commit = subprocess.run(["git", "-C", here, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    result = {"command": "experiments/scripts/rotation_mixtures.py", "options": vars(options), "rows": [],
              "commit": commit.stdout.strip(), "machine": f"{os.cpu_count()} cores, {platform.machine()}",
              "date": datetime.date.today().isoformat(), "sigma_radians": SIGMA, "published": PUBLISHED}
    for M in PUBLISHED:
        for seed in range(1, options.seeds + 1):
            start = time.time()
            density = rf.fit(draws(M, options.draws, 2 * seed), manifold="rotation:3", time_limit=options.time_limit,
                             seed=seed)
            seconds = time.time() - start
            test = draws(M, TEST, 2 * seed + 1)
            entropy = -log_density(M, draws(M, 1000000, 2 * seed + 1)).mean()
            own, truth = density.log_prob(test), log_density(M, test)
            gap = truth - own
            mass = density.mass()
            result["rows"].append({
                "components": M, "seed": seed, "log_likelihood": own.mean(), "truth_at_the_same_points": truth.mean(),
                "below_the_truth": gap.mean(), "standard_error": gap.std() / math.sqrt(len(gap)),
                "minus_the_entropy": -entropy, "below_minus_the_entropy": -entropy - own.mean(), "mass": mass.value, "mass_error": mass.error, "seconds": seconds})
            print(result["rows"][-1], flush=True)
    lines = ["# Mixtures of normals on rotations", "", f"Draws of mixtures of M wrapped normals on rotations: {options.draws} draws, default fit of "
             f"{options.time_limit:g} s, scored on {TEST} others.", "",
             f"`{result['command']}`, commit {result['commit']}, {result['machine']}, {result['date']}.", "",
             "| M | seed | log-likelihood | the true density there | below it | minus the entropy | below that | published (RSGM) | mass | s |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for row in result["rows"]:
        lines.append("| {components} | {seed} | {log_likelihood:.4f} | {truth_at_the_same_points:.4f} | "
                     "{below_the_truth:.4f} ± {standard_error:.4f} | {minus_the_entropy:.4f} | {below_minus_the_entropy:.4f} | ".format(**row) +
                     f"{PUBLISHED[row['components']]:.2f} | {row['mass']:.6f} | {row['seconds']:.0f} |")
    to = os.path.join(here, "..", "results", "rotation_mixtures")
    with open(to + ".json", "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    with open(to + ".md", "w") as file:
        file.write("\n".join(lines) + "\n")


main()
