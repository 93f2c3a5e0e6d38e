"""Builds the module by CMake. RIEMFLOW_BUILD_DIR: a build folder to use instead of a new one, as of scripts/build."""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent.resolve()


def version() -> str:
    header = (ROOT / "src/riemflow/core/version.hpp").read_text()
    found = re.search(r"kVersion.*?(\d+\.\d+\.\d+)", header)
    assert found, "src/riemflow/core/version.hpp has no version"
    return found.group(1)


class BuildByCMake(build_ext):
    def build_extension(self, ext: Extension) -> None:
        target = Path(self.get_ext_fullpath(ext.name)).resolve()
        given = os.environ.get("RIEMFLOW_BUILD_DIR")
        build = Path(given).resolve() if given else Path(self.build_temp).resolve()
        if not given:
            build.mkdir(parents=True, exist_ok=True)
            subprocess.run(
                ["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DRIEMFLOW_PYTHON_MODULE=ON",
                 f"-DPython3_EXECUTABLE={sys.executable}", "-DRIEMFLOW_UNITE=ON", "-DRIEMFLOW_TOOL=OFF",
                 "-DRIEMFLOW_TESTS=OFF", "-DRIEMFLOW_BENCH=OFF", "-DRIEMFLOW_INSTALL=OFF",
                 f"-DRIEMFLOW_CUDA={os.environ.get('RIEMFLOW_CUDA', 'OFF')}"], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "riemflow_python"], check=True)
        (built,) = (build / "python/riemflow").glob("_core.*.so")
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(built), str(target))


setup(version=version(), ext_modules=[Extension("riemflow._core", [])], cmdclass={"build_ext": BuildByCMake})
