"""Partitions scored by workers, each with a density that was pickled to it."""

import numpy as np
import pytest

import riemflow as rf

distributed = pytest.importorskip("distributed")


def test_partitions_are_scored_by_a_local_cluster(pool, uniform_points):
    parts = np.array_split(uniform_points, 4)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        there = client.scatter(pool.evaluated(threads=1), broadcast=True)
        futures = [client.submit(rf.Density.log_prob, there, part) for part in parts]
        scores = np.concatenate(client.gather(futures))
    np.testing.assert_array_equal(scores, np.concatenate([pool.log_prob(part) for part in parts]))
