/**
 * The fair deal, as the server does it: HMAC-SHA256 stream, positions by Lemire's method, a partial
 * Fisher-Yates shuffle. Only Web Crypto is used; nothing is sent anywhere.
 */

const TWO_32 = 2 ** 32;
const INFINITE_DECKS = 9;
const SUITS = "HDCS";
const RANKS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const ascii = new TextEncoder();

/** Return the SHA-256 of a server seed's text in lower-case hex: what is published before the first bet. */
export async function commitment(serverSeed) {
  const digest = await crypto.subtle.digest("SHA-256", ascii.encode(serverSeed));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The unsigned 32-bit integers of one round, without end. */
export class Stream {
  #key;
  #prefix;
  #block = 0;
  #waiting = [];

  static async open(serverSeed, clientSeed, nonce) {
    const stream = new Stream();
    const hash = { name: "HMAC", hash: "SHA-256" };
    stream.#key = await crypto.subtle.importKey("raw", ascii.encode(serverSeed), hash, false, ["sign"]);
    stream.#prefix = `${clientSeed}:${nonce}`;
    return stream;
  }

  async next() {
    if (!this.#waiting.length) {
      const message = ascii.encode(`${this.#prefix}:${this.#block}`);
      this.#block += 1;
      const view = new DataView(await crypto.subtle.sign("HMAC", this.#key, message));
      for (let at = 0; at < 32; at += 4) this.#waiting.push(view.getUint32(at));
    }
    return this.#waiting.shift();
  }

  /** Return a position below `n`; integers that would favour some positions are discarded. */
  async below(n) {
    for (;;) {
      const product = (await this.next()) * n; // below 2 ** 41: exact
      if (product % TWO_32 >= TWO_32 % n) return Math.floor(product / TWO_32);
    }
  }
}

/** Return the first `count` cards of a fresh shoe of `decks` decks; 9 decks is an endless shoe. */
export async function dealCards(stream, { decks, count }) {
  const moved = new Map();
  const cards = [];
  let left = 52 * decks;
  while (cards.length < count) {
    if (decks === INFINITE_DECKS) {
      cards.push(cardCode(await stream.below(52)));
      continue;
    }
    if (!left) break;
    const position = await stream.below(left);
    left -= 1;
    const start = moved.get(position) ?? position;
    // The gap is closed by the last card that is left.
    moved.set(position, moved.get(left) ?? left);
    cards.push(cardCode(start % 52));
  }
  return cards;
}

function cardCode(number) {
  return SUITS[Math.floor(number / 13)] + RANKS[number % 13];
}
