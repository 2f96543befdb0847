// @ts-check
/** Changes of the stakes on several spots, within limits and funds. Amounts are in smallest units. Pure. */

/**
 * The limits of a spot; stakes are multiples of `step`, and so are the limits then.
 * @typedef {{ minimum: bigint, maximum: bigint, step?: bigint }} Limits
 *
 * The stake of each spot that has one.
 * @typedef {Map<string, bigint>} Stakes
 *
 * @typedef {(spot: string) => Limits} FindLimits
 */

/** @param {Stakes} stakes */
export function sumStakes(stakes) {
  return [...stakes.values()].reduce((sum, stake) => sum + stake, 0n);
}

/**
 * Return the stakes doubled, also beyond the limits.
 * @param {Stakes} stakes
 * @returns {Stakes}
 */
export function doubleStakes(stakes) {
  return new Map([...stakes].map(([spot, stake]) => [spot, stake * 2n]));
}

/**
 * Return the stakes halved, each at least its minimum and never higher than before.
 * @param {Stakes} stakes
 * @param {FindLimits} findLimits
 * @returns {Stakes}
 */
export function halveStakes(stakes, findLimits) {
  return changeEach(stakes, findLimits, (stake, { minimum }) => takeLower(stake, stake / 2n > minimum ? stake / 2n : minimum));
}

/**
 * Return the stakes as high as limits and funds allow, in the same proportion to each other as far as the smallest unit
 * allows it. They never become lower.
 * @param {Stakes} stakes
 * @param {FindLimits} findLimits
 * @param {bigint} funds
 * @returns {Stakes}
 */
export function raiseStakes(stakes, findLimits, funds) {
  const total = sumStakes(stakes);
  if (!total) return stakes;
  // The factor is part / whole: the spot that reaches its limit first decides, or the funds.
  let [part, whole] = [funds, total];
  for (const [spot, stake] of stakes) {
    const { maximum } = findLimits(spot);
    if (maximum * whole < part * stake) [part, whole] = [maximum, stake];
  }
  if (part <= whole) return stakes;
  return changeEach(stakes, findLimits, (stake) => (stake * part) / whole);
}

/**
 * Return the stakes without unknown spots, each at most its maximum.
 * @param {Stakes} stakes
 * @param {Iterable<string>} spots
 * @param {FindLimits} findLimits
 * @returns {Stakes}
 */
export function fitStakes(stakes, spots, findLimits) {
  const known = new Set(spots);
  const placeable = new Map([...stakes].filter(([spot]) => known.has(spot)));
  return changeEach(placeable, findLimits, (stake, { maximum }) => takeLower(stake, maximum));
}

/**
 * @param {Stakes} stakes
 * @param {FindLimits} findLimits
 * @param {(stake: bigint, limits: Limits) => bigint} change
 * @returns {Stakes}
 */
function changeEach(stakes, findLimits, change) {
  return new Map([...stakes].map(([spot, stake]) => {
    const limits = findLimits(spot);
    const changed = change(stake, limits);
    return [spot, changed - (changed % (limits.step ?? 1n))];
  }));
}

/**
 * @param {bigint} one
 * @param {bigint} other
 */
function takeLower(one, other) {
  return one < other ? one : other;
}
