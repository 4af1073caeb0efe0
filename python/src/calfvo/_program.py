# SPDX-License-Identifier: Apache-2.0
"""Where the program `calfvo` is."""

import os
import pathlib
import shutil

from ._core import Error


def program_path() -> str:
    """The program of $CALFVO_PROGRAM, of this package, or of the system, in this order."""
    chosen = os.environ.get("CALFVO_PROGRAM")
    if chosen:
        return chosen
    bundled = pathlib.Path(__file__).parent / "bin" / "calfvo"
    if bundled.exists():
        return str(bundled)
    installed = shutil.which("calfvo")
    if installed is None:
        raise Error("the program calfvo was not found: not in this package, nor on PATH; set CALFVO_PROGRAM")
    return installed
