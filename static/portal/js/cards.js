// @ts-check
/**
 * Playing cards as SVG: `<playing-card code="H1">`, suit letter first, then 1 to 10, J, Q or K.
 * With the attribute `back` the card is face down. The element's label names the card for screen readers.
 */

const RED = "var(--card-red)";
const BLACK = "var(--card-black)";
const GOLD = "var(--card-gold)";
const BLUE = "var(--card-blue)";
const SKIN = "var(--card-skin)";

import { tell } from "./words.js";

/** @typedef {{ color: string, path: string }} Suit */

/** @type {Record<string, Suit>} */
const SUITS = {
  H: { color: RED, path: "M0 34C-9 23-30 8-30-11C-30-23-22-30-14-30C-7-30-2-26 0-20C2-26 7-30 14-30C22-30 30-23 30-11C30 8 9 23 0 34Z" },
  D: { color: RED, path: "M0-35C7-21 16-10 26 0C16 10 7 21 0 35C-7 21-16 10-26 0C-16-10-7-21 0-35Z" },
  C: { color: BLACK, path: "M0-33A14 14 0 0 1 12-12A14.5 14.5 0 1 1 4 10C5 20 9 28 15 33H-15C-9 28-5 20-4 10A14.5 14.5 0 1 1-12-12A14 14 0 0 1 0-33Z" },
  S: { color: BLACK, path: "M0-35C9-20 30-8 30 9C30 19 22 24 15 24C10 24 6 22 3 18C4 25 8 31 13 34H-13C-8 31-4 25-3 18C-6 22-10 24-15 24C-22 24-30 19-30 9C-30-8-9-20 0-35Z" },
};

const LEFT = 88;
const MIDDLE = 125;
const RIGHT = 162;
const ROWS = [72, 141, 209, 278];
const CENTRE = 175;

/** @param {...number} heights */
function placeOnSides(...heights) {
  return heights.flatMap((y) => [[LEFT, y], [RIGHT, y]]);
}

/** @type {Record<string, number[][]>} */
const PIPS = {
  2: [[MIDDLE, ROWS[0]], [MIDDLE, ROWS[3]]],
  3: [[MIDDLE, ROWS[0]], [MIDDLE, CENTRE], [MIDDLE, ROWS[3]]],
  4: placeOnSides(ROWS[0], ROWS[3]),
  5: [...placeOnSides(ROWS[0], ROWS[3]), [MIDDLE, CENTRE]],
  6: placeOnSides(ROWS[0], CENTRE, ROWS[3]),
  7: [...placeOnSides(ROWS[0], CENTRE, ROWS[3]), [MIDDLE, 123]],
  8: [...placeOnSides(ROWS[0], CENTRE, ROWS[3]), [MIDDLE, 123], [MIDDLE, 227]],
  9: [...placeOnSides(...ROWS), [MIDDLE, CENTRE]],
  10: [...placeOnSides(...ROWS), [MIDDLE, 106], [MIDDLE, 244]],
};

/**
 * Return the name of a card such as "ace of hearts".
 * @param {string} code
 */
export function nameCard(code) {
  return tell("card-name", { rank: tell(`rank-${code.slice(1)}`), suit: tell(`suit-${code[0]}`) });
}

/**
 * Return a new card; without a code it is face down.
 * @param {string} code
 */
export function createCard(code) {
  const card = document.createElement("playing-card");
  card.setAttribute("role", "img");
  if (code) card.setAttribute("code", code);
  else card.setAttribute("back", "");
  return card;
}

/**
 * @param {Suit} suit
 * @param {number} x
 * @param {number} y
 * @param {number} scale
 */
function drawPip(suit, x, y, scale) {
  const turn = y > CENTRE ? " rotate(180)" : "";
  return `<path fill="${suit.color}" transform="translate(${x} ${y}) scale(${scale})${turn}" d="${suit.path}"/>`;
}

/**
 * @param {Suit} suit
 * @param {string} rank
 */
function drawCorner(suit, rank) {
  const text = rank === "1" ? "A" : rank;
  const width = text === "10" ? ' textLength="50" lengthAdjust="spacingAndGlyphs"' : "";
  return `<text x="33" y="58" text-anchor="middle" font-family="Georgia, 'Times New Roman', serif" font-weight="700" font-size="56"${width} fill="${suit.color}">${text}</text>
    <path fill="${suit.color}" transform="translate(33 86) scale(0.56)" d="${suit.path}"/>`;
}

/** @type {Record<string, string>} */
const HEADS = {
  K: `<path fill="var(--card-king-hair)" d="M101 90Q98 132 125 134Q152 132 149 90Z"/>
    <ellipse cx="125" cy="94" rx="19" ry="23" fill="${SKIN}"/>
    <path fill="var(--card-king-hair)" d="M107 103Q125 112 143 103Q141 131 125 132Q109 131 107 103Z"/>
    <path fill="none" stroke="var(--card-mouth)" stroke-width="2" d="M119 112Q125 115 131 112"/>
    <path fill="${GOLD}" stroke="var(--card-gold-line)" stroke-width="1.5" d="M99 76L95 48L110 62L125 42L140 62L155 48L151 76Z"/>
    <path fill="${RED}" d="M99 70H151V76H99Z"/><circle cx="125" cy="42" r="4" fill="${RED}"/>`,
  Q: `<path fill="var(--card-queen-hair)" d="M98 88Q90 128 103 146H147Q160 128 152 88Q148 62 125 62Q102 62 98 88Z"/>
    <ellipse cx="125" cy="97" rx="18" ry="23" fill="${SKIN}"/>
    <path fill="var(--card-queen-hair)" d="M106 92Q110 74 125 74Q140 74 144 92Q134 80 125 80Q116 80 106 92Z"/>
    <path fill="var(--card-red)" d="M119 109Q125 106 131 109Q125 115 119 109Z"/>
    <path fill="${GOLD}" stroke="var(--card-gold-line)" stroke-width="1.5" d="M103 74Q101 58 110 66Q112 50 119 63Q125 46 131 63Q138 50 140 66Q149 58 147 74Q125 66 103 74Z"/>
    <circle cx="110" cy="60" r="3" fill="var(--card-white)"/><circle cx="125" cy="51" r="3.5" fill="var(--card-white)"/><circle cx="140" cy="60" r="3" fill="var(--card-white)"/>`,
  J: `<path fill="var(--card-jack-hair)" d="M102 88Q98 116 106 124H144Q152 116 148 88Z"/>
    <ellipse cx="125" cy="97" rx="18" ry="22" fill="${SKIN}"/>
    <path fill="none" stroke="var(--card-mouth)" stroke-width="2" d="M118 111Q125 114 132 111"/>
    <path fill="${BLUE}" stroke="var(--card-blue-line)" stroke-width="1.5" d="M98 82Q96 60 125 58Q154 60 152 82Q125 70 98 82Z"/>
    <path fill="none" stroke="${RED}" stroke-width="5" stroke-linecap="round" d="M146 66Q164 56 160 44"/>
    <circle cx="143" cy="70" r="4" fill="${GOLD}"/>`,
};
const EYES = `<circle cx="118" cy="95" r="2.2" fill="${BLACK}"/><circle cx="132" cy="95" r="2.2" fill="${BLACK}"/>
  <path fill="none" stroke="var(--card-nose)" stroke-width="1.6" d="M125 96V104L122 105"/>`;

/**
 * @param {Suit} suit
 * @param {string} rank
 */
function drawCourt(suit, rank) {
  const robe = suit.color === RED ? RED : "var(--card-robe)";
  const half = `<path fill="${robe}" d="M64 175V160Q78 132 112 128H138Q172 132 186 160V175Z"/>
    <path fill="${GOLD}" d="M112 128L125 175L138 128Q125 138 112 128Z"/>
    <path fill="${BLUE}" d="M119 137L125 175L131 137Q125 141 119 137Z"/>
    <path fill="none" stroke="${GOLD}" stroke-width="4" d="M72 175Q80 148 106 136M178 175Q170 148 144 136"/>
    <path fill="none" stroke="var(--card-white)" stroke-opacity="0.5" stroke-width="2" stroke-dasharray="3 5" d="M84 175Q92 154 108 146M166 175Q158 154 142 146"/>
    <path fill="var(--card-white)" stroke="var(--card-collar-line)" d="M103 128Q125 146 147 128L143 122Q125 136 107 122Z"/>
    ${HEADS[rank]}${EYES}
    <path fill="${suit.color}" transform="translate(81 66) scale(0.46)" d="${suit.path}"/>`;
  return `<rect x="62" y="34" width="126" height="282" rx="6" fill="var(--card-picture)" stroke="${BLUE}" stroke-width="2.5"/>
    <g>${half}</g><g transform="rotate(180 125 175)">${half}</g>
    <path stroke="${GOLD}" stroke-width="3" d="M63 175H187"/>`;
}

/** @param {string} code */
function drawFace(code) {
  const suit = SUITS[code[0]];
  const rank = code.slice(1);
  let middle;
  if (rank in HEADS) middle = drawCourt(suit, rank);
  else if (rank === "1") middle = drawPip(suit, MIDDLE, CENTRE, 2.1);
  else middle = PIPS[rank].map(([x, y]) => drawPip(suit, x, y, 0.78)).join("");
  const index = drawCorner(suit, rank);
  return `${middle}${index}<g transform="rotate(180 125 175)">${index}</g>`;
}

function drawBack() {
  const rows = [];
  for (let y = 0; y <= 10; y += 1) {
    for (let x = 0; x <= 6; x += 1) {
      rows.push(`<path d="M${32 + x * 31} ${20 + y * 31}l13 15.5l-13 15.5l-13-15.5z"/>`);
    }
  }
  return `<rect width="250" height="350" fill="var(--card-back-edge)"/><rect x="13" y="13" width="224" height="324" rx="10" fill="var(--card-back)"/>
    <g fill="none" stroke="var(--card-back-gold)" stroke-width="2" stroke-opacity="0.75">${rows.slice(0, 70).join("")}</g>
    <rect x="20" y="20" width="210" height="310" rx="7" fill="none" stroke="var(--card-back-gold)" stroke-width="4"/>
    <circle cx="125" cy="175" r="42" fill="var(--card-back)" stroke="var(--card-back-gold)" stroke-width="4"/>
    <text x="125" y="193" text-anchor="middle" font-family="Georgia, serif" font-weight="700" font-size="54" fill="var(--card-back-gold)">P</text>`;
}

class PlayingCard extends HTMLElement {
  static observedAttributes = ["code", "back"];

  connectedCallback() {
    this.draw();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.draw();
  }

  draw() {
    const code = this.getAttribute("code");
    const isShown = code && !this.hasAttribute("back");
    this.setAttribute("aria-label", isShown ? nameCard(code) : tell("card-hidden"));
    this.innerHTML = `<svg viewBox="0 0 250 350" aria-hidden="true" focusable="false">${isShown ? drawFace(code) : drawBack()}</svg>`;
  }
}

customElements.define("playing-card", PlayingCard);
