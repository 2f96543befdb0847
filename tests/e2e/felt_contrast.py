"""The contrast of texts on a felt: axe judges no text on a gradient."""

from typing import Final

from playwright.sync_api import Page

# A text lies on the lightest colour of the felt's gradient, with the plain backgrounds between them: axe judges
# none of them, since the felt's pattern lies over it. WCAG 2.2, 1.4.3: 4.5 to 1, and 3 to 1 for large texts.
FAULTS: Final = """() => {
  const paint = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = paint.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (above, below) => [0, 1, 2].map((i) => above[i] * above[3] + below[i] * (1 - above[3]));
  const luminance = (colour) => {
    const [red, green, blue] = colour.slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ratio = (one, other) => {
    const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const faults = [];
  for (const felt of document.querySelectorAll(".felt")) {
    if (!felt.checkVisibility()) continue;
    let judged = 0;
    const stops = getComputedStyle(felt).backgroundImage.match(/rgba?\\([^)]*\\)/g).map(rgba);
    const [lightest] = stops.sort((a, b) => luminance(b) - luminance(a));
    const texts = document.createTreeWalker(felt, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode.textContent.trim();
      const element = texts.currentNode.parentElement;
      const box = element.getBoundingClientRect();
      if (!text || box.width < 2 || box.height < 2 || element.closest("svg, :disabled, [aria-disabled=true]")) continue;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      const between = [];
      let isPlain = true;
      let opacity = 1;
      for (let at = element; at !== felt; at = at.parentElement) {
        const { backgroundColor, backgroundImage, opacity: share } = getComputedStyle(at);
        isPlain &&= backgroundImage === "none";
        between.unshift(rgba(backgroundColor));
        opacity *= Number(share);
      }
      if (!isPlain) continue;
      const ground = between.reduce((below, colour) => over(colour, below), lightest);
      const { color, fontSize, fontWeight } = getComputedStyle(element);
      const [red, green, blue, alpha] = rgba(color);
      const contrast = ratio(over([red, green, blue, alpha * opacity], ground), ground);
      const size = parseFloat(fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
      judged += 1;
      if (contrast < (isLarge ? 3 : 4.5)) faults.push(`${text.slice(0, 40)}: ${contrast.toFixed(2)} to 1`);
    }
    if (!judged) faults.push("no text on the felt was looked at");
  }
  return faults;
}"""


def felt_contrast_faults(page: Page) -> list[str]:
    """Return each text on a felt of the page that is too faint, with its contrast."""
    faults: list[str] = page.evaluate(FAULTS)
    return faults
