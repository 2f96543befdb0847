/**
 * The checks of every script that is served or tested: ESLint's own rules, and those of the house that it has none for.
 * What is undefined or of a wrong type TypeScript finds (tsconfig.json).
 */

import js from "@eslint/js";

/** The words that the name of a function begins with. A predicate begins with `is`, `has` or `can`. */
const VERBS = [
  "act", "add", "answer", "append", "appear", "apply", "ask", "build", "change", "check", "choose", "clear", "compute", "connect", "copy", "count", "cover",
  "create", "deal", "describe", "discard", "dismiss", "double", "draw", "enable", "end", "fetch", "fill", "find", "fit", "focus", "follow", "format", "give", "group",
  "halve", "handle", "hold", "invite", "label", "lay", "leave", "list", "listen", "load", "lock", "log", "lose", "make", "mark", "move", "name", "next", "note", "open",
  "parse", "pause", "place", "play", "post", "prepare", "press", "propose", "raise", "read", "receive", "redeal", "release", "remember",
  "repeat", "retry", "run", "say", "score", "send", "set", "settle", "show", "slide", "split", "squeeze", "start", "sum", "take", "tell", "title", "turn",
  "undo", "update", "use", "wait", "write",
];
const PREDICATES = ["is", "has", "can"];
const MAX_CLASS_LINES = 250;
/** Names that the platform gives, not us. */
const PLATFORM_NAMES = new Set([
  "constructor", "connectedCallback", "attributeChangedCallback", "getItem", "removeItem", "key", "resolve", "close",
]);

function isVerbFirst(name) {
  const [first] = name.replace(/^[#_]+/, "").split(/(?=[A-Z])/);
  return PLATFORM_NAMES.has(name) || VERBS.includes(first) || PREDICATES.includes(first);
}

const house = {
  rules: {
    "verb-first": {
      meta: { type: "suggestion", schema: [], messages: { name: "The name of a function begins with a verb: {{ name }}." } },
      create(context) {
        const check = (node, name) => {
          if (!isVerbFirst(name)) context.report({ node, messageId: "name", data: { name } });
        };
        return {
          FunctionDeclaration: (node) => check(node, node.id.name),
          "MethodDefinition[kind=method]": (node) => check(node, node.key.name),
          "VariableDeclarator[init.type=/Function/]": (node) => check(node, node.id.name),
        };
      },
    },
    "class-lines": {
      meta: {
        type: "suggestion",
        schema: [{ type: "integer" }],
        messages: { long: "The class has {{ lines }} lines, more than {{ maximum }}: split it." },
      },
      create: (context) => ({
        ClassDeclaration(node) {
          const lines = node.loc.end.line - node.loc.start.line + 1;
          const [maximum] = context.options;
          if (lines > maximum) context.report({ node, messageId: "long", data: { lines, maximum } });
        },
      }),
    },
  },
};

export default [
  { ignores: ["**/*", "!static/**", "!apps/**", "!tests/**", "!eslint.config.js", "static/vendor/**"] },
  js.configs.recommended,
  {
    files: ["**/*.js"],
    plugins: { house },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-undef": "off",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": "error",
      "object-shorthand": "error",
      "prefer-template": "error",
      "arrow-body-style": "error",
      "no-else-return": "error",
      "no-implicit-globals": "error",
      "no-shadow": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-console": "error",
      "max-params": ["error", 4],
      complexity: ["error", 14],
      eqeqeq: "error",
      "max-lines": ["error", 500],
      "max-lines-per-function": ["error", 60],
      "max-len": ["error", { code: 160, ignoreTemplateLiterals: true, ignoreStrings: true }],
      "house/verb-first": "error",
      "house/class-lines": ["error", MAX_CLASS_LINES],
    },
  },
];
