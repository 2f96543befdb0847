"""Update every catalogue with the texts of the code, and compile it. With `--check` only list what is missing.

The exit code is 1 if a text has no translation.
"""

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings.dev")

from casino.messages.catalogues import (
    LANGUAGES,
    catalogue_update,
    library_catalogue_copy,
    library_corrections_compile,
    missing_texts,
)
from casino.messages.extract import texts_of

CHECKOUT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    """Update all catalogues unless `--check` is given, then print the work that is left for translators."""
    parser = argparse.ArgumentParser(prog="make messages", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    check_only = parser.parse_args(arguments).check
    template = texts_of(CHECKOUT)
    missing = 0
    for language in LANGUAGES:
        if not check_only:
            catalogue_update(CHECKOUT, language, template)
        texts = missing_texts(CHECKOUT, language, template)
        missing += len(texts)
        print(f"{language}: {len(template)} texts, {len(texts)} without a translation")
        for text in texts:
            print(f"    {text}")
    if not check_only:
        library_catalogue_copy(CHECKOUT)
        library_corrections_compile(CHECKOUT)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
