"""Ctrl-C, as a terminal sends it."""

import signal
import subprocess
import sys
import time

import pytest

FIT = """
import sys, time, riemflow as rf
X = rf.distributions.vmf([0, 0, 1], 20).sample(3000, seed=1)
print("begun", flush=True)
try:
    {call}
except KeyboardInterrupt as error:
    print("kind", type(error).__name__, getattr(error, "density", None), flush=True)
"""


def interrupted(call, after):
    """Output, and the seconds from the signal to the end."""
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", FIT.format(call=call)], stdout=subprocess.PIPE,
                               text=True)
    assert process.stdout.readline() == "begun\n"
    time.sleep(after)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    return output, time.monotonic() - sent


def test_a_fit_ends_with_the_density_so_far():
    output, seconds = interrupted('rf.Flow("sphere:2", iterations=10**6, progress=False) if 0 else '
                                  'rf.fit(X, "sphere:2", model="riemannian", iterations=10**6, progress=False)', 3)
    assert "kind Interrupted <riemflow.Density riemannian on sphere:2>" in output
    assert seconds < 3  # the process's end included; a second for the fit


def test_the_default_ends_with_what_there_is():
    output, seconds = interrupted('rf.fit(X, "sphere:2", time_limit=300, progress=False)', 15)
    assert "kind Interrupted <riemflow.Density pool on sphere:2>" in output
    assert seconds < 4


@pytest.mark.parametrize("call", [
    'rf.KernelDensity("sphere:2", bandwidth=0.5).fit(X).log_prob(rf.manifold("sphere:2").random_uniform(5_000_000))',
    'rf.compare(X, "sphere:2", methods=["paper"], progress=False)',
])
def test_other_calls_end_too(call):
    output, seconds = interrupted(call, 3)
    assert "kind KeyboardInterrupt" in output and seconds < 3
