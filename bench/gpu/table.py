"""The table of bench/gpu/run: table.py WORK OUT COMMIT PARITY MEMCHECK RACECHECK, exit codes of the last three."""
import json, os, re, subprocess, sys

work, out, commit, parity, memcheck, racecheck = sys.argv[1:]
read = lambda name: open(os.path.join(work, name)).read() if os.path.exists(os.path.join(work, name)) else ""
found = lambda pattern, text: (lambda m: float(m.group(1)) if m else None)(re.search(pattern, text))

gpu = json.loads(read("gpu.json"))
jax = [float(x) for x in re.findall(r"median ms/iter ([\d.]+)", read("jax.txt"))]
torch_iteration = found(r"median ms/iter ([\d.]+)", read("torch.txt"))
torch_score = found(r"tol 1e-5: ([\d.]+) ms", read("torch.txt"))
device = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True,
                        text=True).stdout.strip()
PEAK = {"NVIDIA H200": 66.9, "NVIDIA H100": 66.9, "NVIDIA A100": 19.5}  # fp32 TFLOP/s without tensor cores, data sheets
peak = next((p for name, p in PEAK.items() if device.startswith(name)), None)

rows = []
ratio = lambda peer, ours: f"{peer / ours:.0f} ×" if peer else "–"
share = lambda tera: f", {100 * tera / peak:.0f} % of the fp32 peak" if peak else ""
for key, name in (("iterations_200_to_400", "iterations 200 to 400"), ("iterations_1000_to_2000", "iterations 1000 to 2000")):
    x = gpu[key]
    rows.append((f"one training iteration, {name}",
                 f"{x['ms_per_iteration']:.3f} ms ({x['evaluations_per_solve']:.0f} evaluations, {x['teraflops']:.1f} TFLOP/s)",
                 f"{min(jax):.2f} ms (JAX), {torch_iteration or 0:.0f} ms (PyTorch)" if jax else "–",
                 ratio(min(jax) if jax else None, x["ms_per_iteration"])))
for key, name in (("densities_100k_after_60_iterations", "60 iterations, as the peer's"), ("densities_100k", "2000 iterations")):
    x = gpu[key]
    peer = torch_score if "60" in key else None
    rows.append((f"100,000 log-densities at 1e-5, model after {name}",
             f"{1e3 * x['seconds']:.1f} ms ({x['evaluations_per_solve']:.0f} evaluations, {x['teraflops']:.1f} TFLOP/s{share(x['teraflops'])})",
             f"{peer:.0f} ms (PyTorch)" if peer else "–", ratio(peer, 1e3 * x["seconds"])))
x = gpu["densities_10m"]
rows.append(("10 million log-densities at 1e-5", f"{x['seconds']:.2f} s, {x['points_per_second'] / 1e6:.2f} million a second", "", ""))
for batch, x in gpu["batches"].items():
    rows.append((f"one training iteration, batch {int(batch):,}", f"{x['ms_per_iteration']:.2f} ms, {x['teraflops']:.1f} TFLOP/s", "", ""))
for group, what in (("widths", "{} units wide on S²"), ("dimensions", "64 units wide on S^{}")):
    for size, x in gpu[group].items():
        i, d = x["iteration"], x["densities_20k"]
        rows.append((what.format(size), f"{i['ms_per_iteration']:.2f} ms an iteration of 400 points ({i['teraflops']:.1f} TFLOP/s); "
                     f"{1e3 * d['seconds']:.1f} ms for 20,000 log-densities ({d['teraflops']:.1f} TFLOP/s)", "", ""))
gpu["matching"] = {batch: json.loads(read(f"matching-{batch}.json")) for batch in (256, 4096)}
for batch, x in gpu["matching"].items():
    rows.append((f"flow matching, {x['network']} on S², batch {batch}",
                 f"{x['ms_per_matching_step']:.3f} ms a step ({x['matching_gflops'] / 1e3:.2f} TFLOP/s); by likelihood "
                 f"{x['ms_per_likelihood_step']:.2f} ms ({x['evaluations_per_solve']:.0f} evaluations)", "", ""))
one = gpu["seeds"]["1"]
for seeds, seconds in gpu["seeds"].items():
    if seeds != "1":
        rows.append((f"{seeds} seeds side by side", f"{seconds / one:.2f} × the time of one", "", ""))
said = {"0": "clean", "absent": "not there"}
rows.append(("parity with the CPU", {"0": "all tests pass"}.get(parity, f"FAILED ({parity})"), "", ""))
rows.append(("memcheck, racecheck", f"{said.get(memcheck, 'FAILED')}, {said.get(racecheck, 'FAILED')}", "", ""))

page = "# GPU\n\n" + gpu["setting"] + f". {device}. Commit {commit}. `bench/gpu/run --peers DIR`\n\n| what | riemflow | peer | ratio |\n|---|---|---|---|\n"
page += "".join("| " + " | ".join(row) + " |\n" for row in rows)
gpu["peers"] = {"jax_ms": jax, "torch_ms": torch_iteration, "torch_100k_ms": torch_score}
gpu.update(device=device, commit=commit, command="bench/gpu/run", parity=parity, memcheck=memcheck, racecheck=racecheck)
os.makedirs(out, exist_ok=True)
json.dump(gpu, open(os.path.join(out, "gpu.json"), "w"), indent=1)
open(os.path.join(out, "gpu.md"), "w").write(page)
print(page)
