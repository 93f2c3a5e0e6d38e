"""Fits: their keywords, errors, weights, progress and warnings; comparisons and targets."""

import inspect
import logging
import warnings

import numpy as np
import pytest

import riemflow as rf
from riemflow import _options


def test_the_default_is_a_pool_and_takes_no_longer_than_it_may(sphere_points):
    density = rf.fit(sphere_points, "sphere:2", time_limit=4, progress=False)
    assert density.kind == "pool" and {member.kind for member in density.members} <= {"kernels", "normal-mixture", "kde"}
    assert abs(density.mass().value - 1) < 5e-3
    fit = density.info["metadata"]["provenance"]
    assert fit["test_nll"] < 2.0 < 2.531


def test_every_option_is_a_keyword_with_its_help():
    text, names = inspect.getdoc(rf.fit), inspect.signature(rf.fit).parameters
    for name, row in _options.TABLE.items():
        if name in ("target",):
            continue
        assert name in names, name
        assert f"\n{name} : " in text, name
    assert "{options}" not in text and "‹" not in text and " --" not in text
    for recipe in (rf.Flow, rf.KernelDensity, rf.LearnedKernels, rf.NormalMixture, rf.VonMisesFisherMixture, rf.Pool):
        assert "{options}" not in recipe.__doc__
    assert "width : int, default 64" in inspect.getdoc(rf.Flow)
    assert "\nwidth : " not in inspect.getdoc(rf.KernelDensity)


@pytest.mark.parametrize("keywords, words, setting", [
    ({"widht": 3}, "perhaps you meant 'width'", "widht"),
    ({"width": -3}, "width", "width"),
    ({"width": "many"}, "whole number", "width"),
    ({"activation": "relu"}, "activation|there is no 'relu'", "activation"),
    ({"model": "pool", "width": 3}, "`width` with `model` pool", "width"),
    ({"model": "kde", "weight_decay": 0.1}, "`weight_decay` with `model` kde", None),
    ({"split": "50/50"}, "split|shares", "split"),
    ({"time_limit": "soon"}, "time", "time_limit"),
    ({"manifold": "spere:2"}, "perhaps you meant", None),
    ({"manifold": "sphere:3"}, "4", None),
    ({"columns": "lat,lon"}, "array", "columns"),
    ({"preset": "best"}, "preset", None),
    ({"sample_weight": [1, 2]}, "weight", None),
])
def test_errors_name_keywords(sphere_points, keywords, words, setting):
    with pytest.raises(rf.Error, match=words) as error:
        rf.fit(sphere_points, **{"manifold": "sphere:2", **keywords})
    assert isinstance(error.value, ValueError) and "--" not in str(error.value) and "‹" not in str(error.value)
    assert error.value.advice and error.value.problem
    if setting:
        assert error.value.setting == setting


def test_arrays_are_unit_vectors_unless_a_manifold_is_named(sphere_points):
    assert rf.fit(sphere_points, model="kde", kernel="one").manifold.name == "sphere:2"
    with pytest.raises(rf.Error, match="2 numbers.*`manifold`"):
        rf.fit(sphere_points[:, :2], model="kde")
    with pytest.raises(rf.Error, match="point 0 is not on sphere:2|point 0.*sphere:2"):
        rf.fit(2 * sphere_points, model="kde")


def test_points_off_the_manifold_are_named_by_index_and_reason(sphere_points):
    points = sphere_points.copy()
    points[7] *= 1.5
    with pytest.raises(rf.Error, match="point 7.*1.5"):
        rf.fit(points, "sphere:2", model="kde")
    points[7] = np.nan
    with pytest.raises(rf.Error, match="point 7.*nan"):
        rf.fit(points, "sphere:2", model="kde")
    for few in (points[:0], points[:1]):
        with pytest.raises(rf.Error, match="point"):
            rf.fit(few, "sphere:2", model="kde")


def test_values_of_several_numbers(sphere_points):
    shares = rf.fit(sphere_points, model="kde", kernel="one", split=(70, 20, 10))
    assert shares == rf.fit(sphere_points, model="kde", kernel="one", split="70/20/10")
    assert shares != rf.fit(sphere_points, model="kde", kernel="one")


def test_kinds_have_their_own_options(sphere_points):
    with pytest.raises(rf.Error, match="KernelDensity has no keyword 'width'"):
        rf.KernelDensity("sphere:2", width=3)
    with pytest.raises(rf.Error, match="Pool has no keyword"):
        rf.Pool("sphere:2", rate=3)
    recipe = rf.Flow("sphere:2", width=8, depth=1, iterations=3, seed=4)
    assert repr(recipe) == "riemflow.Flow('sphere:2', seed=4, width=8, depth=1, iterations=3)"
    density = recipe.fit(sphere_points)
    assert density.info["config"]["field"]["width"] == 8
    assert density == rf.fit(sphere_points, "sphere:2", model="riemannian", width=8, depth=1, iterations=3, seed=4)
    pool = rf.Pool("sphere:2", time_limit=3, flow_steps=20).fit(sphere_points, progress=False)
    assert pool.kind == "pool"
    with pytest.raises(rf.Error, match="bandwidth"):
        rf.KernelDensity("sphere:2", bandwidth=0.1, kernel="one")


def test_normal_mixture(sphere_points, kernels):
    mixture = rf.NormalMixture(seed=3).fit(sphere_points)
    assert mixture.kind == "normal-mixture" and mixture == rf.fit(sphere_points, model="normal-mixture", seed=3)
    score = lambda density: density.info["metadata"]["provenance"]["test_nll"]  # noqa: E731
    assert score(mixture) < score(kernels) + 0.1 and abs(mixture.mass().value - 1) < 1e-3
    with pytest.raises(rf.Error, match="NormalMixture has no keyword 'kernel_steps'"):
        rf.NormalMixture(kernel_steps=3)
    with pytest.raises(rf.Error, match="`kernel_steps` with `model` normal-mixture"):
        rf.fit(sphere_points, model="normal-mixture", kernel_steps=3)


def test_learned_kernels(sphere_points, kernels):
    learned = rf.LearnedKernels(seed=3).fit(sphere_points)
    assert learned.kind == "kernels" and learned == rf.fit(sphere_points, model="kernels", seed=3)
    score = lambda density: density.info["metadata"]["provenance"]["test_nll"]  # noqa: E731
    assert score(learned) < score(kernels) + 0.1 and abs(learned.mass().value - 1) < 1e-3
    values, gradients = learned.log_prob_gradient(sphere_points[:5])
    np.testing.assert_array_equal(values, learned.log_prob(sphere_points[:5]))
    with pytest.raises(rf.Error, match="LearnedKernels has no keyword 'kernel'"):
        rf.LearnedKernels(kernel="one")
    with pytest.raises(rf.Error, match="`kernel` with `model` kernels"):
        rf.fit(sphere_points, model="kernels", kernel="one")


def test_kernels_of_given_bandwidths_and_weights():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]])
    at = np.array([[0.3, 0.4], [5.0, 5.0]])
    h, w = np.array([0.5, 1.0, 2.0]), np.array([1.0, 2.0, 5.0])
    density = rf.KernelDensity("euclidean:2", bandwidth=h, wide=1e-12).fit(X, sample_weight=w)
    square = ((at[:, None] - X) ** 2).sum(axis=2)
    want = np.log((w / w.sum() * np.exp(-square / (2 * h**2)) / (2 * np.pi * h**2)).sum(axis=1))
    np.testing.assert_allclose(density.log_prob(at), want, atol=2e-6)
    for wrong in (0.0, -1.0, [0.1, 0.2], np.nan):
        with pytest.raises(rf.Error):
            rf.KernelDensity("euclidean:2", bandwidth=wrong).fit(X)


def test_weights_count(sphere_points):
    """Twice the weight is the point twice; a weight of 0 is no point."""
    n = len(sphere_points)
    north = sphere_points[:, 2] > 0.5
    heavy = rf.fit(sphere_points, "sphere:2", model="kde", kernel="one", sample_weight=np.where(north, 5.0, 1.0))
    plain = rf.fit(sphere_points, "sphere:2", model="kde", kernel="one")
    assert heavy.prob(circle=(90, 0, 3000)).value > plain.prob(circle=(90, 0, 3000)).value + 0.05
    same = rf.fit(sphere_points, "sphere:2", model="kde", kernel="one", sample_weight=np.full(n, 3.0))
    assert same == plain
    for wrong in (np.zeros(n), -np.ones(n), np.full(n, np.nan), np.ones((n, 2)), np.ones(n + 1)):
        with pytest.raises(rf.Error, match="[Ww]eight"):
            rf.fit(sphere_points, "sphere:2", model="kde", sample_weight=wrong)


def test_weights_of_a_file_are_those_of_the_fit(sphere_points, tmp_path):
    """rf.read(path, weights=…) is sample_weight, in fits, scores and comparisons; sample_weight replaces it."""
    weights = np.where(sphere_points[:, 2] > 0.5, 5.0, 1.0)
    path = tmp_path / "points.csv"
    np.savetxt(path, np.column_stack([sphere_points, weights]), "%.17g", ",", header="x,y,z,mass", comments="")
    points = rf.read(path, weights="mass")
    kde = dict(model="kde", kernel="one")
    by_array = rf.fit(points.points, "sphere:2", sample_weight=weights, **kde)
    plain = rf.fit(points.points, "sphere:2", **kde)
    for density in (rf.fit(points, **kde), rf.fit(path, weights="mass", **kde), rf.KernelDensity(kernel="one").fit(points)):
        np.testing.assert_array_equal(density.log_prob(sphere_points), by_array.log_prob(sphere_points))
        assert density.info["metadata"]["provenance"]["settings"]["weights"] == "mass"
    assert (by_array.log_prob(sphere_points) != plain.log_prob(sphere_points)).all()
    np.testing.assert_array_equal(rf.fit(points, sample_weight=np.ones(600), **kde).log_prob(sphere_points),
                                  plain.log_prob(sphere_points))
    given = rf.KernelDensity(bandwidth=0.2).fit(points)
    np.testing.assert_array_equal(given.log_prob(sphere_points),
                                  rf.KernelDensity("sphere:2", bandwidth=0.2).fit(points.points, weights).log_prob(sphere_points))

    log_p = plain.log_prob(points)
    expected = np.average(log_p, weights=weights)
    assert plain.score(points).mean == pytest.approx(expected, abs=1e-12)
    assert plain.score(points.points, weights).mean == pytest.approx(expected, abs=1e-12)
    assert plain.score(points.points).mean == pytest.approx(log_p.mean(), abs=1e-12)
    zero = np.where(np.arange(600) < 100, 0.0, 1.0)
    assert plain.score(points, zero)[:3] == pytest.approx((log_p[100:].mean(), log_p[100:].std(ddof=1) / 500 ** 0.5, 500))
    for wrong in (np.zeros(600), -np.ones(600), np.ones(3)):
        with pytest.raises(rf.Error, match="weight"):
            plain.score(points, wrong)
    with pytest.raises(rf.Error, match="`weights` with an array.*`sample_weight`"):
        rf.fit(sphere_points, "sphere:2", weights="mass")
    with pytest.raises(rf.Error, match="`weights` with points that were read before"):
        rf.fit(points, weights="x")

    few = dict(methods=["uniform", "kernel-one"], protocols=["customary"], seeds=range(1), progress=False)
    tables = [rf.compare(points, **few), rf.compare(path, weights="mass", **few),
              rf.compare(points.points, "sphere:2", sample_weight=weights, **few)]
    for found in tables:
        assert found.table.nll[1] == tables[0].table.nll[1]
        run = found.runs.iloc[1]
        assert abs(run.nll + np.mean(run.log_densities)) > 0.01
    assert rf.compare(points.points, "sphere:2", **few).table.nll[1] != tables[0].table.nll[1]


def test_the_seed_makes_the_model(sphere_points):
    make = lambda seed: rf.Flow("sphere:2", width=8, depth=1, iterations=5, seed=seed).fit(sphere_points)
    assert make(1) == make(1) and make(1) != make(2)


def test_duplicates_are_a_python_warning(sphere_points):
    twice = np.concatenate([sphere_points, sphere_points[:5]])
    with pytest.warns(rf.RiemflowWarning, match="5 of 605 points repeat.*`dedup`") as seen:
        rf.fit(twice, "sphere:2", model="kde", kernel="one")
    assert seen[0].filename == __file__  # the user's line, not the package's
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rf.fit(twice, "sphere:2", model="kde", kernel="one", dedup=True)
        with pytest.raises(rf.RiemflowWarning):  # as an error it ends the fit
            rf.fit(twice, "sphere:2", model="kde", kernel="one")


def test_sentences_are_in_the_log(sphere_points, caplog):
    with caplog.at_level(logging.INFO, "riemflow"):
        rf.fit(sphere_points, "sphere:2", model="kde", kernel="one")
    assert any("480 for training, 60 for validation" in record.message for record in caplog.records)


def test_progress_goes_to_a_callback(sphere_points, capsys):
    seen = []
    rf.Flow("sphere:2", width=16, depth=2, iterations=300).fit(sphere_points, progress=seen.append)
    assert len(seen) > 1 and all(isinstance(step, rf.Progress) for step in seen)
    assert [s.done for s in seen] == sorted(s.done for s in seen) and seen[-1].total == 300
    assert np.isfinite(seen[-1].loss) and seen[-1].eta >= 0
    assert capsys.readouterr().err == ""


def test_progress_is_one_line(sphere_points, capsys):
    rf.Flow("sphere:2", width=16, depth=2, iterations=100).fit(sphere_points, progress=True)
    shown = capsys.readouterr().err
    assert "\r" in shown and "\n" not in shown and "loss" in shown and "s left" in shown
    rf.Flow("sphere:2", width=8, depth=1, iterations=3).fit(sphere_points, progress=False)
    assert capsys.readouterr().err == ""


def test_an_exception_of_the_callback_ends_the_fit(sphere_points):
    def fail(_):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        rf.Flow("sphere:2", width=16, depth=2, iterations=100_000).fit(sphere_points, progress=fail)


def test_other_manifolds():
    spaces = {"torus:2": rf.manifold("torus:2").random_uniform(200, 1),
              "ball:2": 0.5 * np.random.default_rng(1).uniform(-1, 1, (200, 2)),
              "euclidean:3": 100 + 7 * np.random.default_rng(1).normal(size=(200, 3)),
              "sphere:2 x torus:1": rf.manifold("sphere:2 x torus:1").random_uniform(200, 1)}
    for name, points in spaces.items():
        density = rf.fit(points, name, model="kde")
        mass = density.mass()
        assert abs(mass.value - 1) < max(2e-3, mass.error), name
        values, gradients = density.log_prob_gradient(points[:20])
        np.testing.assert_allclose(values, density.log_prob(points[:20]), atol=1e-9)
        for i in range(points.shape[1] if "sphere" not in name else 0):
            step = 1e-5 * np.eye(points.shape[1])[i]
            slope = (density.log_prob(points[:20] + step) - density.log_prob(points[:20] - step)) / 2e-5
            np.testing.assert_allclose(gradients[:, i], slope, atol=1e-3 * (1 + np.abs(slope).max()), err_msg=name)


def test_euclidean_takes_the_dimension_of_the_data():
    assert rf.fit(np.random.default_rng(1).normal(size=(100, 4)), "euclidean", model="kde").manifold.name == "euclidean:4"


def test_compare(sphere_points):
    found = rf.compare(sphere_points, "sphere:2", methods=["uniform", "kernel-one", "kernel-local"],
                       rows={"few": {"model": "vmf-mixture", "components": 3, "optimizer": "em"}},
                       protocols=["distinct"], seeds=range(2, 4), progress=False)
    table = found.table.set_index("method")
    assert list(table.index) == ["uniform", "kernel-one", "kernel-local", "few"]
    assert table.nll["uniform"] == pytest.approx(np.log(4 * np.pi)) and table.nll["kernel-local"] < 2
    assert (table.splits == 2).all() and (abs(table.mass.drop("uniform") - 1) < 2e-3).all()
    assert len(found.runs) == 8 and set(found.runs.seed) == {2, 3}
    run = found.runs[found.runs.method == "few"].iloc[0]
    assert -np.mean(run.log_densities) == pytest.approx(run.nll, abs=1e-5) and len(run.log_densities) == 60
    network = {"width": 8, "depth": 1, "iterations": 3}
    table = rf.compare(sphere_points, methods=[], rows={"plain": network, "as-printed": {"preset": "paper", **network}},
                       protocols=["distinct"], seeds=[1], progress=False).table.set_index("method")
    assert table.nll["plain"] != table.nll["as-printed"]  # the preset counts
    for wrong, words in (({"methods": ["kernel-two"]}, "kernel-two"), ({"seeds": [1, 5]}, "seeds"),
                         ({"protocols": ["usual"]}, "usual"), ({"widht": 3}, "widht"),
                         ({"rows": {"x": {"widht": 3}}}, "widht")):
        with pytest.raises(rf.Error, match=words):
            rf.compare(sphere_points, "sphere:2", **wrong)


def log_alike(points):
    """log(1 + 0.9 cos(a − b)), not normalised, and its gradient."""
    difference = points[:, 0] - points[:, 1]
    slope = -0.9 * np.sin(difference) / (1 + 0.9 * np.cos(difference))
    return np.log1p(0.9 * np.cos(difference)), np.stack([slope, -slope], axis=1)


def test_own_targets():
    calls = []

    def target(points):
        calls.append(points.shape)
        return log_alike(points)

    options = {"width": 16, "depth": 2, "iterations": 120, "batch": 200, "progress": False}
    found = rf.fit_target(target, "torus:2", **options)
    assert all(len(shape) == 2 and shape[1] == 2 for shape in calls) and "forward_kl" not in found.scores
    # log Z of the target is log (2π)²: the divergence to the unnormalised target is less by it.
    assert -3.676 < found.scores["reverse_kl"] < -3.55
    points = rf.manifold("torus:2").random_uniform(500, seed=1)
    apart = found.density.log_prob(points) - log_alike(points)[0] + np.log(4 * np.pi**2)
    assert np.abs(apart).mean() < 0.45 < np.abs(log_alike(points)[0]).mean()

    def draw(n, seed):
        points = rf.manifold("torus:2").random_uniform(50 * n, seed=seed)
        kept = points[np.random.default_rng(seed).uniform(size=len(points)) * 1.9 < np.exp(log_alike(points)[0])]
        return kept[:n]

    def normalised(points):
        values, gradients = log_alike(points)
        return values - 2 * np.log(2 * np.pi), gradients

    drawn = rf.fit_target(normalised, "torus:2", draw=draw, forward_start=20,
                          **{**options, "iterations": 40, "batch": 50})
    assert 0 < drawn.scores["forward_kl"] < 0.6 and drawn.scores["missed_share"] < 0.05


def test_wrong_targets():
    options = {"width": 8, "depth": 1, "iterations": 3, "progress": False}
    with pytest.raises(rf.Error, match="pair"):
        rf.fit_target(lambda x: x[:, 0], "torus:2", **options)
    with pytest.raises(rf.Error, match="gradient"):
        rf.fit_target(lambda x: (x[:, 0], x[:, 0]), "torus:2", **options)
    with pytest.raises(KeyError, match="mine"):
        rf.fit_target(lambda x: {}["mine"], "torus:2", **options)
    with pytest.raises(rf.Error, match="manifold"):
        rf.fit_target(log_alike, **options)
    with pytest.raises(rf.Error, match="forward_start"):
        rf.fit_target(log_alike, "torus:2", forward_start=5, **options)
    with pytest.raises(TypeError):
        rf.fit_target("vmf", "sphere:2")
