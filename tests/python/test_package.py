"""The package as a whole: examples of the docstrings, types, what is exported."""

import doctest
import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import riemflow as rf

MODULES = ["riemflow"] + [f"riemflow.{m.name}" for m in pkgutil.iter_modules(rf.__path__)
                          if m.name not in ("_core", "_torch")]
SOURCE = Path(__file__).parents[2]


def public():
    """Names and objects with a docstring that a user sees."""
    for name in rf.__all__:
        thing = getattr(rf, name)
        yield name, thing
        if inspect.isclass(thing) and thing.__module__.startswith("riemflow"):
            for member, value in vars(thing).items():
                if not member.startswith("_") and inspect.isfunction(value):
                    yield f"{name}.{member}", value
    for name in rf.distributions.__all__:
        yield f"distributions.{name}", getattr(rf.distributions, name)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    module = importlib.import_module(name)
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL)
    assert found.failed == 0


def test_every_public_name_is_documented_with_an_example():
    # Plain records, and two methods whose class shows them.
    without = {"Check", "Comparison", "Mass", "Probability", "Score", "TargetFit", "Progress", "RiemflowWarning",
               "Interrupted", "Flow.fit", "LearnedKernels.fit", "NormalMixture.fit", "Pool.fit", "Pool.of", "VonMisesFisherMixture.fit", "KernelDensity.fit"}
    examples = 0
    for name, thing in public():
        if inspect.ismodule(thing):
            continue
        text = inspect.getdoc(thing)
        assert text, name
        if name not in without:
            assert ">>> " in text, name
            examples += 1
    assert examples > 50


def test_types_are_checked_by_mypy(tmp_path):
    pytest.importorskip("mypy")
    use = tmp_path / "use.py"
    use.write_text("import numpy as np\nimport riemflow as rf\n"
                   "density = rf.fit(np.zeros((3, 3)), 'sphere:2', width=3, activation='tanh')\n"
                   "value: float = density.score(np.zeros((1, 3))).mean\n")
    environment = {**os.environ, "MYPYPATH": str(SOURCE / "python")}
    command = [sys.executable, "-m", "mypy", "--config-file", str(SOURCE / "pyproject.toml"), "--cache-dir",
               str(tmp_path / "cache")]
    for arguments in (["-p", "riemflow"], [str(use)]):
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stdout
    use.write_text("import riemflow as rf\nrf.fit([[0.0]], 'torus:1', widht=3)\nrf.fit([[0.0]], activation='relu')\n")
    done = subprocess.run([*command, str(use)], capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and "widht" in done.stdout and "activation" in done.stdout, done.stdout


def test_the_stubs_are_those_of_the_module():
    pytest.importorskip("mypy")
    build = os.environ.get("RIEMFLOW_BUILD_DIR")
    if not build:
        pytest.skip("RIEMFLOW_BUILD_DIR is not set")
    done = subprocess.run([SOURCE / "scripts/stubs", "--check", build], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_module_says_what_it_has():
    assert set(rf.__all__) <= set(dir(rf)) and rf.__version__.count(".") == 2
    with pytest.raises(AttributeError):
        rf.nothing
    assert (Path(rf.__file__).parent / "py.typed").exists()
