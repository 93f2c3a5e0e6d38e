"""The options of a fit as keywords. They are declared in the library, once, and read from it here."""

from __future__ import annotations

import numbers
import textwrap
from typing import Any, Dict, Iterable, List, Optional

import numpy as np

from . import _core
from .errors import Error, in_python

# Of the tool: its output and its checkpoints.
_OF_THE_TOOL = {"quiet", "json", "checkpoint-every"}
# Parameters of `fit` that have a description of their own.
_OWN = {"manifold", "seed", "time-limit", "target"}

TABLE: Dict[str, Dict[str, Any]] = {
    row["name"].replace("-", "_"): row for row in _core.option_table() if row["name"] not in _OF_THE_TOOL
}

_READING = ("columns", "weights", "units", "skip_invalid", "format", "data_dir")
_DATA = ("split", "dedup", "group_split", "group_within", "split_seed", "curvature")
_RUNNING = ("log", "threads")
#: The options of each kind of model beside those of data and running, in the order of the table.
KINDS: Dict[str, List[str]] = {
    "kde": ["kernel"],
    "kernels": ["kernel_steps"],
    "normal-mixture": [],
    "vmf-mixture": ["components", "iterations", "epochs", "batch", "optimizer", "rate", "rates", "schedule",
                    "validate_every", "patience", "max_concentration", "beta1", "beta2", "epsilon"],
    "pool": ["device", "flow_steps", "kernel_steps"],
}
_NOT_OF_A_FLOW = {"components", "rates", "max_concentration", "flow_steps", "kernel_steps", "target", "model", *_READING}
KINDS["riemannian"] = [name for name in TABLE
                       if name not in _NOT_OF_A_FLOW and name not in _DATA + _RUNNING
                       and name not in ("manifold", "seed", "time_limit")]


def names_for(kind: str) -> List[str]:
    """The keywords of a kind of model."""
    return [*_DATA, *_RUNNING, *KINDS[kind]]


def text_of(name: str, value: Any) -> str:
    """A value as the library reads it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, str):
        return value
    if hasattr(value, "__fspath__"):
        return str(value)
    if isinstance(value, Iterable):
        return ("/" if name == "split" else ",").join(text_of(name, item) for item in value)
    raise TypeError(f"{name} is {value!r}, a {type(value).__name__}; {TABLE[name]['type'] or 'True or False'} is expected")


def values_of(options: Dict[str, Any], known: Optional[Iterable[str]] = None, of: str = "fit") -> Dict[str, str]:
    """The library's values of keywords; None stands for one that is not given. A name that is none is an Error."""
    names = list(known) if known is not None else list(TABLE)
    values = {}
    for name, value in options.items():
        if name not in names:
            near = _core.nearest_name(name, names)
            raise Error(f"{of} has no keyword '{name}'" + (f", perhaps you meant '{near}'" if near else ""),
                        "its keywords are " + ", ".join(names), 2, name, str(value))
        if value is not None:
            values[TABLE[name]["name"]] = text_of(name, value)
    return values


def _type_of(row: Dict[str, Any]) -> str:
    if row["kind"] == "flag":
        return "bool"
    if row["kind"] == "choice":
        return "{" + ", ".join(f'"{choice}"' for choice in row["choices"]) + "}"
    return {"whole": "int", "real": "float", "text": "str"}[row["kind"]]


def default_of(row: Dict[str, Any]) -> str:
    """As Python writes it; empty where there is none."""
    text = row["default"]
    if row["kind"] == "flag":
        return text.capitalize()
    if text == "" or row["kind"] in ("whole", "real"):
        return text
    return f'"{text}"'


def documentation(names: Iterable[str], indent: str = "    ") -> str:
    """Parameters in numpydoc's style."""
    lines = []
    for name in names:
        row = TABLE[name]
        default = default_of(row)
        lines.append(f"{indent}{name} : {_type_of(row)}" + (f", default {default}" if default else ", optional"))
        # A star or a bar would be markup.
        help_text = in_python(row["help"]).replace("*", "\\*").replace("|", "\\|") + "."
        lines += textwrap.wrap(help_text, 110, initial_indent=indent + "    ", subsequent_indent=indent + "    ")
    return "\n".join(lines)
