"""Pure values and rules: ids, errors, statuses, retry, contract types, money, time. No input, no output."""
