"""What a change does to a flow, alone and beside a kernel density: a table from the runs of `riemflow compare … --row`.

  python3 experiments/scripts/flow_rows.py RUNS.runs.json… > flows.md

Differences to the row `flow`, paired over the test points of all splits, ± standard error. In brackets: the gain of a mixture of the row and
the kernel density with local bandwidths over that kernel density, its weight chosen on one half of the test points for the other. Last, the
mean of the first 1, 2, 4, … flows.
"""
import json
import math
import os
import sys

BASE, KERNEL, PROTOCOL = "flow", "kernel-local", " distinct"


def gain(flow, kernel):
    total = 0
    for half in (0, 1):
        weight = 0.5
        for _ in range(200):
            parts = [1 / (1 + (1 - weight) / weight * math.exp(min(700, k - f))) for f, k in zip(flow[half::2], kernel[half::2])]
            weight = min(max(sum(parts) / len(parts), 1e-9), 1 - 1e-9)
        total += sum(max(math.log(weight) + f, math.log(1 - weight) + k) + math.log1p(math.exp(-abs(math.log(weight / (1 - weight)) + f - k))) - k
                     for f, k in zip(flow[1 - half::2], kernel[1 - half::2]))
    return -total / len(flow)


def mean_of(columns):
    return [max(v) + math.log(sum(math.exp(x - max(v)) for x in v) / len(v)) for v in zip(*columns)]


sets, rows, ensembles = [], {}, {}
for path in sys.argv[1:]:
    name = os.path.basename(path).removesuffix(".runs.json")
    runs = json.load(open(path))["runs"]
    sets.append(name)

    def scores(method):
        splits = runs[method + PROTOCOL]
        return [x for split in sorted(splits, key=int) for x in splits[split]["log_densities"]]

    base, kernel = scores(BASE), scores(KERNEL)
    flows = {cell.removesuffix(PROTOCOL): scores(cell.removesuffix(PROTOCOL)) for cell in runs if not cell.startswith(("kernel", "uniform"))}
    for method, values in flows.items():
        d = [b - v for v, b in zip(values, base)]
        mean = sum(d) / len(d)
        error = math.sqrt(sum((x - mean) ** 2 for x in d) / (len(d) - 1) / len(d))
        text = f"{-sum(values) / len(values):.3f}" if method == BASE else f"{mean:+.3f} ± {error:.3f}"
        rows.setdefault(method, {})[name] = f"{text} ({gain(values, kernel):+.3f})"
    good = [flows[m] for m in sorted(flows, key=lambda m: -sum(flows[m]))][:8]
    for n in (1, 2, 4, 8):
        values = mean_of(good[:n])
        ensembles.setdefault(n, {})[name] = f"{-sum(values) / len(values):.3f} ({gain(values, kernel):+.3f})"

print("| row | " + " | ".join(sets) + " |\n|---|" + "---|" * len(sets))
for method in sorted(rows, key=lambda m: (m != BASE, m)):
    print(f"| {method} | " + " | ".join(rows[method].get(s, "–") for s in sets) + " |")
for n, row in ensembles.items():
    print(f"| mean of the best {n} | " + " | ".join(row[s] for s in sets) + " |")
