// @ts-check
/** Fills the places of a sentence. Pure. */

/**
 * Return the text with each `{name}` replaced by the value of that name.
 * @param {string} text
 * @param {Record<string, string>} values
 */
export function fillPlaces(text, values) {
  return text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}
