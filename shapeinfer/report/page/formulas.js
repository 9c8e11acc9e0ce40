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

/* Operations on floats, in the precision that stands before their names. What is not finite is not known. */
const FLOATING = {
  "+": ([a, b]) => a + b,
  "-": ([a, b]) => a - b,
  "*": ([a, b]) => a * b,
  "/": ([a, b]) => a / b,
  "sqrt": ([a]) => Math.sqrt(a),
  "min": (a) => Math.min(...a),
  "max": (a) => Math.max(...a),
  "convert": ([a]) => a,
};
const PRECISIONS = { f32: Math.fround, f64: (x) => x };
const ROUNDED = {
  "floor": Math.floor,
  "ceil": Math.ceil,
  "round": (x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x)),
  "trunc": Math.trunc,
};

function floating(precision, operation, given) {
  const nearest = PRECISIONS[precision];
  const numbers = given.map(Number);
  // a double would round a greater one first
  if (given.some((x) => typeof x === "bigint" && BigInt(Number(x)) !== x)) return null;
  if (operation !== "convert" && numbers.some((x) => nearest(x) !== x)) return null;
  const result = nearest(FLOATING[operation](numbers));
  return Number.isFinite(result) ? result : null;
}

/* What does not fit int64 is not known. */
const integer = (x) => (Math.abs(x) < 2 ** 63 ? BigInt(x) : null);

function evaluate(table, sizes) {
  const results = [];
  for (const [operation, ...rest] of table) results.push(result(operation, rest, results, sizes));
  return results;
}

function result(operation, rest, results, sizes) {
  if (operation === "n") return BigInt(rest[0]);
  if (operation === "f") return Number(rest[0]);
  if (operation === "s") return sizes.get(rest[0]) ?? null;
  const given = rest.map((index) => results[index]);
  if (operation === "and" || operation === "or") {
    const decides = operation === "or";
    if (given.includes(decides)) return decides;
    return given.includes(null) ? null : !decides;
  }
  if (given.includes(null)) return null;
  if (operation in ROUNDED) return integer(ROUNDED[operation](given[0]));
  const [precision, name] = [operation.slice(0, 3), operation.slice(3)];
  return precision in PRECISIONS ? floating(precision, name, given) : OPERATIONS[operation](given);
}
