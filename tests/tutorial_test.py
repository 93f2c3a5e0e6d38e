#!/usr/bin/python3
"""Runs the sessions (`>>>`) of docs/python_tutorial.md, and compares what they print.

    tests/tutorial_test.py BUILD [--pictures]      --pictures: those that it writes become those of the page

A number is to be equal as far as it is written: 0.02 is met by 0.0237. `...` stands for anything.
"""

import doctest
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parent.parent
page = root / "docs" / "python_tutorial.md"
number = re.compile(r"[-+]?\d+(?:\.(\d+))?(?:[eE][-+]?\d+)?")


class AsWritten(doctest.OutputChecker):
    def check_output(self, want, got, flags):
        if super().check_output(want, got, flags):
            return True
        wanted, found = list(number.finditer(want)), list(number.finditer(got))
        if len(wanted) != len(found):
            return False
        for w, g in reversed(list(zip(wanted, found))):
            unit = 10.0 ** -len(w.group(1) or "")
            if abs(float(w.group()) - float(g.group())) <= 0.5000001 * unit:
                got = got[: g.start()] + w.group() + got[g.end():]
        return super().check_output(want, got, flags)


def main(build, options):
    if not (build / "python" / "riemflow").exists():
        print(f"skipped: {build}/python has no module; scripts/build makes it")
        return 77
    sys.path.insert(0, str(build.resolve() / "python"))
    os.environ["MPLBACKEND"] = "agg"
    # One test of all blocks: each goes on where the one before it ended.
    blocks = [(m.start(1), m.group(1)) for m in re.finditer(r"^```python\n(>>> .*?)^```$", page.read_text(), re.M | re.S)]
    text = page.read_text()
    parser, examples = doctest.DocTestParser(), []
    for start, block in blocks:
        for example in parser.get_examples(block):
            example.lineno += text[:start].count("\n")
            examples.append(example)
    test = doctest.DocTest(examples, {"__name__": "__main__"}, page.name, str(page), 0, None)
    runner = doctest.DocTestRunner(AsWritten(), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        failed, tried = runner.run(test)
        if "--pictures" in options:
            for picture in Path(folder).glob("*.png"):
                shutil.copy(picture, page.parent / "images" / f"python_{picture.name}")
        os.chdir(root)
    print(f"{tried} statements, {failed} not as the page says")
    return 1 if failed or tried < 10 else 0


if __name__ == "__main__":
    given = [a for a in sys.argv[1:] if not a.startswith("--")]
    sys.exit(main(Path(given[0] if given else root / "build"), sys.argv[1:]))
