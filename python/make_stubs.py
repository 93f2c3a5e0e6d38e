"""make_stubs.py FOLDER: writes _core.pyi and fitting.pyi there (scripts/stubs)."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import riemflow
from riemflow import _options

SOURCE = Path(__file__).parent / "riemflow"
KEYWORD_TYPES = {"flag": "bool", "whole": "int", "real": "float"}


def keyword(name: str) -> str:
    """A keyword of the table with its type."""
    row = _options.TABLE[name]
    if row["kind"] == "choice":
        kind = "Literal[" + ", ".join(f'"{choice}"' for choice in row["choices"]) + "]"
    elif name in ("components", "rates", "columns", "split"):
        kind = "Union[str, float, Sequence[Any]]"
    elif row["kind"] == "text":
        kind = "Union[str, int, float, os.PathLike[str]]"
    else:
        kind = KEYWORD_TYPES[row["kind"]]
    return f"{name}: Optional[{kind}] = ..."


def core_stub() -> str:
    """By mypy's stubgen, from the signatures that the compiled module has in its docstrings."""
    out = Path(sys.argv[1]) / "stubgen"
    subprocess.run([sys.executable, "-c", "from mypy.stubgen import main; main()", "-m", "riemflow._core", "-o", str(out)], check=True,
                   stdout=subprocess.DEVNULL)
    text = (out / "riemflow/_core.pyi").read_text()
    # pybind11 writes arrays with their element and shape, which mypy's ndarray does not take so.
    return re.sub(r"numpy\.ndarray\[[^\]]*\](\])?", r"numpy.ndarray\1",
                  re.sub(r"numpy\.ndarray\[numpy\.float64\[[^\]]*\]\]", "numpy.ndarray", text))


def fitting_stub() -> str:
    """The source without bodies, and every option spelled out where it takes **options."""
    tree = ast.parse((SOURCE / "fitting.py").read_text())
    kinds = {"Flow": "riemannian", "VonMisesFisherMixture": "vmf-mixture", "Pool": "pool", "KernelDensity": "kde",
             "LearnedKernels": "kernels", "NormalMixture": "normal-mixture"}
    keywords = {
        "fit": ["preset", *[n for n in _options.TABLE if n not in ("manifold", "seed", "time_limit", "target")]],
        "fit_target": [*_options.names_for("riemannian"), "model"],
        **{name: [*_options.names_for(kind), *_options._READING] for name, kind in kinds.items()},
    }
    parts = ["# Made by scripts/stubs.", "import os",
             "from typing import Any, Dict, List, Literal, Mapping, NamedTuple, Optional, Sequence, Union", "",
             "from ._progress import ProgressOption", "from .density import Density", ""]

    def function(node: ast.FunctionDef, owner: str = "", indent: str = "") -> None:
        args = node.args
        args.kwarg = None if (owner or node.name) in keywords and args.kwarg else args.kwarg
        body = ast.unparse(args)
        if (owner or node.name) in keywords and (not owner or node.name == "__init__"):
            known = [k for k in keywords[owner or node.name] if f" {k}:" not in f" {body}"]
            body += "".join(", " + (keyword(k) if k != "preset" else "preset: Optional[str] = ...") for k in known)
        for decorator in node.decorator_list:
            parts.append(f"{indent}@{ast.unparse(decorator)}")
        returns = ast.unparse(node.returns) if node.returns else "Any"
        parts.append(f"{indent}def {node.name}({body}) -> {returns}: ...")

    init = next(n for c in tree.body if isinstance(c, ast.ClassDef) and c.name == "_Recipe"
                for n in c.body if isinstance(n, ast.FunctionDef) and n.name == "__init__")
    recipe_fit = next(n for c in tree.body if isinstance(c, ast.ClassDef) and c.name == "_Recipe"
                      for n in c.body if isinstance(n, ast.FunctionDef) and n.name == "fit")
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            function(node)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            tuple_of = any(ast.unparse(base) == "NamedTuple" for base in node.bases)
            parts.append(f"\nclass {node.name}{'(NamedTuple)' if tuple_of else ''}:")
            methods = [n for n in node.body if isinstance(n, ast.FunctionDef)]
            if tuple_of:
                parts += ["    " + ast.unparse(n) for n in node.body if isinstance(n, ast.AnnAssign)]
                continue
            parts += ["    manifold: Any", "    options: Dict[str, Any]"]
            names = {n.name for n in methods}
            for method in ([] if "__init__" in names else [init]) + ([] if "fit" in names else [recipe_fit]) + methods:
                function(ast.parse(ast.unparse(method)).body[0], node.name, "    ")  # type: ignore[arg-type]
    return "\n".join(parts) + "\n"


folder = Path(sys.argv[1])
(folder / "fitting.pyi").write_text(fitting_stub())
(folder / "_core.pyi").write_text(core_stub())
assert riemflow.__version__
