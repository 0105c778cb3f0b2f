/** Working hours: `6 h`, `2.5 h`. Days are not made of them: how long a day is belongs to the calendar. */
export function formatHours(hours: number): string {
  return `${hours.toLocaleString(undefined, { maximumFractionDigits: 1 })} h`;
}
