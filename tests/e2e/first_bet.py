"""Measures a newcomer's beginning at a running server: the first paint of the front page, and the time to a first bet.

    .venv/bin/python -m tests.e2e.first_bet http://127.0.0.1:8000

Each run is a new browser without a cache, which becomes a guest; an address may begin five guests an hour. The exit
code is 1 if a median is above its limit. The suite does not run the script, because times depend on how busy the
machine is.
"""

import argparse
import sys
import time
from statistics import median

from playwright.sync_api import Browser, sync_playwright

from casino.local.chromium import CHROMIUM

FIRST_PAINT = """() => new Promise((resolve) => new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (entry.name === "first-contentful-paint") resolve(entry.startTime);
}).observe({ type: "paint", buffered: true }))"""
MAX_RUNS = 5
MAX_PAINT_S = 1.0
MAX_BET_S = 5.0


def beginning(browser: Browser, url: str) -> tuple[float, float]:
    """Return the seconds to the first paint of the front page, and from its request to the first bet's result."""
    context = browser.new_context(base_url=url, viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    try:
        page = context.new_page()
        began = time.monotonic()
        page.goto("/", wait_until="commit")
        paint = page.evaluate(FIRST_PAINT) / 1000
        page.locator("a[href^='/play/']").first.click()
        page.locator("[data-spot]:not(.side)").first.click()
        page.locator("[data-part=deal]").click()
        page.locator("[data-part=verdict] strong").wait_for()
        return paint, time.monotonic() - began
    finally:
        context.close()


def main() -> int:
    """Print the figures of each run and their medians; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--runs", type=int, default=3, choices=range(1, MAX_RUNS + 1))
    options = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        results = [beginning(browser, options.url) for _ in range(options.runs)]
        browser.close()
    for paint, bet in results:
        print(f"first paint {paint:.2f} s, first bet {bet:.2f} s")
    paints, bets = zip(*results, strict=True)
    print(f"median of {len(results)}: first paint {median(paints):.2f} s, first bet {median(bets):.2f} s")
    return int(median(paints) > MAX_PAINT_S or median(bets) > MAX_BET_S)


if __name__ == "__main__":
    sys.exit(main())
