"""Small tables and links on the back office's pages."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString


def table_html(headers: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str = "None yet.") -> SafeString:
    """Return a table; every cell is escaped unless it is marked as safe."""
    lines = (format_html_join("", "<td>{}</td>", ((cell,) for cell in row)) for row in rows)
    body = format_html_join("", "<tr>{}</tr>", ((line,) for line in lines))
    if not body:
        return format_html('<p class="empty">{}</p>', empty)
    head = format_html_join("", '<th scope="col">{}</th>', ((header,) for header in headers))
    return format_html(
        '<div class="office-table"><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>', head, body
    )


def link_html(name: str, pk: object, text: object) -> SafeString:
    """Return a link to a row's page; `name` is the admin's name, such as `rounds_round`."""
    return format_html('<a href="{}">{}</a>', reverse(f"admin:{name}_change", args=[pk]), text)


def time_html(time: datetime | None) -> SafeString:
    """Return a time in UTC to the second, on one line; `-` for none."""
    return format_html('<time class="nowrap">{}</time>', "-" if time is None else f"{time:%Y-%m-%d %H:%M:%S}")
