"""
A column of the paper's table, in small
=======================================

Mathieu and Nickel, *Riemannian Continuous Normalizing Flows* (NeurIPS 2020), compare a mixture
of von Mises–Fisher distributions with flows on four sets of places on the Earth. This example
makes one column of such a table, for the earthquakes that are inside the library, with fits of
a few seconds.

The full table, with the paper's own data, its number of epochs and twelve runs, is computed by

.. code-block:: none

    riemflow reproduce earth --runs 12 --data-dir D

and :doc:`/paper` has its results.
"""

import matplotlib.pyplot as plt

import riemflow as rf

# %%
# The comparison
# --------------
#
# ``compare`` fits every method to the same random splits: 80 % of the points are for training,
# 10 % choose settings, and 10 % are the test. *Distinct* is the protocol in which one of each
# set of equal points is kept, so that a test point is new to all methods.
#
# A *flow* is a uniform density that is carried along a vector field, which a neural network has
# learned. *Flow matching* is a quick way to train one. A *kernel density* is a small bump on
# each training point; ``kernel-local`` makes bumps wider where points are sparse.

comparison = rf.compare(
    rf.read("earthquakes"),
    methods=["uniform", "vmf-mixture", "kernel-local", "flow-matching"],
    seeds=range(1),
    protocols=("distinct",),
    time_limit=4,
)
comparison.table[["method", "nll", "nll_error", "mass", "seconds"]].round(3)

# %%
# The figure
# ----------
#
# The score is the *negative log-likelihood* of the test points: minus their mean log-density,
# in nats. Lower is better. The paper has 0.59 for its mixture and 0.19 for its flow, of another
# catalogue, after 1,000 passes over the data, and with equal points on both sides of the split.

table = comparison.table
fig, ax = plt.subplots(figsize=(6.4, 2.6))
ax.barh(table["method"], table["nll"], xerr=table["nll_error"], height=0.6)
ax.axvline(0, color="black", linewidth=0.8)
ax.invert_yaxis()
ax.set(xlabel="negative log-likelihood of test points in nats (lower is better)")
fig.tight_layout()
plt.show()

# %%
# A few seconds are little for a flow, and enough for a kernel density. With a minute the
# default of :func:`riemflow.fit`, which pools both, is better than either: :doc:`/quality` has
# the tables, and says how to read them.
