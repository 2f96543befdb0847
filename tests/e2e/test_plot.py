"""The marks beside and below a plot, which a canvas draws."""

import pytest
from playwright.sync_api import expect

from apps.accounts.models import Player
from apps.wallet.models import Kind
from tests.e2e.window import Window
from tests.support.ledger import move

pytestmark = pytest.mark.xdist_group("e2e-baccarat")

RECORD = """() => {
  window.marks = [];
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    window.marks.push(text);
    draw.call(this, text, ...place);
  };
}"""

PLOT = """async ([seconds, amounts]) => {
  const figure = document.querySelector("figure.plot").cloneNode(true);
  figure.querySelector(".plot-area").remove();
  const rows = seconds.map((second, index) => {
    const row = document.createElement("tr");
    for (const value of [second, amounts[index]]) row.insertCell().dataset.value = value;
    return row;
  });
  figure.querySelector("tbody").replaceChildren(...rows);
  const place = document.createElement("div");
  place.append(figure);
  document.querySelector("main").append(place);
  window.marks = [];
  (await import("/static/core/plot.js")).drawPlots(place);
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  place.remove();
  return window.marks;
}"""
"""Draws the page's plot again with other values."""

START_S = 1_790_000_000
AMOUNTS = ["12345.67890123", "12345.67898", "12345.67905", "12345.6789"]


def marks_of(window: Window, seconds: list[int]) -> tuple[list[str], list[str]]:
    """Return the marks of the times and those of the amounts."""
    marks = window.page.evaluate(PLOT, [[str(second) for second in seconds], AMOUNTS])
    amounts = [mark for mark in marks if mark.startswith("12,345")]
    return [mark for mark in marks if mark not in amounts], amounts


@pytest.mark.soak
def test_a_narrow_plot_has_times_and_amounts_of_equal_decimals(phone: Window, player: Player) -> None:
    move(player.wallets.get(), Kind.DEPOSIT, "5")
    phone.is_kept = False
    phone.log_in(player)
    phone.go("/wallet/")
    expect(phone.page.locator(".plot canvas")).to_be_visible()
    phone.page.evaluate(RECORD)
    stretch = 3
    while stretch < 10 * 365 * 24 * 3600:
        times, amounts = marks_of(phone, [START_S + stretch * step // 3 for step in range(4)])
        assert times, f"no mark in {stretch} seconds"
        assert len({len(amount) for amount in amounts}) == 1, amounts
        stretch = stretch * 5 // 4 + 1
    times, _ = marks_of(phone, [START_S] * 4)
    assert all(":" in time for time in times), times
    assert times


def test_what_is_below_a_plot_stays_where_it_is_when_the_plot_comes(phone: Window, player: Player) -> None:
    move(player.wallets.get(), Kind.DEPOSIT, "5")
    phone.log_in(player)
    page = phone.go("/wallet/")
    expect(page.locator(".plot .u-legend")).to_be_visible()
    figures = page.locator(".plot-figures")
    place = figures.bounding_box()
    page.locator(".plot-area").evaluate("(area) => area.remove()")
    after = figures.bounding_box()
    assert place is not None
    assert after is not None
    assert after["y"] == pytest.approx(place["y"], abs=2)
