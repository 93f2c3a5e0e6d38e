"""
Rotations and poses: when is a matrix Fisher distribution enough?
=================================================================

The pose of a camera, a joint or a molecule is a rotation, or a rotation and a place. The classical
density of rotations is the *matrix Fisher distribution*, which has one peak. Here it is compared
with the default fit of :func:`riemflow.fit`, on data that it suits and on data that it does not.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.transform import Rotation

import riemflow as rf

# %%
# The data
# --------
#
# The first poses scatter about one rotation, and are draws of a matrix Fisher distribution. The
# second are those of a telephone in a hand: upright or on its side, and turned with the arm, by
# up to a right angle, about the vertical.
#
# Points on ``rotation:3`` are unit quaternions w x y z, with w *first*; SciPy has it last. q and −q
# are the same rotation, and have the same density.

rng = np.random.default_rng(0)


def quaternions(rotations):
    return rotations.as_quat()[:, [3, 0, 1, 2]]


n = 1500
tilt = Rotation.from_euler("zyx", [30, 20, 10], degrees=True).as_matrix()
simple = rf.distributions.matrix_fisher(tilt @ np.diag([20.0, 10.0, 4.0])).sample(n, seed=1)

side = np.where(rng.random(n) < 0.7, 0, np.pi / 2)
turn = np.radians(rng.uniform(-90, 90, n))
hand = (
    Rotation.from_rotvec(turn[:, None] * [0, 0, 1])
    * Rotation.from_rotvec(side[:, None] * [0, 1, 0])
    * Rotation.from_rotvec(0.12 * rng.normal(size=(n, 3)))
)
data = {"one peak": simple, "telephone": quaternions(hand)}

# %%
# Held-out rotations
# ------------------
#
# A fifth of the rotations is kept aside. The score of a model is the mean log-density of those, in
# nats per rotation; higher is better. Distances are angles of rotation, and all rotations have the
# volume 8π², so that the uniform density scores −log 8π².

print(f"uniform: {-np.log(8 * np.pi**2):.3f}")
models = {}
for name, q in data.items():
    known, held_out = q[: n * 4 // 5], q[n * 4 // 5 :]
    fisher = rf.distributions.fit_matrix_fisher(known)
    default = rf.fit(known, "rotation:3", time_limit=4)
    models[name] = fisher, default
    gain = default.log_prob(held_out) - fisher.log_prob(held_out)
    error = gain.std() / np.sqrt(len(gain))
    print(
        f"{name}: matrix Fisher {fisher.log_prob(held_out).mean():.3f}, "
        f"default {default.score(held_out).mean:.3f}, difference {gain.mean():.3f} ± {error:.3f}"
    )

# %%
# Where the data are of its kind, nothing beats the matrix Fisher distribution but by chance. The
# telephone's poses have two peaks, long ones, and there it has to lose: it has one broad peak.
#
# The axis-angle picture
# ----------------------
#
# A rotation vector has the direction of the axis and the length of the angle. The vectors fill a
# ball of radius 180°, whose opposite ends are the same rotation. Here are those of held-out poses
# of the telephone, and as many draws of each model.


def rotation_vectors(q):
    return np.degrees(Rotation.from_quat(q[:, [1, 2, 3, 0]]).as_rotvec())


held_out = data["telephone"][n * 4 // 5 :]
fisher, default = models["telephone"]
shown = {
    "held-out poses": held_out,
    "matrix Fisher": fisher.sample(len(held_out), seed=1),
    "default": default.sample(len(held_out), seed=1),
}
fig, axes = plt.subplots(1, 3, figsize=(9.6, 3.4), sharey=True, layout="constrained")
for ax, (name, q) in zip(axes, shown.items()):
    v = rotation_vectors(q)
    dots = ax.scatter(v[:, 1], v[:, 2], c=v[:, 0], s=5, cmap="coolwarm", vmin=-120, vmax=120)
    ax.add_patch(plt.Circle((0, 0), 180, fill=False, color="0.7"))
    ax.set(title=name, aspect="equal", xlim=(-185, 185), ylim=(-185, 185))
    ax.set(xlabel="y in degrees", xticks=(-180, 0, 180), yticks=(-180, 0, 180))
axes[0].set_ylabel("z in degrees")
fig.colorbar(dots, ax=axes, label="x in degrees", shrink=0.8)
plt.show()

# %%
# Rigid motions
# -------------
#
# A rotation with a place is a point on ``rotation:3 x euclidean:3``: seven numbers, w x y z and the
# three coordinates. Here the telephone's place depends on how it is turned, and the density of
# both together is to know it: the held-out score of the pair exceeds the sum of the two scores of
# rotations and places fitted on their own.

place = np.stack([0.4 * np.cos(turn), 0.4 * np.sin(turn), 1.2 + 0 * turn], axis=1)
place += 0.05 * rng.normal(size=(n, 3))
poses = np.concatenate([data["telephone"], place], axis=1)
known, held_out = poses[: n * 4 // 5], poses[n * 4 // 5 :]

score = {}
for space, columns in (
    ("rotation:3 x euclidean:3", slice(0, 7)),
    ("rotation:3", slice(0, 4)),
    ("euclidean:3", slice(4, 7)),
):
    density = rf.NormalMixture(space, time_limit=2).fit(known[:, columns])
    score[space] = density.score(held_out[:, columns]).mean
    print(f"{space:26s} {score[space]:.3f} nats per pose")
together, rotations, places = score.values()
print(f"knowing both together is worth {together - rotations - places:.3f} nats per pose")
