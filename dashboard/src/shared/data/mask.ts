const EMAIL = /[\p{L}\p{N}._%+-]+@([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)/gu;
const PHONE = /(?<![\w.-])\+?\d[\d ()/-]{7,}\d(?![\w.-])/g;
const DATE = /^\d{4}-\d{2}-\d{2}/;

/** Hides e-mail addresses and phone numbers: of an address the first letter and the host stay. */
export function mask(text: string): string {
  return text
    .replace(EMAIL, (found, host: string) => `${found.slice(0, 1)}•••@${host}`)
    .replace(PHONE, (found) => (DATE.test(found) ? found : `•••${found.slice(-2)}`));
}

export function hasPersonalData(text: string): boolean {
  return mask(text) !== text;
}

/** Masks every text of a value; keys stay. */
export function maskValue(value: unknown): unknown {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskValue(inner)]));
}
