"""The estimator, where scikit-learn's estimators go."""

import pickle

import numpy as np
import pytest

import riemflow as rf

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer, StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("settings", [{"model": "kde"}, {"time_limit": 1, "options": {"flow_steps": 5}}])
def test_check_estimator(settings):
    check_estimator(rf.DensityEstimator(manifold="euclidean", **settings))


def test_methods(sphere_points):
    estimator = rf.DensityEstimator(manifold="sphere:2", model="kde", random_state=3).fit(sphere_points)
    values = estimator.score_samples(sphere_points)
    np.testing.assert_array_equal(values, estimator.density_.log_prob(sphere_points))
    assert estimator.score(sphere_points) == pytest.approx(values.mean())
    draws = estimator.sample(7, random_state=1)
    assert draws.shape == (7, 3)
    np.testing.assert_array_equal(draws, estimator.sample(7, random_state=1))
    assert not np.array_equal(draws, estimator.sample(7, random_state=2))
    assert estimator.density_ == rf.fit(sphere_points, "sphere:2", model="kde", seed=3, time_limit=60)
    again = clone(estimator)
    assert again.get_params() == estimator.get_params() and not hasattr(again, "density_")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(estimator)).score_samples(sphere_points), values)


def test_weights(sphere_points):
    weights = np.where(sphere_points[:, 2] > 0.5, 5.0, 1.0)
    estimator = rf.DensityEstimator(manifold="sphere:2", model="kde", options={"kernel": "one"})
    plain = estimator.fit(sphere_points).score(sphere_points[sphere_points[:, 2] > 0.5])
    heavy = estimator.fit(sphere_points, sample_weight=weights).score(sphere_points[sphere_points[:, 2] > 0.5])
    assert heavy > plain + 0.05


def test_in_a_pipeline_and_a_search(sphere_points):
    lat, lon = rf.to_latlon(sphere_points)
    places = np.stack([lat, lon], axis=1)
    to_vectors = FunctionTransformer(lambda X: rf.from_latlon(X[:, 0], X[:, 1]))
    pipeline = make_pipeline(to_vectors, rf.DensityEstimator(manifold="sphere:2", model="kde"))
    assert pipeline.fit(places).score(places) > -2.531
    search = GridSearchCV(pipeline, {"densityestimator__options": [{"kernel": "one"}, {"kernel": "local"}]}, cv=3)
    search.fit(places)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    scores = cross_val_score(make_pipeline(StandardScaler(), rf.DensityEstimator(model="kde")),
                             np.random.default_rng(1).normal(size=(150, 2)), cv=3)
    assert np.isfinite(scores).all() and scores.mean() > -4


def test_tags_of_newer_versions():
    class Tags:
        non_deterministic = False

    class Newer:
        def __sklearn_tags__(self):
            return Tags()

    # super() of a class below which scikit-learn ≥ 1.6 stands.
    estimator = type("Estimator", (rf.DensityEstimator, Newer), {})(model="pool")
    assert estimator.__sklearn_tags__().non_deterministic
    assert not type(estimator)(model="kde").__sklearn_tags__().non_deterministic
