#!/usr/bin/python3
"""The tables of docs/quality.md of the default of fit, from experiments/results/compare.

    experiments/scripts/default_tables.py
"""
import json
import pathlib

RESULTS = pathlib.Path(__file__).parents[1] / "results/compare"
EARTH = ["earthquake", "flood", "fire", "volcano"]
ANGLES = ["torsions-general", "torsions-glycine", "torsions-proline", "torsions-pre-proline", "rna"]
KERNELS = ["kernel-one", "kernel-local", "kernel-anisotropic"]


def rows(folder, name):
    table = json.loads((RESULTS / folder / f"{name}.json").read_text())["protocols"][0]
    return {row["method"]: row for row in table["rows"]}


def minus(text):
    return text.replace("-", "−")


def score(row):
    return minus(f"{row['nll']:.3f} ± {row['nll_standard_error']:.3f}")


def table(folder, names, methods):
    print("| method | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    all_rows = [rows(folder, name) for name in names]
    for method, label in methods:
        print(f"| {label} | " + " | ".join(score(of[method]) for of in all_rows) + " |")
    gains = [of["auto"]["to_best_kernel"] for of in all_rows]
    print("| **default less the best kernel density, paired** | "
          + " | ".join(minus(f"**{g['mean']:.3f} ± {g['standard_error']:.3f}**") for g in gains) + " |")
    print("| mass of the default, farthest from 1 | "
          + " | ".join(f"{of['auto']['mass']:.6f} ± {of['auto']['mass_error']:.0e}" for of in all_rows) + " |")
    print("| seconds of the default | " + " | ".join(f"{of['auto']['seconds']:.0f}" for of in all_rows) + " |\n")


DENSITIES = [("kernel-one", "kernel density, one bandwidth"), ("kernel-local", "local bandwidths"),
             ("kernel-anisotropic", "local shapes")]
LEARNED = [("kernels", "learned kernels alone"), ("normal-mixture", "mixture of normals alone")]

print("Distinct points, seeds 100 to 109, 60 s:\n")
for names in (EARTH, ANGLES):
    table("", names, DENSITIES + LEARNED + [("auto", "**default of `fit`**")])
print("Customary split, seeds 100 to 109, 60 s:\n")
table("customary", EARTH, DENSITIES + [("auto", "**default of `fit`**")])
print("Short time limits, distinct points, seeds 100 to 109: the default less the best kernel density without one:\n")
print("| set | 1 s | 5 s | 60 s |\n|---|---|---|---|")
for name in EARTH + ANGLES:
    best = min(rows("", name)[kernel]["nll"] for kernel in KERNELS)
    gains = [rows(folder, name)["auto"]["nll"] - best for folder in ("1s", "5s", "")]
    print(f"| {name} | " + " | ".join(minus(f"{gain:+.3f}") for gain in gains) + " |")
print("\nOther kinds of data, distinct points, 60 s:\n")
print("| set | best kernel density | learned kernels | default | default less the best kernel density, paired |\n"
      "|---|---|---|---|---|")
for path in sorted((RESULTS / "kinds").glob("*.json")):
    of = rows("kinds", path.stem)
    best = min((of[kernel] for kernel in KERNELS if kernel in of), key=lambda row: row["nll"])
    gain = of["auto"]["to_best_kernel"]
    print(f"| {path.stem} | {score(best)} | {score(of['kernels'])} | {score(of['auto'])} | "
          + minus(f"{gain['mean']:+.3f} ± {gain['standard_error']:.3f}") + " |")
