// @ts-check
/** The form of numbers and times on this page, which the page's `html` element names (apps/portal/languages.py). */

const TIME_ZONE_COOKIE = "punto_time_zone";
const YEAR_S = 365 * 24 * 3600;
const COMPACT_DIGITS = 3;

/** The page's attributes; none without a page, as in a test of a pure module. */
function readAttributes() {
  return typeof document === "undefined" ? {} : document.documentElement.dataset;
}

/**
 * Return the signs of the page's numbers: the decimal sign, and the one between thousands.
 * @returns {{ decimal: string, group: string }}
 */
export function readSigns() {
  const { decimal = ".", group = "," } = readAttributes();
  return { decimal, group };
}

/** The page's language in the reader's variety, such as "en-GB" for an English page. */
function chooseLocale() {
  const { lang } = document.documentElement;
  return navigator.languages.find((locale) => locale.split("-")[0] === lang) ?? lang;
}

/**
 * Return a time in the page's language and the reader's zone.
 * @param {string | null} text  an ISO time
 * @param {Intl.DateTimeFormatOptions} [style]
 */
export function formatTime(text, style = { dateStyle: "medium", timeStyle: "medium" }) {
  const timeZone = readAttributes().timeZone || undefined;
  return new Date(text ?? "").toLocaleString(chooseLocale(), { ...style, timeZone });
}

/**
 * Return a day in the page's language. It is a calendar day without a time zone.
 * @param {string} text  an ISO date
 */
export function formatDay(text) {
  return new Date(text).toLocaleDateString(chooseLocale(), { dateStyle: "medium", timeZone: "UTC" });
}

/**
 * Return a large number in few signs and in the page's language: "12.3K". It is cut and not rounded.
 * @param {bigint} whole
 */
export function formatCompact(whole) {
  const cut = whole - (whole % 10n ** BigInt(Math.max(0, String(whole).length - COMPACT_DIGITS)));
  return new Intl.NumberFormat(chooseLocale(), { notation: "compact", maximumSignificantDigits: COMPACT_DIGITS }).format(cut);
}

/**
 * Return names as a list in the page's language: "Ann, Bob and Eve".
 * @param {string[]} names
 */
export function listNames(names) {
  return new Intl.ListFormat(chooseLocale(), { type: "conjunction" }).format(names);
}

/** Send the browser's time zone to the server, which uses it for its pages, unless the account has one. */
export function rememberTimeZone() {
  const { timeZone } = readAttributes();
  if (timeZone !== "") return; // an account's zone, or a page without cookies
  document.cookie = `${TIME_ZONE_COOKIE}=${Intl.DateTimeFormat().resolvedOptions().timeZone}; path=/; max-age=${YEAR_S}; samesite=lax`;
}
