"""What can go wrong, as exceptions and warnings."""

from __future__ import annotations

import re
from typing import Optional

__all__ = ["Error", "Interrupted", "RiemflowWarning"]

_SETTING = re.compile("‹([^›]*)›")


def in_python(text: str) -> str:
    """Settings as Python has them: ‹time-limit› is `time_limit`."""
    return _SETTING.sub(lambda found: f"`{found.group(1).replace('-', '_')}`", text)


class Error(ValueError):
    """Something that was asked for cannot be done.

    The message says what was wrong and, after a semicolon, what to do; the same is there in fields.

    Attributes
    ----------
    problem, advice : str
        What is wrong, and what to do about it.
    code : int
        The kind of fault, as the tool's exit code: 2 usage, 65 bad data, 66 no input, 70 internal, 73 cannot
        write, 75 numerical failure, 78 bad configuration.
    setting, value : str or None
        The keyword that is wrong, and the value that it was given.
    file : str or None
        The file that is wrong; `line` and `column` count from 1 and are None where they are not known.

    Examples
    --------
    >>> import riemflow as rf
    >>> try:
    ...     rf.manifold("spere:2")
    ... except rf.Error as error:
    ...     print(error.advice)
    perhaps you meant sphere? the manifolds are euclidean, sphere, ball, torus, hyperboloid, interval, positive, simplex, spd, axis, stiefel, grassmann, rotation
    """

    def __init__(self, problem: str, advice: str = "", code: int = 78, setting: str = "", value: str = "",
                 file: str = "", line: int = 0, column: int = 0) -> None:
        self.problem = in_python(problem)
        self.advice = in_python(advice)
        self.code = code
        self.setting: Optional[str] = setting.replace("-", "_") or None
        self.value: Optional[str] = value or None
        self.file: Optional[str] = file or None
        self.line: Optional[int] = line or None
        self.column: Optional[int] = column or None
        super().__init__(f"{self.problem}; {self.advice}" if advice else self.problem)

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return (type(self), (self.problem, self.advice, self.code, self.setting or "", self.value or "",
                             self.file or "", self.line or 0, self.column or 0))


class Interrupted(KeyboardInterrupt):
    """A fit was ended by Ctrl-C.

    Attributes
    ----------
    density : Density or None
        The best density so far; None where there was none yet.
    """

    def __init__(self, density: object = None) -> None:
        super().__init__("the fit was interrupted" + ("; .density is the best so far" if density else ""))
        self.density = density


class RiemflowWarning(UserWarning):
    """Something that was computed, but not as it should be: duplicates on both sides of a split, points that failed."""
