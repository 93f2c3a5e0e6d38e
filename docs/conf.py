"""The site: `scripts/docs --site` builds it from these pages, the examples, the headers and the Python module."""

import os
import re
import sys
from pathlib import Path

docs = Path(__file__).resolve().parent
root = docs.parent
sys.path.insert(0, str(docs / "_ext"))

from gallery_order import ReadingOrder, leave_out_removed  # noqa: E402

project = "riemflow"
author = "the riemflow authors"
project_copyright = "the riemflow authors; MIT licence"
header = root / "src" / "riemflow" / "core" / "version.hpp"
version = release = re.search(r'kVersion\b[^"]*"([\d.]+)', header.read_text()).group(1)

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "breathe",
    "sphinx_gallery.gen_gallery",
    "repository",
    "cpp_headers",
    "python_module",
]
exclude_patterns = ["_templates", "_ext", "gallery/**/*.ipynb"]
templates_path = ["_templates"]
default_role = "py:obj"  # of docstrings: a link where it is a name of the module, else code
smartquotes = False
highlight_language = "none"  # plain indented blocks are sessions of a shell, and formulas

# Markdown as GitHub reads it: anchors of headings, and nothing else.
myst_heading_anchors = 4
myst_enable_extensions = []

html_theme = "furo"
html_title = f"riemflow {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}

# Python
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# C++
breathe_default_project = "riemflow"
breathe_default_members = ("members",)
breathe_show_include = False
breathe_show_define_initializer = True

# What -n would ask of names that no page of this site describes: the standard library's, numpy's and those inside.
nitpick_ignore_regex = [("cpp:.*", ".*"), ("c:.*", ".*"), ("py:.*", ".*")]

leave_out_removed()
sphinx_gallery_conf = {
    "examples_dirs": str(root / "examples" / "python"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": ReadingOrder,
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "run_stale_examples": True,  # the module may have changed
    "min_reported_time": 1,
    "capture_repr": ("_repr_html_", "__repr__"),
    "inspect_global_variables": False,
    "image_srcset": ["2x"],
    "matplotlib_animations": False,
    "plot_gallery": "False" if os.environ.get("RIEMFLOW_SITE_NO_GALLERY") else "True",
}
