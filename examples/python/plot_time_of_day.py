"""
Time of day beside an ordinary column
=====================================

Hours repeat after 24: 23:50 is next to 0:10. Magnitudes do not. A row with both is a point on
``torus:1,L=24 x euclidean:1``, and its density is a density of both columns together, with no
seam at midnight and no units to convert.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import riemflow as rf

# %%
# The data
# --------
#
# A catalogue of seismic events of a mining district is simulated. Earthquakes come at all hours,
# and small ones are found mostly at night, when the traffic is quiet; quarry blasts come before noon
# and in the afternoon, with magnitudes near 1.8. Hours are local, from 0 to 24; they may as
# well be 25.5 or −1, and are the same as 1.5 and 23 then.

rng = np.random.default_rng(0)
quakes = pd.DataFrame(
    {"hour": rng.uniform(0, 24, 6000), "magnitude": 0.3 + rng.exponential(0.45, 6000)}
)
noise = 0.8 - 0.5 * np.cos(2 * np.pi * (quakes.hour - 2) / 24)
found = rng.random(6000) < 1 / (1 + np.exp(-8 * (quakes.magnitude - noise)))
hours = np.concatenate([rng.normal(11, 0.6, 350), rng.normal(15.5, 0.5, 250)])
blasts = pd.DataFrame({"hour": hours, "magnitude": rng.normal(1.8, 0.2, 600)})
events = pd.concat([quakes[found], blasts]).sample(frac=1, random_state=1, ignore_index=True)
known, held_out = events[: len(events) * 4 // 5], events[len(events) * 4 // 5 :]
print(f"{len(known)} events to fit, {len(held_out)} to judge")

# %%
# The fit
# -------
#
# Columns are taken in their order. The yardstick is what most would do: the same fit on
# ``euclidean:2``, where the day ends at 24. The scores, in nats per event, are of densities
# per hour and unit of magnitude, and so comparable.

space = "torus:1,L=24 x euclidean:1"
density = rf.fit(known, space, time_limit=4)
cut = rf.fit(known, "euclidean:2", time_limit=4)
for name, model in (("with a period", density), ("cut at midnight", cut)):
    score = model.score(held_out)
    print(f"{name:16s} {score.mean:.3f} ± {score.standard_error:.3f}")

# %%
# The density at given points
# ---------------------------
#
# ``log_prob`` takes rows of hour and magnitude. On both sides of midnight the density is the same,
# but for the one that was cut.

ask = pd.DataFrame({"hour": [23.99, 0.01, 2.0, 11.0, 14.0], "magnitude": [0.8, 0.8, 0.8, 1.8, 1.8]})
ask["density"] = np.exp(density.log_prob(ask[["hour", "magnitude"]]))
ask["cut"] = np.exp(cut.log_prob(ask[["hour", "magnitude"]]))
print(ask.round(4).to_string(index=False))

# %%
# Is an event of magnitude 1.8 at a given hour more likely by day because of blasts? A
# *conditional* density is the joint one along a line, divided by its sum there.

hour = np.arange(0, 24, 0.1)
for magnitude in (0.8, 1.8):
    line = np.exp(density.log_prob(np.stack([hour, np.full(hour.size, magnitude)], axis=1)))
    line /= line.sum() * 0.1
    day = line[(hour >= 8) & (hour < 18)].sum() * 0.1
    print(f"of events of magnitude {magnitude}, {day:.0%} come between 8 and 18 o'clock")

# %%
# Draws, and the picture
# ----------------------
#
# Draws have hours in [0, 24). The histogram of the draws' hours goes on across midnight as that
# of the events does.

drawn = density.sample(20_000, seed=1)
print(f"hours of draws: {drawn[:, 0].min():.3f} to {drawn[:, 0].max():.4f}")

fig, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.6), layout="constrained")
density.plot(events[:1500], ax=left, scale="log", title="density per hour and magnitude")
left.set(xlabel="hour", ylabel="magnitude", ylim=(0, 4), xticks=range(0, 25, 6))
bins = np.arange(0, 24.5, 0.5)
right.hist(events.hour, bins, density=True, color="0.8", label="events")
right.hist(drawn[:, 0], bins, density=True, histtype="step", color="tab:red", label="draws")
right.set(xlabel="hour", ylabel="share per hour", xticks=range(0, 25, 6), xlim=(0, 24))
right.legend(loc="upper right")
plt.show()
