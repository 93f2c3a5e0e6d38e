"""Python and the tool: the same numbers, to the bit."""

import json
import subprocess

import numpy as np
import pytest

import riemflow as rf


def run(tool, *arguments):
    return subprocess.run([tool, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def quakes(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "quakes.csv"
    lat, lon = rf.to_latlon(rf.read("earthquakes").points[::10])
    path.write_text("lat,lon\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(lat.tolist(), lon.tolist())))
    return path


@pytest.mark.parametrize("options", [["--model", "kde"], ["--model", "kernels"], ["--model", "vmf-mixture", "--components", "5", "--optimizer", "em"],
                                     ["--width", "16", "--depth", "2", "--iterations", "20", "--seed", "3", "--dedup"]])
@pytest.mark.filterwarnings("ignore::riemflow.RiemflowWarning")
def test_a_fit_is_the_tools(tool, quakes, tmp_path, options):
    model = tmp_path / "tool.model"
    run(tool, "fit", quakes, "-o", model, *options)
    keywords, i = {}, 0
    while i < len(options):
        name = options[i][2:].replace("-", "_")
        flag = i + 1 == len(options) or options[i + 1].startswith("--")
        keywords[name] = True if flag else options[i + 1]
        i += 1 if flag else 2
    ours = rf.fit(quakes, **keywords)
    assert ours == rf.load(model)
    assert ours == rf.fit(rf.read(quakes), **keywords)
    ours.save(tmp_path / "python.model")
    assert (tmp_path / "python.model").read_bytes() == model.read_bytes()


def test_values_are_the_tools(tool, quakes, pool, tmp_path):
    model, scores, draws = tmp_path / "pool.model", tmp_path / "scores.npy", tmp_path / "draws.npy"
    pool.save(model)
    run(tool, "score", model, quakes, "-o", scores)
    points = rf.read(quakes)
    np.testing.assert_array_equal(np.load(scores).ravel(), pool.log_prob(points))
    summary = json.loads(run(tool, "score", model, quakes, "--json"))
    assert -summary["nll"] == pool.score(points).mean
    assert summary["nll_standard_error"] == pool.score(points).standard_error
    run(tool, "sample", model, "-n", 500, "--seed", 7, "--vectors", "-o", draws)
    np.testing.assert_array_equal(np.load(draws), pool.sample(500, seed=7))
    region = json.loads(run(tool, "prob", model, "--circle", "35.7,139.7,300", "--json"))["regions"][0]
    ours = pool.prob(circle=(35.7, 139.7, 300))
    assert (region["probability"], region["error"]) == (ours.value, ours.error)
    run(tool, "grid", model, "--resolution", 10, "-o", tmp_path / "grid.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "grid.npy"), pool.grid(resolution=10).density.values)
    run(tool, "plot", model, "-o", tmp_path / "map.png", "--resolution", 10, "--dpi", 60)
    assert (tmp_path / "map.png").read_bytes() == pool.plot(format="png", resolution=10, dpi=60)
    paths = tmp_path / "paths.npy"
    run(tool, "trajectories", model, "-n", 20, "--frames", 3, "--seed", 2, "--vectors", "-o", paths)
    rows = np.load(paths)[:, 3:].reshape(20, 3, 3).transpose(1, 0, 2)
    np.testing.assert_array_equal(rows, pool.trajectories(20, frames=3, seed=2)[1])
    assert json.loads(run(tool, "info", model, "--json"))["config"] == pool.info["config"]
