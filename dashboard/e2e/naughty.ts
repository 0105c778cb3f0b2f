/** Texts that break careless pages. Every one of them has to appear as what it is. */
export const NAUGHTY = [
  "<script>window.broken = true</script>",
  "<img src=x onerror=\"window.broken = true\">",
  "javascript:alert(1)",
  "{{ constructor.constructor('window.broken = true')() }}",
  "${window.broken = true}",
  "'; DROP TABLE executions; --",
  "\u202Etxet desrever",
  "Ṱ̺̺̕o͞ ̷i̲̬͇̪͙n̝̗͕v̟̜̘̦͟o̶̙̰̠kè͚̮̺̪̹̱̤",
  "👩‍👩‍👧‍👦 田中さんにあげて下さい",
  "a".repeat(400),
];
