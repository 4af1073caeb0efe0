# SPDX-License-Identifier: Apache-2.0
"""`python -m calfvo run …` is the program `calfvo run …`."""

import os
import sys

from ._core import Error
from ._program import program_path


def main() -> None:
    """Replaces this process by the program."""
    try:
        program = program_path()
    except Error as error:
        sys.exit(f"error: {error}")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
