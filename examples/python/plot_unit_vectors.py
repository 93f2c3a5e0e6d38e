"""
Unit vectors: which model, and is it good enough?
=================================================

Directions in space are unit vectors: of magnetisation, of motion, of the normals of a fault.
This example fits three models to such vectors, compares them on vectors that none of them has
seen, and then asks the harder question: is the best of them *right*?
"""

from io import BytesIO

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

import riemflow as rf

# %%
# The data
# --------
#
# The vectors are simulated: two thirds lie along a band around a great circle, one third in a
# cluster. Models that are made of round clusters find a band hard.

rng = np.random.default_rng(1)


def normalised(v):
    return v / np.linalg.norm(v, axis=1, keepdims=True)


angle = rng.uniform(-np.pi, np.pi, 2000)
height = 0.12 * rng.normal(size=2000)
band = normalised(np.stack([np.cos(angle), np.sin(angle), height], axis=1))
cluster = normalised(np.array([0.4, 0.0, 0.9]) + 0.15 * rng.normal(size=(1000, 3)))
vectors = rng.permutation(np.concatenate([band, cluster]))
known, held_out = vectors[:2000], vectors[2000:]

# %%
# Three models
# ------------
#
# A *von Mises–Fisher distribution* is the sphere's round bump; a mixture of a few of them is
# the classical model. A *kernel density* is a small bump on each data point, whose width is
# chosen by how well the bumps predict points that are left out.

models = {
    "2 von Mises–Fisher": rf.VonMisesFisherMixture("sphere:2", components=2).fit(known),
    "12 von Mises–Fisher": rf.VonMisesFisherMixture("sphere:2", components=12).fit(known),
    "kernel density": rf.KernelDensity("sphere:2", kernel="local").fit(known),
}

# %%
# The held-out log-likelihood
# ---------------------------
#
# The score of a model is the mean log-density of the held-out vectors, in *nats* (natural
# logarithms; higher is better here). A difference of 0.1 means that one model gives each
# vector, on average, 1.105 times the probability of the other.

for name, density in models.items():
    score = density.score(held_out)
    print(f"{name:20s} {score.mean:7.3f} ± {score.standard_error:.3f}")

# %%
# Is it right?
# ------------
#
# A score says which model is better, and not whether it is good. If a model is right, held-out
# vectors are distributed as its own samples are. Then the rank of a vector's log-density among
# those of the samples is uniform between 0 and 1. This is a *probability integral transform*,
# and works in any dimension. A pile of ranks near 0 are vectors that the model holds unlikely,
# and yet there they are.

fig, axes = plt.subplots(1, len(models), figsize=(10, 3.2), sharey=True)
for ax, (name, density) in zip(axes, models.items()):
    drawn = np.sort(density.log_prob(density.sample(10_000, seed=3)))
    ranks = np.searchsorted(drawn, density.log_prob(held_out)) / len(drawn)
    test = stats.kstest(ranks, "uniform")
    ax.hist(ranks, bins=20, range=(0, 1), density=True, color="tab:blue", alpha=0.7)
    ax.axhline(1, color="black", linewidth=1)
    ax.set_title(f"{name}\np = {test.pvalue:.1g}", fontsize="medium")
    ax.set_xlabel("rank of log-density")
axes[0].set_ylabel("share of vectors")
fig.tight_layout()
plt.show()

# %%
# The p of a *Kolmogorov–Smirnov test* is the probability of ranks at least as uneven as these
# if the model were right. Two bumps cannot be a band, and the ranks say so. Those of the kernel
# density are nearly even; where low ranks are a little too rare, its bumps are a little too
# wide, so that its own samples stray farther than the data do.
#
# The best by score, on the sphere:

best = max(models, key=lambda name: models[name].score(held_out).mean)
png = models[best].plot(
    format="png", projection="orthographic", center=(30, -20), coastlines=False, dpi=150
)
plt.figure(figsize=(5.4, 4.4))
plt.imshow(plt.imread(BytesIO(png)))
plt.axis("off")
plt.title(best)
plt.tight_layout()
plt.show()
