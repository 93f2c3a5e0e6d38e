"""
Scoring a large table with dask
===============================

A fitted density can be pickled, so that it can be sent to other processes and machines. This
example scores a table in partitions with :mod:`dask.distributed`: each worker receives the
density once, and returns the log-densities of its rows.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import riemflow as rf

try:
    from dask.distributed import Client, LocalCluster
except ImportError:
    Client = None
    print("dask.distributed is not installed: partitions are scored one by one.")

# %%
# The density and the table
# -------------------------
#
# A kernel density of the earthquakes, and 200,000 points to score, in 20 partitions.

quakes = rf.read("earthquakes")
density = rf.KernelDensity("sphere:2", kernel="one", dedup=True).fit(quakes)
points = rf.manifold("sphere:2").random_uniform(200_000, seed=0)
partitions = np.array_split(points, 20)


def score(density, part):
    return density.log_prob(part)


# %%
# The cluster
# -----------
#
# ``processes=False`` keeps the workers in this process, as threads; the density computes
# without holding Python's lock, so that they do work side by side. A script that starts worker
# *processes* must do so below ``if __name__ == "__main__":``, because each of them imports the
# script again.

start = time.perf_counter()
if Client is not None:
    local = LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    )
    with local as cluster, Client(cluster) as client:
        sent = client.scatter(density, broadcast=True)  # once to each worker
        futures = [client.submit(score, sent, part) for part in partitions]
        log_p = np.concatenate(client.gather(futures))
else:
    log_p = np.concatenate([score(density, part) for part in partitions])
print(f"{len(log_p):,} points in {time.perf_counter() - start:.1f} s")

# %%
# The result is the same as without a cluster, bit for bit: a density gives the same numbers for
# any number of threads.

print(np.array_equal(log_p[:1000], density.log_prob(points[:1000])))

# %%
# What the scores say
# -------------------
#
# The points were spread evenly, so that this is the share of the Earth's surface on which the
# density exceeds a given multiple of the uniform density.

ratio = np.sort(np.exp(log_p) * 4 * np.pi)[::-1]
share = (np.arange(len(ratio)) + 1) / len(ratio)
fig, ax = plt.subplots(figsize=(6, 3.4))
ax.loglog(ratio, share)
ax.axvline(1, color="black", linewidth=0.8)
ax.set(xlabel="times the uniform density", ylabel="share of the surface above")
ax.set(xlim=(1e-3, None), ylim=(1e-4, 1.2))
ax.grid(alpha=0.3)
fig.tight_layout()
plt.show()
