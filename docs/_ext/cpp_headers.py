"""The reference of C++: a directive that shows a header as it is documented, by doxygen and breathe.

    ```{cpp-header} model/density.hpp
    :only: Density, density_of      (everything, unless given)
    ```

It writes the comment at the head of the file, and then what the header declares.
"""

import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)

docs = Path(__file__).resolve().parent.parent
source = docs.parent / "src" / "riemflow"

doxyfile = """\
PROJECT_NAME = riemflow
QUIET = YES
WARN_LOGFILE = "{work}/warnings.txt"
WARN_IF_UNDOCUMENTED = NO
INPUT = {inputs}
FULL_PATH_NAMES = YES
STRIP_FROM_PATH = "{strip}"
OUTPUT_DIRECTORY = "{work}"
GENERATE_XML = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
EXTRACT_STATIC = YES
EXTRACT_PRIVATE = NO
EXTRACT_ANON_NSPACES = NO
HIDE_FRIEND_COMPOUNDS = YES
MARKDOWN_SUPPORT = YES
AUTOLINK_SUPPORT = NO
SORT_MEMBER_DOCS = NO
SORT_BRIEF_DOCS = NO
INHERIT_DOCS = YES
# All is in one namespace, which the pages say once: breathe would repeat it for each header, and call that a duplicate.
INPUT_FILTER = "sed -e 's,^namespace riemflow {{$,,' -e 's,^}} *// namespace riemflow$,,'"
"""


def named_headers():
    found = set()
    for page in (docs / "reference").rglob("*.md"):
        found.update(re.findall(r"^```\{cpp-header\} (\S+)", page.read_text(), re.M))
    return sorted(found)


def place_of(app):
    return Path(app.outdir).parent / (Path(app.outdir).name + "-doxygen")


def choose_place(app, config):
    config.breathe_projects = {"riemflow": str(place_of(app) / "xml")}


def run_doxygen(app):
    work = place_of(app)
    work.mkdir(parents=True, exist_ok=True)
    headers = named_headers()
    newest = max((source / h).stat().st_mtime for h in headers)
    config = doxyfile.format(work=work, inputs=" ".join(f'"{source / h}"' for h in headers), strip=source.parent)
    done = work / "Doxyfile"
    index = work / "xml" / "index.xml"
    if index.exists() and index.stat().st_mtime > newest and done.exists() and done.read_text() == config:
        return  # breathe reads a page again when its XML is newer
    done.write_text(config)
    try:
        subprocess.run(["doxygen", str(done)], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise ExtensionError(f"doxygen failed: {error}") from error
    leave_out_private(work / "xml")
    for line in (work / "warnings.txt").read_text().splitlines():
        logger.warning("%s", line)


def leave_out_private(xml):
    """Doxygen writes private members all the same, and breathe shows those of a file."""
    for path in [*xml.glob("class*.xml"), *xml.glob("struct*.xml")]:
        tree = ElementTree.parse(path)
        for parent in list(tree.iter()):
            for child in list(parent):
                private = child.get("prot") == "private" or child.get("kind", "").startswith("private-")
                if private and child.tag in ("sectiondef", "memberdef", "innerclass"):
                    parent.remove(child)
        tree.write(path, encoding="utf-8", xml_declaration=True)


def types_first(found):
    """Breathe lists functions before the classes that they are about."""
    flat = [c for child in found for c in (child.children if isinstance(child, nodes.container) else [child])]
    types = [c for c in flat if isinstance(c, addnodes.desc) and c["objtype"] in ("class", "struct")]
    return types + [c for c in flat if c not in types]


def head_of(text):
    """The comment below `#pragma once`, as lines without their slashes."""
    lines = []
    for line in text.split("#pragma once\n", 1)[1].splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].removeprefix(" "))
    return lines


def paragraphs(lines):
    """Prose as paragraphs; what is indented, as it stands."""
    block, kind = [], None
    for line in [*lines, None]:
        now = None if line is None or not line.strip() else "code" if line.startswith("  ") else "prose"
        if now is None and kind == "code" and line is not None:
            block.append("")  # perhaps more of it follows
            continue
        if now != kind:
            while block and not block[-1].strip():
                block.pop()
            if kind == "prose":
                yield nodes.paragraph("", "", *inlines(" ".join(block)))
            elif kind == "code":
                indent = min(len(b) - len(b.lstrip()) for b in block if b.strip())
                text = "\n".join(b[indent:] for b in block)
                literal = nodes.literal_block(text, text)
                literal["language"] = "cpp" if re.search(r"[;{]$", text, re.M) else "none"
                yield literal
            block = []
        kind = now
        if now:
            block.append(line)


def inlines(text):
    for i, part in enumerate(re.split(r"`([^`]+)`", text)):
        if part:
            yield nodes.literal(part, part) if i % 2 else nodes.Text(part)


class CppHeader(SphinxDirective):
    required_arguments = 1
    option_spec = {"only": directives.unchanged}

    def run(self):
        header = self.arguments[0]
        path = source / header
        if not path.exists():
            raise self.error(f"there is no header {header}")
        self.env.note_dependency(str(path))
        include = nodes.paragraph("", "", classes=["cpp-include"])
        name = f"#include <riemflow/{header}>"
        include += nodes.literal(name, name)
        result = [include, *paragraphs(head_of(path.read_text()))]
        only = [n.strip() for n in self.options.get("only", "").split(",") if n.strip()]
        text = []
        for name in only:
            kind = "class" if name[0].isupper() else "function"
            text += [f"```{{doxygen{kind}}} {name}", "```", ""]
        if not only:
            text += [f"```{{doxygenfile}} riemflow/{header}", "```", ""]
        node = nodes.container()
        self.state.nested_parse(StringList(text, source=self.env.doc2path(self.env.docname)), self.content_offset, node)
        return result + types_first(node.children)


def setup(app):
    app.connect("config-inited", choose_place, priority=100)
    app.connect("builder-inited", run_doxygen, priority=100)
    app.add_directive("cpp-header", CppHeader)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
