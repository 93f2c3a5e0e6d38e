"""Where PyTorch is missing, it is said."""

import sys

import pytest

import riemflow as rf


def test_it_is_said(kernels, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "riemflow._torch", raising=False)
    with pytest.raises(rf.Error, match="PyTorch"):
        kernels.torch()
