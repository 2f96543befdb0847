/**
 * Amounts without binary floats: an amount is a BigInt in the currency's smallest unit.
 * `decimals` says how many digits stand after the point.
 */

/** Return the smallest units of a plain decimal text such as "52.5"; further digits are cut off. */
export function unitsOf(text, decimals) {
  const [whole, fraction = ""] = String(text).replace("-", "").split(".");
  const units = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, "0"));
  return String(text).startsWith("-") ? -units : units;
}

/** Return the shortest plain text of an amount, as the interface reads it. */
export function plain(units, decimals) {
  const text = fixed(units, decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Return the amount for people: "1,000.00". */
export function shown(units, decimals) {
  return grouped(fixed(units, decimals));
}

/** Return a plain decimal text with its thousands apart. */
export function grouped(text) {
  const [whole, fraction] = text.split(".");
  const apart = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? apart : `${apart}.${fraction}`;
}

/** Return the amount for a chip: "2.5", "1K". */
export function brief(units, decimals) {
  const text = plain(units, decimals);
  return /^\d+000$/.test(text) ? `${text.slice(0, -3)}K` : text;
}

/** Return the values of chips that suit limits: 1, 5, 25, 100, 500, ... times the power of ten below the minimum. */
export function chipValues(minimum, maximum) {
  let scale = 1n;
  while (scale * 10n <= minimum) scale *= 10n;
  const values = [1n, 5n, 25n, 100n, 500n, 1000n].map((value) => value * scale);
  const usable = values.filter((value) => value <= maximum);
  return usable.length ? usable : [minimum];
}

/** Parse JSON and keep each number's own text, which a float might not hold. */
export function parseExact(text) {
  return JSON.parse(text, (_key, value, context) => (typeof value === "number" ? (context?.source ?? String(value)) : value));
}

function fixed(units, decimals) {
  const sign = units < 0n ? "-" : "";
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, "0");
  if (!decimals) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
