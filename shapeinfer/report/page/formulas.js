"use strict";

/* The operations of Python's shapeinfer.dims.table, on whole numbers of any size. Null is not known. */
const OPERATIONS = {
  "+": (a) => a.reduce((x, y) => x + y, 0n),
  "*": (a) => a.reduce((x, y) => x * y, 1n),
  "**": ([a, n]) => (n < 0n ? null : a ** n),
  "//": ([a, b]) => (b === 0n ? null : (a - (((a % b) + b) % b)) / b),
  "max": (a) => a.reduce((x, y) => (x > y ? x : y)),
  "min": (a) => a.reduce((x, y) => (x < y ? x : y)),
  "broadcast": (a) => a.find((x) => x !== 1n) ?? 1n,
  "==": ([a, b]) => a === b,
  "<=": ([a, b]) => a <= b,
  "|": ([a, b]) => (a === 0n ? b === 0n : b % a === 0n),
};

function evaluate(table, sizes) {
  const results = [];
  for (const [operation, ...rest] of table) results.push(result(operation, rest, results, sizes));
  return results;
}

function result(operation, rest, results, sizes) {
  if (operation === "n") return BigInt(rest[0]);
  if (operation === "s") return sizes.get(rest[0]) ?? null;
  const given = rest.map((index) => results[index]);
  if (operation === "and" || operation === "or") {
    const decides = operation === "or";
    if (given.includes(decides)) return decides;
    return given.includes(null) ? null : !decides;
  }
  return given.includes(null) ? null : OPERATIONS[operation](given);
}
