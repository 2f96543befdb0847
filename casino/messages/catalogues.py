"""Reads, updates and compiles the catalogues in `locale/`."""

from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from shutil import copyfile
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

LANGUAGES: Final = ("de", "es", "fr", "ja", "pt")
"""The languages with a catalogue: all of `settings.LANGUAGES` but English, which is the language of the code."""
LIBRARY_LANGUAGE: Final = ("pt_PT", "pt")
"""django-allauth has Portuguese as `pt_PT` and `pt_BR` alone, and gettext does not look there for `pt`."""
LINE_CHARS: Final = 100
HEADER: Final = "# Translations of players' pages (docs/translating.md)."


def po_path(checkout: Path, language: str) -> Path:
    """Return the path of a language's catalogue, which translators edit."""
    return checkout / "locale" / language / "LC_MESSAGES" / "django.po"


def catalogue_read(path: Path) -> Catalog:
    """Return the catalogue of a file."""
    with path.open("rb") as file:
        return read_po(file, locale=path.parents[1].name)


def catalogue_update(checkout: Path, language: str, template: Catalog) -> None:
    """Add new texts, remove those that are gone, and compile. Translations stay; nothing is guessed."""
    path = po_path(checkout, language)
    path.parent.mkdir(parents=True, exist_ok=True)
    catalogue = catalogue_read(path) if path.exists() else Catalog(locale=language, project="Punto", fuzzy=False)
    template.creation_date = catalogue.creation_date  # so that a file without changes stays as it is
    catalogue.update(template, no_fuzzy_matching=True)
    catalogue.header_comment = HEADER
    with path.open("wb") as file:
        write_po(file, catalogue, width=LINE_CHARS, sort_output=True, ignore_obsolete=True, include_lineno=False)
    path.with_suffix(".mo").write_bytes(compiled(catalogue))


def compiled(catalogue: Catalog) -> bytes:
    """Return the file that gettext reads."""
    file = BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def missing_texts(checkout: Path, language: str, template: Catalog) -> list[str]:
    """Return the texts without a finished translation in the language's catalogue."""
    path = po_path(checkout, language)
    catalogue = catalogue_read(path) if path.exists() else Catalog(locale=language)
    return [
        _first(message)
        for message in template
        if message.id and not _is_done(catalogue.get(_first(message), message.context))
    ]


def library_catalogue_copy(checkout: Path) -> None:
    """Copy django-allauth's Portuguese catalogue to the name that gettext looks for."""
    source, target = library_paths(checkout)
    target.parent.mkdir(parents=True, exist_ok=True)
    copyfile(source, target)


def library_corrections_compile(checkout: Path) -> None:
    """Compile the texts of libraries that we have written anew, of every language."""
    for path in library_corrections(checkout):
        path.with_suffix(".mo").write_bytes(compiled(catalogue_read(path)))


def library_corrections(checkout: Path) -> list[Path]:
    """Return the catalogues of such texts."""
    return sorted((checkout / "locale" / "libraries").glob("*/LC_MESSAGES/django.po"))


def library_paths(checkout: Path) -> tuple[Path, Path]:
    """Return the path of django-allauth's Portuguese catalogue, and the path of our copy."""
    package = find_spec("allauth")
    assert package is not None
    assert package.origin is not None
    theirs, ours = LIBRARY_LANGUAGE
    name = Path("LC_MESSAGES") / "django.mo"
    return Path(package.origin).parent / "locale" / theirs / name, checkout / "locale" / "libraries" / ours / name


def _first(message: Message) -> str:
    return str(message.id if isinstance(message.id, str) else message.id[0])


def _is_done(message: Message | None) -> bool:
    if message is None or message.fuzzy:
        return False
    texts = message.string if isinstance(message.string, tuple | list) else [message.string]
    return all(texts)
