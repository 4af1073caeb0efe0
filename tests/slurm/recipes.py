# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/scale.md, so that what is documented is what is tested."""
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/scale.md"


def recipe(heading):
    """The first block of code below a heading."""
    section = re.split(r"^#+ " + re.escape(heading) + "$", PAGE.read_text(), maxsplit=1, flags=re.MULTILINE)[1]
    return re.search(r"^```\w+\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)[1]


def with_values(text, **values):
    """`text` with the values of its shell variables, each of which it must set on a line of its own."""
    for name, value in values.items():
        text, count = re.subn(rf"^{name}=\S+", lambda _, line=f"{name}={value}": line, text, flags=re.MULTILINE)
        assert count == 1, f"the recipe sets {name} {count} times"
    return text
