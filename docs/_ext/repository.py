"""Links of the pages to files of the repository that are no pages.

On GitHub `[earth.md](../experiments/results/earth.md)` opens the file. Here documents of the root are pages that include
them, tables of experiments/results are pages that copy them, any other file is a download, and a folder is its name.
"""

import os
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

logger = logging.getLogger(__name__)

docs = Path(__file__).resolve().parent.parent
root = docs.parent
results = root / "experiments" / "results"

# A document of the repository, and the page that it is.
pages = {
    "README.md": "index",
    "DESIGN.md": "design",
    "CONTRIBUTING.md": "contributing",
    "CHANGELOG.md": "changelog",
    "data/README.md": "data",
    "docs": "index",
}


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def page_of_result(path):
    """The page of a table or folder of experiments/results."""
    below = path.relative_to(results)
    return "results/index" if path == results else str(Path("results", below / "index" if path.is_dir() else below.with_suffix("")))


def write_results(app):
    """docs/results: the tables, and a list of them for each folder. Generated anew; git ignores it."""
    made = set()
    for folder in [results, *sorted(p for p in results.rglob("*") if p.is_dir())]:
        tables = sorted(folder.glob("*.md"))
        folders = sorted(p for p in folder.iterdir() if p.is_dir())
        name = folder.relative_to(root)
        lines = [f"# {'Tables behind the figures' if folder == results else name}", ""]
        if folder == results:
            lines += ["Every table of these pages, as the command wrote it, with the command, the machine and the commit. "
                      f"The files are in `{name}`, with the numbers as JSON beside them.", ""]
        lines += ["```{toctree}", ":maxdepth: 1", ""]
        lines += [f"{p.stem} <{p.stem}>" for p in tables] + [f"{p.name}/ <{p.name}/index>" for p in folders]
        lines += ["```", ""]
        pages_here = {docs / (page_of_result(folder) + ".md"): "\n".join(lines)}
        for table in tables:
            pages_here[docs / (page_of_result(table) + ".md")] = table.read_text()
        for page, text in pages_here.items():
            write_if_changed(page, text)
            made.add(page)
    for page in (docs / "results").rglob("*.md"):
        if page not in made:
            page.unlink()


class RepositoryLinks(SphinxTransform):
    default_priority = 5

    def apply(self, **kwargs):
        here = Path(self.env.doc2path(self.env.docname)).parent
        for node in list(self.document.findall(addnodes.pending_xref)):
            if node.get("reftype") != "myst":
                continue
            target, _, anchor = node["reftarget"].partition("#")
            if not target or "://" in target:
                continue
            path = Path(os.path.normpath(here / target))
            name = str(path.relative_to(root)) if path.is_relative_to(root) else None
            if name is None or (path.is_relative_to(docs) and path != docs):
                continue  # a page of this site, or nothing: the resolver says so
            page = pages.get(name)
            if page is None and path.is_relative_to(results) and (path.is_dir() or path.suffix == ".md"):
                page = page_of_result(path)
            if page is not None:
                node["reftarget"] = os.path.relpath(docs / (page + ".md"), here) + (f"#{anchor}" if anchor else "")
            elif path.is_file():
                link = addnodes.download_reference(
                    refdoc=self.env.docname, reftarget=os.path.relpath(path, here), reftype="myst", refdomain=None,
                    refexplicit=True, refwarn=False)
                link += nodes.inline("", node.astext(), classes=["xref", "download", "myst"])
                node.replace_self(link)
            elif path.is_dir():
                node.replace_self(nodes.literal("", name if node.astext() != name else node.astext()))
            else:
                logger.warning("no file of the repository: %s", node["reftarget"], location=node)


def setup(app):
    app.connect("builder-inited", write_results, priority=100)
    app.add_transform(RepositoryLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
