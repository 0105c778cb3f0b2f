import { readdirSync } from "node:fs";

import js from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

const features = readdirSync(new URL("./src/features", import.meta.url));

/** Imports flow one way, shared → features → app, and no feature knows another one. */
function mayNotImport(files, groups, message) {
  const patterns = [
    { group: groups, message },
    { group: ["../*"], message: "Name the layer: import from @/…" },
    { group: ["@/*/*/index", "*/utils", "*/helpers"], message: "A file is named after its idea." },
  ];
  return { files, rules: { "no-restricted-imports": ["error", { patterns }] } };
}

export default tseslint.config(
  { ignores: ["dist", "node_modules", "e2e/.data", "**/*.gen.ts", "test-results", "playwright-report"] },
  js.configs.recommended,
  {
    files: ["**/*.{ts,tsx}"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", { max: 50, skipBlankLines: true, skipComments: true }],
      "no-console": "error",
    },
  },
  { files: ["**/*.{mjs,cjs,js}"], languageOptions: { globals: { console: "readonly", process: "readonly", URL: "readonly", module: "readonly" } } },
  { files: ["src/**/*.{ts,tsx}"], plugins: { "react-hooks": hooks }, rules: { "react-hooks/rules-of-hooks": "error", "react-hooks/exhaustive-deps": "error" } },
  {
    files: ["**/*.test.{ts,tsx}", "e2e/**"],
    rules: { "max-lines-per-function": "off", "@typescript-eslint/no-non-null-assertion": "off", "no-console": "off" },
  },
  mayNotImport(["src/shared/**"], ["@/features/**", "@/app/**"], "shared knows neither features nor the app."),
  ...features.map((feature) =>
    mayNotImport(
      [`src/features/${feature}/**`],
      ["@/app/**", ...features.filter((other) => other !== feature).map((other) => `@/features/${other}/**`)],
      "A feature knows shared and itself only.",
    ),
  ),
);
