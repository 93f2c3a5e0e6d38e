"""The reference of Python needs the module; where it is not built, its page says so and the rest of the site is built.

RIEMFLOW_SITE_WITHOUT_PYTHON=1 allows that; otherwise a missing module is an error.
"""

import importlib
import os

from sphinx.errors import ExtensionError

stub = """\
# The Python module

This site was built without the module `riemflow`, so that its reference is missing here. `scripts/docs --site` builds
it where `build/python` has the module.
"""


def look_for_module(app, config):
    try:
        importlib.import_module("riemflow")
    except ImportError as error:
        if not os.environ.get("RIEMFLOW_SITE_WITHOUT_PYTHON"):
            raise ExtensionError(f"the Python module cannot be imported: {error}. Build it, and put its folder into "
                                 "PYTHONPATH; scripts/docs --site takes build/python") from error
        config.autosummary_generate = False
        app.connect("source-read", leave_out)


def leave_out(app, docname, source):
    if docname == "reference/python":
        source[0] = stub


made_by_functions = ("riemflow.Density", "riemflow.PointSet", "riemflow.distributions.Distribution")


def no_constructor(app, what, name, found, options, signature, returns):
    """Of classes that functions of the module make: what their constructor takes is no matter of users."""
    return ("", None) if name in made_by_functions else None


def setup(app):
    app.connect("autodoc-process-signature", no_constructor)
    app.connect("config-inited", look_for_module, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
