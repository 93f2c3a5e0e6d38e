"""The examples in the order in which a reader meets them, and none that is no more."""

from pathlib import Path

docs = Path(__file__).resolve().parent.parent
examples = docs.parent / "examples" / "python"

order = ["earthquakes", "ramachandran", "wind", "unit_vectors", "axes", "rotations", "orientations", "time_of_day", "compositions",
         "covariances", "hyperbolic", "paper_table", "own_target", "scikit_learn", "dask"]


class ReadingOrder:
    """Those that are not in the list come last, by name."""

    def __init__(self, folder):
        pass

    def __call__(self, filename):
        name = filename.removeprefix("plot_").removesuffix(".py")
        return (order.index(name) if name in order else len(order), name)

    def __repr__(self):
        return "<ReadingOrder>"  # the same in each build: the configuration has not changed


def leave_out_removed():
    """The gallery keeps pages of examples that are no more, and Sphinx would find them in no table of contents."""
    for page in (docs / "gallery").glob("plot_*"):
        if page.is_file() and not (examples / (page.name.split(".")[0].removesuffix("_codeobj") + ".py")).exists():
            page.unlink()
