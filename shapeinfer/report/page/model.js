/* The model in the page: names of its parts, producers and readers of its values. */
const COMPUTED = 0, INITIALIZER = 1, INPUT = 2, CAPTURED = 3, MOST_ENTRIES = 8, MOST_FLOATS = 2;
const data = JSON.parse(document.getElementById("data").textContent);
const classes = new Map(Object.entries(data.classes)); // of modules, whose paths may be those of an object's own
let sizes = new Map(), results = evaluate(data.table, sizes);

const grouped = (number) => number.toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

function cut(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 1)}\u2026`;
}

/* The ends of a name say more than its middle. */
function elided(text, most) {
  return text.length <= most ? text : `${text.slice(0, most / 3)}\u2026${text.slice(text.length - (2 * most) / 3 + 1)}`;
}

function length(size) {
  if (size >= 0) return String(size);
  const [text, entry] = data.dims[-1 - size];
  return String(results[entry] ?? text);
}

const lengthOrText = (entry) => (typeof entry === "string" ? entry : length(entry));

function typeText(type) {
  const [element, lengths] = data.types[type];
  if (lengths === 0) return element;
  return lengths === null ? `${element}[...]` : `${element}[${lengths.map(length).join(", ")}]`;
}

function entriesText(type) {
  const entries = data.types[type][2];
  return entries ? `{${entries.map(lengthOrText).join(", ")}}` : "";
}

/* A node, decoded from its record, which omits trailing zeros. */
class GraphNode {
  constructor(graph, index, record) {
    const [operator, name, inputs, outputs, attributes = 0, hidden = 0, module = 0, source = 0, line = 0, inside = 0] = record;
    [this.operator, this.kind, this.ports, this.isVariadic, this.does] = data.operators[operator];
    Object.assign(this, { graph, index, name, inputs, outputs, line });
    [this.module, this.source, this.attributes] = [data.modules[module], data.sources[source], data.attributes[attributes]];
    this.isHidden = Boolean(hidden);
    this.inside = inside || [];
  }

  /* The operator without its domain. */
  get type() { return this.operator.split("::").pop(); }
  get title() { return this.name ? `${this.operator} "${this.name}"` : this.operator; }

  /* The name that the operator gives to an input. */
  port(slot) {
    const last = this.ports.length - 1;
    if (last < 0) return "";
    return slot >= last && this.isVariadic && slot > 0 ? `${this.ports[last]} ${slot - last + 1}` : this.ports[slot] ?? "";
  }
}

class Graph {
  constructor(number) {
    const { title, parent, nodes, values, inputs, outputs, parts } = data.graphs[number];
    Object.assign(this, { number, title, parent, values, inputs, outputs, parts });
    this.records = nodes;
    this.nodes = [];
    this.maker = new Int32Array(values.length).fill(-1);
    nodes.forEach(([, , , made], index) => { for (const v of made) if (v >= 0) this.maker[v] = index; });
    this.isOutput = new Set(outputs);
  }

  get count() { return this.records.length; }
  node(index) { return this.nodes[index] ??= new GraphNode(this, index, this.records[index]); }
  name(value) { return this.values[value][0]; }
  typeNumber(value) { return this.values[value][1]; }
  role(value) { return this.values[value][2] ?? COMPUTED; }
  type(value) { return typeText(this.typeNumber(value)); }
  entries(value) { return entriesText(this.typeNumber(value)); }

  /* All that a node reads; captured values, which its graphs read, after its own. */
  reads(index) {
    const own = this.records[index][2], inside = this.records[index][9];
    if (!inside) return own;
    const around = inside.flatMap((number) => {
      const inner = graphOf(number);
      return inner.inputs.filter((v) => inner.role(v) === CAPTURED).map((v) => this.numbers.get(inner.name(v)));
    });
    return [...own, ...around.filter((v) => v !== undefined)];
  }

  get numbers() { return this.byName ??= new Map(this.values.map(([name], value) => [name, value])); }

  get readers() {
    if (!this.readBy) {
      this.readBy = new Map();
      for (let index = 0; index < this.count; index++)
        for (const v of new Set(this.reads(index))) {
          if (v < 0) continue;
          if (!this.readBy.has(v)) this.readBy.set(v, []);
          this.readBy.get(v).push(index);
        }
    }
    return this.readBy;
  }

  isConstant(index) { return this.node(index).operator === "Constant"; }

  /* The value of the graph around that a captured one is. */
  outer(value) {
    if (!this.parent || this.role(value) !== CAPTURED) return undefined;
    const around = graphOf(this.parent[0]), found = around.numbers.get(this.name(value));
    return found === undefined ? undefined : [around, found];
  }

  /* Whether a value is written at its readers, and no line leads to them. */
  isWritten(value, showsAll) {
    if (this.role(value) === INITIALIZER) return true;
    const outer = this.outer(value);
    if (outer) return outer[0].isWritten(outer[1], showsAll);
    const maker = this.maker[value];
    return maker >= 0 && (this.isConstant(maker) || (!showsAll && Boolean(this.records[maker][5])));
  }

  /* The entries where they are few, of floats fewer. */
  few(value) {
    const [element, , entries] = data.types[this.typeNumber(value)];
    return entries && entries.length <= (/^b?f/.test(element) ? MOST_FLOATS : MOST_ENTRIES) ? this.entries(value) : "";
  }

  /* How an input that is written at its reader is written: by its entries, or as its sizes. */
  written(value) {
    const few = this.few(value), lengths = data.types[this.typeNumber(value)][1];
    if (few) return lengths?.length === 0 ? ` = ${few.slice(1, -1)}` : ` ${few}`;
    return lengths ? `\u27e8${lengths.map(length).join("\u00d7")}\u27e9` : ` ${this.type(value)}`;
  }
}

const graphs = [];
const graphOf = (number) => graphs[number] ??= new Graph(number);
