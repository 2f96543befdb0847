// @ts-check
/**
 * The fair deal, like the server's (docs/fairness.md): HMAC-SHA256 stream, positions by Lemire's method, a partial
 * Fisher-Yates shuffle. It uses only Web Crypto and sends nothing.
 */

const TWO_32 = 2 ** 32;
const CARDS_A_DECK = 52;
const INFINITE_DECKS = 9;
const SUITS = "HDCS";
const RANKS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const ascii = new TextEncoder();

/**
 * Return the commitment that is published before the first bet: the SHA-256 of a server seed's text in lower-case hex.
 * @param {string} serverSeed
 */
export async function computeCommitment(serverSeed) {
  const digest = await crypto.subtle.digest("SHA-256", ascii.encode(serverSeed));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The endless stream of unsigned 32-bit integers of one round. */
export class Stream {
  #key;
  #prefix;
  #block = 0;
  /** @type {number[]} */
  #waiting = [];

  /**
   * @param {CryptoKey} key
   * @param {string} prefix
   */
  constructor(key, prefix) {
    this.#key = key;
    this.#prefix = prefix;
  }

  /**
   * @param {string} serverSeed
   * @param {string} clientSeed
   * @param {number | string} nonce
   */
  static async open(serverSeed, clientSeed, nonce) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", ascii.encode(serverSeed), algorithm, false, ["sign"]);
    return new Stream(key, `${clientSeed}:${nonce}`);
  }

  /** @returns {Promise<number>} */
  async next() {
    if (!this.#waiting.length) {
      const message = ascii.encode(`${this.#prefix}:${this.#block}`);
      this.#block += 1;
      const view = new DataView(await crypto.subtle.sign("HMAC", this.#key, message));
      for (let at = 0; at < view.byteLength; at += 4) this.#waiting.push(view.getUint32(at));
    }
    return this.#waiting.shift() ?? this.next();
  }

  /**
   * Return a position below `n`; integers that would favour some positions are discarded.
   * @param {number} n
   */
  async drawBelow(n) {
    for (;;) {
      const product = (await this.next()) * n; // below 2 ** 41: exact
      if (product % TWO_32 >= TWO_32 % n) return Math.floor(product / TWO_32);
    }
  }
}

/**
 * Return the first `count` cards of a fresh shoe of `decks` decks; 9 decks is an endless shoe.
 * @param {Stream} stream
 * @param {{ decks: number, count: number }} options
 */
export async function dealCards(stream, { decks, count }) {
  const moved = new Map();
  const cards = [];
  let left = CARDS_A_DECK * decks;
  while (cards.length < count) {
    if (decks === INFINITE_DECKS) {
      cards.push(writeCode(await stream.drawBelow(CARDS_A_DECK)));
      continue;
    }
    if (!left) break;
    const position = await stream.drawBelow(left);
    left -= 1;
    const start = moved.get(position) ?? position;
    // The last remaining card fills the gap.
    moved.set(position, moved.get(left) ?? left);
    cards.push(writeCode(start % CARDS_A_DECK));
  }
  return cards;
}

/** @param {number} number  of a card in its deck */
function writeCode(number) {
  return SUITS[Math.floor(number / RANKS.length)] + RANKS[number % RANKS.length];
}
