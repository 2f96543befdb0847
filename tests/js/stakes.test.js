/** Changed stakes stay within limits and funds. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { doubleStakes, fitStakes, halveStakes, raiseStakes, sumStakes } from "../../static/portal/js/stakes.js";
import { fillPlaces } from "../../static/portal/js/fill-places.js";

const LIMITS = { minimum: 100n, maximum: 1000n };
const findLimits = () => LIMITS;
const STAKES = new Map([["a", 300n], ["b", 150n]]);

test("stakes are doubled, and fitted to the limits only afterwards", () => {
  assert.deepEqual([...doubleStakes(new Map([["a", 600n]]))], [["a", 1200n]]);
  assert.deepEqual([...fitStakes(new Map([["a", 1200n], ["gone", 5n]]), ["a"], findLimits)], [["a", 1000n]]);
});

test("a half is never below the minimum and never above the stake", () => {
  assert.deepEqual([...halveStakes(STAKES, findLimits)], [["a", 150n], ["b", 100n]]);
  assert.deepEqual([...halveStakes(new Map([["a", 50n]]), findLimits)], [["a", 50n]]);
});

test("the highest stakes keep their proportion within the limits", () => {
  assert.deepEqual([...raiseStakes(STAKES, findLimits, 100000n)], [["a", 1000n], ["b", 500n]]);
});

test("the highest stakes do not exceed the funds", () => {
  const raised = raiseStakes(STAKES, findLimits, 1000n);
  assert.equal(sumStakes(raised) <= 1000n, true);
  assert.deepEqual([...raised], [["a", 666n], ["b", 333n]]);
});

test("stakes that are as high as they can be stay as they are", () => {
  assert.deepEqual(raiseStakes(STAKES, findLimits, 450n), STAKES);
  assert.deepEqual(raiseStakes(new Map(), findLimits, 450n), new Map());
});

test("stakes stay multiples of a spot's step", () => {
  const findStepped = () => ({ minimum: 200n, maximum: 1000n, step: 200n });
  const stakes = new Map([["a", 600n]]);
  assert.deepEqual([...halveStakes(stakes, findStepped)], [["a", 200n]]);
  assert.deepEqual([...raiseStakes(stakes, findStepped, 900n)], [["a", 800n]]);
  assert.deepEqual([...fitStakes(new Map([["a", 700n]]), ["a"], findStepped)], [["a", 600n]]);
});

test("a sentence gets its values, also those that look like places", () => {
  assert.equal(fillPlaces("{spot} takes {amount}.", { spot: "{amount}", amount: "5" }), "{amount} takes 5.");
});
