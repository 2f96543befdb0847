// Writes the types of the HTTP interface or of the sockets. An exact decimal is a LosslessNumber and not a binary float:
//
//     node generate.mjs openapi.json punto.ts
//     node generate.mjs asyncapi.json punto-socket.ts
//
// openapi-typescript makes the types; where the document says `type: number, format: decimal`, this puts LosslessNumber.
// The members that are such numbers are exported too, for `exact.ts` reads the same ones exactly.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const [source, target] = process.argv.slice(2);
const published = JSON.parse(await readFile(source, "utf8"));
// The schemas of an AsyncAPI document are JSON Schema 2020-12, as those of OpenAPI 3.1 are.
const document = published.asyncapi
  ? { openapi: "3.1.0", info: published.info, paths: {}, components: { schemas: published.components.schemas } }
  : published;

function isDecimal(schema) {
  if (schema.$ref) return isDecimal(document.components.schemas[schema.$ref.split("/").at(-1)]);
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return parts.some(isDecimal) || (schema.type === "number" && schema.format === "decimal");
}

const members = Object.values(document.components.schemas).flatMap((schema) =>
  Object.entries(schema.properties ?? {}).filter(([, member]) => isDecimal(member)).map(([name]) => name),
);
const types = await openapiTS(document, {
  transform(schema) {
    const isNumber = schema.type === "number" && schema.format === "decimal";
    return isNumber ? ts.factory.createTypeReferenceNode("LosslessNumber") : undefined;
  },
});
const names = JSON.stringify([...new Set(members)].sort());
await writeFile(
  target,
  `import type { LosslessNumber } from "lossless-json";\n\n${astToString(types)}\n` +
    `export const DECIMALS: ReadonlySet<string> = new Set(${names});\n`,
);
