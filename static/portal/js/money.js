// @ts-check
/**
 * Amounts without binary floats: an amount is a BigInt in the currency's smallest unit. `decimals` is the number of
 * digits after the point. Pure but for the signs of the page's language.
 */

import { readSigns } from "./locale.js";

const CHIP_STEPS = [1n, 5n, 25n, 100n, 500n, 1000n];
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
 * Return a plain decimal text with thousands separators, in the signs of the page's language.
 * @param {string} text
 */
export function groupThousands(text) {
  const signs = readSigns();
  const [whole, fraction] = text.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, signs.group);
  return fraction === undefined ? grouped : `${grouped}${signs.decimal}${fraction}`;
}

/**
 * Return the amount for a chip: "2.5", "1K".
 * @param {bigint} units
 * @param {number} decimals
 */
export function formatBrief(units, decimals) {
  const text = formatPlain(units, decimals);
  return /^\d+000$/.test(text) ? `${text.slice(0, -3)}K` : text;
}

/**
 * Return chip values that suit the limits: 1, 5, 25, 100, 500, ... times the power of ten below the minimum.
 * @param {bigint} minimum
 * @param {bigint} maximum
 */
export function listChipValues(minimum, maximum) {
  let scale = 1n;
  while (scale * 10n <= minimum) scale *= 10n;
  const values = CHIP_STEPS.map((step) => step * scale).filter((value) => value <= maximum);
  return values.length ? values : [minimum];
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
 * @param {bigint} units
 * @param {number} decimals
 */
function formatFixed(units, decimals) {
  const sign = units < 0n ? "-" : "";
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, "0");
  if (!decimals) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
