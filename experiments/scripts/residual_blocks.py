"""Do residual blocks help a flow on the Earth's sets? Flow matching in JAX, plain and residual networks side by side.

  python3 experiments/scripts/residual_blocks.py DATA_DIR OUT.json [STEPS [DEPTHS]]

DATA_DIR holds earth/{earthquake,flood,fire,volcano}.csv. Distinct points, random splits 80/10/10 of seeds 0 to 2. The network is the one
of the default flow: 128 wide, swish, 64 waves of first frequencies N(0, 6²) as sines and cosines; plain: h ← swish(Wh + b + tc), residual:
h ← h + swish(Wh + b + tc). Depths 4,8 and 6000 steps unless given, first learning rates 2e-3 and 5e-3 (cosine), batches of 512, moving average 0.999. Of each
network the best of its validations counts, and of the two rates the better on the validation points. All variants of a depth are trained at
once, so that they differ in nothing but what is named.
"""
import csv
import json
import math
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_default_matmul_precision", "float32")
data_dir, out = sys.argv[1], sys.argv[2]
steps = int(sys.argv[3]) if len(sys.argv) > 3 else 6000
depths = [int(d) for d in sys.argv[4].split(",")] if len(sys.argv) > 4 else [4, 8]
SETS, SPLITS, RATES, WIDTH, WAVES, BATCH, PARTS, SOLVER_STEPS = ("earthquake", "flood", "fire", "volcano"), 3, (2e-3, 5e-3), 128, 64, 512, 8, 100


def read(name):
    rows = []
    for row in csv.reader(open(f"{data_dir}/earth/{name}.csv")):
        try:
            rows.append((float(row[0]), float(row[1])))
        except (ValueError, IndexError):
            pass
    lat, lon = (np.array(sorted(set(rows))) * math.pi / 180).T
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], -1).astype(np.float32)


def split(points, seed):
    order = np.random.default_rng(seed).permutation(len(points))
    a, b = int(0.8 * len(points)), int(0.9 * len(points))
    return points[order[:a]], points[order[a:b]], points[order[b:]]


def padded(parts, length):
    return jnp.array(np.stack([np.concatenate([p, np.repeat(p[:1], length - len(p), 0)]) for p in parts])), jnp.array([len(p) for p in parts])


def init(key, depth):
    key, k = jax.random.split(key)
    layers, size = [], 2 * WAVES
    for out_size in [WIDTH] * depth + [3]:
        key, k1, k2 = jax.random.split(key, 3)
        s = 1 / math.sqrt(size)
        layers.append((jax.random.uniform(k1, (size, out_size), minval=-s, maxval=s), jnp.zeros(out_size),
                       jax.random.uniform(k2, (out_size,), minval=-s, maxval=s)))
        size = out_size
    return {"waves": 6.0 * jax.random.normal(k, (3, WAVES)), "layers": layers}


def velocity(x, t, p, residual):
    angle = x @ p["waves"]
    h = jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], -1)
    for w, b, c in p["layers"][:-1]:
        h = residual * h + jax.nn.swish(h @ w + b + t * c)
    w, b, c = p["layers"][-1]
    u = h @ w + b + t * c
    return u - jnp.sum(u * x, -1, keepdims=True) * x


def loss(p, residual, ends, key):
    k0, k1 = jax.random.split(key)
    start = jax.random.normal(k0, ends.shape)
    start /= jnp.linalg.norm(start, axis=-1, keepdims=True)
    t = jax.random.uniform(k1, (len(ends), 1))
    angle = jnp.arccos(jnp.clip(jnp.sum(start * ends, -1, keepdims=True), -1 + 1e-6, 1 - 1e-6))
    sine = jnp.sin(angle)
    x = (jnp.sin((1 - t) * angle) * start + jnp.sin(t * angle) * ends) / sine
    u = angle * (jnp.cos(t * angle) * ends - jnp.cos((1 - t) * angle) * start) / sine
    return jnp.mean(jnp.sum((velocity(x, t, p, residual) - u) ** 2, -1))


def log_density(p, residual, x):
    """Of one point: back along the field by RK4, with its exact divergence (the field is tangent and constant along the radius)."""
    def rates(z, t):
        f = lambda y: velocity(y / jnp.linalg.norm(y), t, p, residual)
        return f(z), jnp.trace(jax.jacfwd(f)(z))

    def step(state, i):
        z, total = state
        h, t = 1 / SOLVER_STEPS, 1 - i / SOLVER_STEPS
        a, da = rates(z, t)
        b, db = rates(z - h / 2 * a, t - h / 2)
        c, dc = rates(z - h / 2 * b, t - h / 2)
        d, dd = rates(z - h * c, t - h)
        z = z - h / 6 * (a + 2 * b + 2 * c + d)
        return (z / jnp.linalg.norm(z), total - h / 6 * (da + 2 * db + 2 * dc + dd)), None

    (_, total), _ = jax.lax.scan(step, (x, 0.0), jnp.arange(SOLVER_STEPS))
    return total - math.log(4 * math.pi)


def mean_nll(p, residual, points, count):
    values = jax.vmap(log_density, (None, None, 0))(p, residual, points)
    return -jnp.sum(jnp.where(jnp.arange(len(points)) < count, values, 0)) / count


def train_step(state, i, residual, rate, training, count):
    p, m, v, average, key = state
    key, k0, k1 = jax.random.split(key, 3)
    gradient = jax.grad(loss)(p, residual, training[jax.random.randint(k0, (BATCH,), 0, count)], k1)
    m = jax.tree.map(lambda a, g: 0.9 * a + 0.1 * g, m, gradient)
    v = jax.tree.map(lambda a, g: 0.999 * a + 0.001 * g * g, v, gradient)
    now = rate * 0.5 * (1 + jnp.cos(math.pi * i / steps))
    p = jax.tree.map(lambda a, b, c: a - now * (b / (1 - 0.9 ** (i + 1))) / (jnp.sqrt(c / (1 - 0.999 ** (i + 1))) + 1e-8), p, m, v)
    return (p, m, v, jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b, average, p), key), None


@jax.jit
def train(states, first, residual, rate, training, counts):
    def one(state, r, lr, data, n):
        return jax.lax.scan(lambda s, i: train_step(s, i, r, lr, data, n), state, first + jnp.arange(steps // PARTS))[0]
    return jax.vmap(one)(states, residual, rate, training, counts)


scores = jax.jit(jax.vmap(mean_nll))
variants = [(s, r, lr) for s in range(SPLITS) for r in (0.0, 1.0) for lr in RATES]
of = np.array([v[0] for v in variants])
residual, rate = jnp.array([v[1] for v in variants]), jnp.array([v[2] for v in variants])
points = {name: read(name) for name in SETS}
longest = max(len(p) for p in points.values())
rows = []
for depth in depths:
    for name in SETS:
        begun = time.time()
        parts = [split(points[name], s) for s in range(SPLITS)]
        (train_x, train_n), (val_x, val_n), (test_x, test_n) = (padded([p[k] for p in parts], size) for k, size in
                                                                ((0, longest), (1, longest // 8), (2, longest // 8)))
        keys = jnp.stack([jax.random.PRNGKey(s) for s in of])
        p = jax.vmap(lambda k: init(k, depth))(keys)
        zeros = jax.tree.map(jnp.zeros_like, p)
        state = (p, zeros, zeros, p, keys)
        best = np.full((len(variants), 2), np.inf)
        for part in range(PARTS):
            state = train(state, part * (steps // PARTS), residual, rate, train_x[of], train_n[of])
            val = np.array(scores(state[3], residual, val_x[of], val_n[of]))
            test = np.array(scores(state[3], residual, test_x[of], test_n[of]))
            better = val < best[:, 0]
            best[better] = np.stack([val, test], -1)[better]
        for kind, r in (("plain", 0.0), ("residual", 1.0)):
            chosen = [min((best[i] for i, v in enumerate(variants) if v[0] == s and v[1] == r), key=lambda b: b[0]) for s in range(SPLITS)]
            rows.append({"set": name, "depth": depth, "steps": steps, "network": kind, "validation_nll": [float(c[0]) for c in chosen],
                         "test_nll": [float(c[1]) for c in chosen]})
            print(name, depth, kind, np.round([c[1] for c in chosen], 3), f"{time.time() - begun:.0f} s", flush=True)
        json.dump({"command": "python3 experiments/scripts/residual_blocks.py DATA_DIR OUT.json", "jax": jax.__version__,
                   "device": str(jax.devices()[0].device_kind), "rows": rows}, open(out, "w"), indent=1)
