// @ts-check
/**
 * Amounts without binary floats: an amount is a BigInt in the currency's smallest unit. `decimals` is the number of
 * digits after the point. Pure but for the signs of the page's language.
 */

import { readSigns } from "./locale.js";

const CHIP_STEPS = [1n, 5n, 25n, 100n, 500n, 1000n];
const MAX_BRIEF_CHARS = 5;
const SMALL_PREFIXES = [{ sign: "m", power: 3 }, { sign: "µ", power: 6 }, { sign: "n", power: 9 }];
const STRING_OR_NUMBER = /("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g;

/**
 * Return the smallest units of a plain decimal text such as "52.5"; further digits are dropped.
 * @param {string | number} text
 * @param {number} decimals
 */
export function parseUnits(text, decimals) {
  const [whole, fraction = ""] = String(text).replace("-", "").split(".");
  const units = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, "0"));
  return String(text).startsWith("-") ? -units : units;
}

/**
 * Return the smallest units of an amount that somebody typed in the signs of the page's language; null for any other
 * text, and for digits below the smallest unit. A point is also a decimal sign, except in a text with two readings:
 * with eight decimals "1.500" is no amount on a German page.
 * @param {string} text
 * @param {number} decimals
 */
export function readTyped(text, decimals) {
  const { decimal, group } = readSigns();
  const typed = makePlain(text).trim();
  const readings = [readPlain(typed, decimal, makePlain(group)), readPlain(typed, ".", "")].flatMap((plain) =>
    plain === null || (plain.split(".")[1] ?? "").length > decimals ? [] : [parseUnits(plain, decimals)]);
  return readings.length && readings.every((units) => units === readings[0]) ? readings[0] : null;
}

/**
 * Return the shortest plain text of an amount, for the API.
 * @param {bigint} units
 * @param {number} decimals
 */
export function formatPlain(units, decimals) {
  const text = formatFixed(units, decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/**
 * Return the amount for people: "1,000.00".
 * @param {bigint} units
 * @param {number} decimals
 */
export function formatAmount(units, decimals) {
  return groupThousands(formatFixed(units, decimals));
}

/**
 * Return a plain decimal text with thousands separators, in the signs of the page's language, with a minus sign and not
 * the hyphen of the plain text.
 * @param {string} text
 */
export function groupThousands(text) {
  const signs = readSigns();
  const [whole, fraction] = text.replace("-", "−").split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, signs.group);
  return fraction === undefined ? grouped : `${grouped}${signs.decimal}${fraction}`;
}

/**
 * Return the amount for a chip, in five characters as far as possible: "2.5", "1K", "2M", "500µ".
 * @param {bigint} units
 * @param {number} decimals
 */
export function formatBrief(units, decimals) {
  return writeBrief(units, decimals).replace(".", readSigns().decimal);
}

/**
 * @param {bigint} units
 * @param {number} decimals
 */
function writeBrief(units, decimals) {
  const text = formatPlain(units, decimals);
  if (/^\d+000000$/.test(text)) return `${text.slice(0, -6)}M`;
  if (/^\d+000$/.test(text)) return `${text.slice(0, -3)}K`;
  if (text.length <= MAX_BRIEF_CHARS || !text.startsWith("0.")) return text;
  const small = SMALL_PREFIXES.map(({ sign, power }) => ({ sign, text: formatPlain(units * 10n ** BigInt(power), decimals) }));
  const { sign, text: digits } = small.find((each) => !each.text.startsWith("0.")) ?? small[small.length - 1];
  return `${digits}${sign}`;
}

/**
 * Return the values of up to six chips within the limits: the minimum, then 1, 5, 25, 100, 500 and 1,000 times the
 * power of ten below it.
 * @param {bigint} minimum
 * @param {bigint} maximum
 */
export function listChipValues(minimum, maximum) {
  const lowest = minimum || 1n;
  let scale = 1n;
  while (scale * 10n <= lowest) scale *= 10n;
  const higher = CHIP_STEPS.map((step) => step * scale).filter((value) => value > lowest && value <= maximum);
  return [lowest, ...higher];
}

/**
 * Parse JSON with each number as its text, since a float may be inexact.
 * @param {string} text
 */
export function parseExact(text) {
  JSON.parse(text); // only to refuse invalid JSON, since the replacement below accepts numbers with leading zeros
  return JSON.parse(text.replace(STRING_OR_NUMBER, (_match, string, number) => string ?? `"${number}"`));
}

/**
 * Return a text with plain digits, signs and spaces. Japanese keyboards write wide digits and signs, and French
 * separates thousands by a space that no keyboard has.
 * @param {string} text
 */
function makePlain(text) {
  return text.normalize("NFKC");
}

/**
 * Return the plain decimal text of a number with these signs, or null.
 * @param {string} text
 * @param {string} decimal
 * @param {string} group  empty for none
 */
function readPlain(text, decimal, group) {
  const [whole, fraction, ...rest] = text.split(decimal);
  const groups = group ? whole.split(group) : [whole];
  const isGrouped = groups.length === 1 || (/^[1-9]\d{0,2}$/.test(groups[0]) && groups.slice(1).every((each) => /^\d{3}$/.test(each)));
  const digits = [groups.join(""), ...(fraction === undefined ? [] : [fraction])];
  return !rest.length && isGrouped && digits.every((part) => /^\d+$/.test(part)) ? digits.join(".") : null;
}

/**
 * @param {bigint} units
 * @param {number} decimals
 */
function formatFixed(units, decimals) {
  const sign = units < 0n ? "-" : "";
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, "0");
  if (!decimals) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
