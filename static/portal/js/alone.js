// @ts-check
/** Work that only one tab of a browser does at a time. */

/**
 * Run `act` when no other tab runs something under this name. Without HTTPS browsers have no such lock, and it runs at once.
 * @template Result
 * @param {string} name
 * @param {() => Promise<Result>} act
 * @returns {Promise<Result>}
 */
export async function runAlone(name, act) {
  return navigator.locks ? await navigator.locks.request(name, act) : await act();
}
