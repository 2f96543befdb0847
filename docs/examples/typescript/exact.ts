// Reads and writes JSON without binary floats: amounts are LosslessNumbers, counts and enums plain numbers.
import { isLosslessNumber, parse, stringify } from "lossless-json";

import { DECIMALS } from "./punto.js";

export function read<T>(text: string, decimals: ReadonlySet<string> = DECIMALS): T {
  return parse(text, (name, value) =>
    isLosslessNumber(value) && !decimals.has(name) ? Number(value.toString()) : value,
  ) as T;
}

export function write(value: unknown): string {
  return stringify(value) ?? "null";
}
