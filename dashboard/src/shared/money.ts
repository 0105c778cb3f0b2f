/** Dollars with as many digits as a small amount needs to differ from nothing. */
export function formatUsd(usd: number): string {
  if (usd === 0) return "$0";
  if (usd < 0.000_1) return "< $0.0001";
  const digits = usd >= 100 ? 0 : usd >= 1 ? 2 : 4;
  return `$${usd.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

const COUNT = new Intl.NumberFormat("en-US");
const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

export function formatCount(count: number): string {
  return COUNT.format(count);
}

export function formatShortCount(count: number): string {
  return count < 10_000 ? COUNT.format(count) : SHORT.format(count);
}
