#!/usr/bin/python3
"""Builds the site and follows every link of every page: the file is there, the anchor is in it, nothing is loaded from elsewhere.

    tests/site_test.py BUILD [--no-gallery] [--no-build]
"""

import html.parser
import subprocess
import sys
import urllib.parse
from pathlib import Path

root = Path(__file__).resolve().parent.parent
skipped = 77


class Page(html.parser.HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.anchors.update(a[key] for key in ("id", "name") if a.get(key))
        if tag == "a" and a.get("href") is not None:
            self.links.append(a["href"])
        elif tag == "link" and a.get("href"):
            self.loads.append(a["href"])
        if tag != "a" and a.get("src"):
            self.loads.append(a["src"])
        for one in (a.get("srcset") or "").split(","):
            if one.strip():
                self.loads.append(one.split()[0])


def broken_links(site):
    """A sentence for each, and the number of links that were followed."""
    site = site.resolve()
    pages = {path: Page(path) for path in site.rglob("*.html")}
    wrong, followed = [], 0
    for path, page in sorted(pages.items()):
        where = path.relative_to(site)
        for target, is_load in [(t, False) for t in page.links] + [(t, True) for t in page.loads]:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                if is_load:
                    wrong.append(f"{where} loads {target}: the site is to need no network")
                continue
            followed += 1
            place = path if not parts.path else (path.parent / urllib.parse.unquote(parts.path)).resolve()
            if place.is_dir():
                place = place / "index.html"
            if not place.is_relative_to(site) or not place.is_file():
                wrong.append(f"{where} links to {target}, which is not there")
            elif parts.fragment and not is_load and place in pages:
                anchor = urllib.parse.unquote(parts.fragment)
                if anchor not in pages[place].anchors:
                    wrong.append(f"{where} links to {target}, and that page has no such anchor")
    return wrong, followed, len(pages)


def main(arguments):
    options = [a for a in arguments if a.startswith("--")]
    build = Path(next((a for a in arguments if not a.startswith("--")), root / "build"))
    if "--no-build" not in options:
        try:
            import breathe, furo, myst_parser, numpydoc, sphinx, sphinx_gallery  # noqa: E401, F401
        except ImportError as error:
            print(f"skipped: {error}; scripts/setup installs it")
            return skipped
        if not (build / "python" / "riemflow").exists():
            print(f"skipped: {build}/python has no module; scripts/build makes it")
            return skipped
        command = [root / "scripts" / "docs", "--site", *(o for o in options if o == "--no-gallery"), build.resolve()]
        if subprocess.run(command).returncode != 0:
            print("FAILED: the site is not built without a warning")
            return 1
    wrong, followed, pages = broken_links(build / "site")
    for line in sorted(set(wrong)):
        print(f"FAILED: {line}")
    print(f"{followed} links on {pages} pages, {len(set(wrong))} broken")
    if pages < 40 or followed < 1000:
        print("FAILED: that is not the whole site")
        return 1
    return 1 if wrong else 0


sys.exit(main(sys.argv[1:]))
