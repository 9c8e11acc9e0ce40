/* Elements of the page, and the panel that describes the selected node, value or part. */
const find = (id) => document.getElementById(id);
const say = (text) => { find("said").textContent = text; };
const MOST_READERS = 20, MOST_MEMBERS = 100;

/* Make an element; text is only ever text. */
function make(tag, given = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...inside.filter((part) => part !== null));
  return element;
}

const link = (text, onclick) => make("button", { type: "button", class: "plain", onclick }, text);
const button = (text, onclick) => make("button", { type: "button", onclick }, text);
const toNode = ([number, index], text) => link(text, () => goTo(graphOf(number), index));
const placed = ([number, index]) => graphOf(number).node(index);

function fill(title, ...parts) {
  find("chosen").hidden = false;
  find("chosen-title").textContent = title;
  find("node").replaceChildren(...parts.filter((part) => part !== null));
}

/* Show the path of the graphs and modules around the selection. */
function showPath(parts) {
  const steps = [[graphOf(0).title, null], ...parts.flatMap((part) => (part.parent instanceof Repeat ? []
    : [[part instanceof GraphNode ? part.type : part.name, part]]))];
  find("path").replaceChildren(...steps.map(([text, part], i) => make("li", {}, i === steps.length - 1
    ? make("span", { "aria-current": "true" }, elided(text, 60)) : link(elided(text, 60), () => choosePart(part)))));
}

function opener(what) {
  const isOpen = folds.open.has(what);
  return make("p", {}, button(isOpen ? "Close" : "Open", () => toggle(what)));
}

function describe(box) {
  if (!box) return showPath([]);
  if (box.node) return describeNode(box);
  if (box.part) return describePart(box);
  return box.opened ? describe(box.frame) : describeEnd(box); // a graph inside a node is described as its node
}

function describeEnd({ graph, values, kind }) {
  const word = { [INPUT_BOX]: "Input", [OUTPUT_BOX]: "Output", [CAPTURED_BOX]: "From around" }[kind];
  const [value] = values, isOutput = kind === OUTPUT_BOX;
  const title = values.length > 1 ? counted(values.length, word.toLowerCase()) : `${word} ${graph.name(value)}`;
  const ends = (v) => (isOutput ? [graph.maker[v]].filter((at) => at >= 0) : graph.readers.get(v) ?? []);
  const end = (at) => make("div", {}, isOutput ? "\u2190 " : "\u2192 ", link(graph.node(at).title, () => goTo(graph, at)));
  fill(title, make("ul", { class: "values" }, ...values.slice(0, MOST_MEMBERS).map((v) => make("li", {}, graph.name(v),
    make("div", { class: "mono" }, graph.type(v)), ...ends(v).slice(0, MOST_READERS).map(end)))),
  linkTo(`value=${encodeURIComponent(graph.name(value))}`));
  showPath(folds.aroundGraph(graph));
  say(`${title}, ${graph.type(value)}`);
}

function describePart({ part }) {
  const isRepeat = part instanceof Repeat, first = part.nodes[0], { source } = part.graph.node(first);
  const many = isRepeat ? `${part.blocks.length} equal blocks of ${counted(part.blocks[0].shown.length, "node")}`
    : counted(part.shown.length, "node");
  fill(isRepeat ? `${part.name} \u00d7${part.blocks.length}` : part.name,
    part.module || part.class ? make("p", { class: "mono" }, [part.module, part.class].filter(Boolean).join(" ")) : null,
    make("p", {}, many), make("p", { class: "quiet" }, part.summary),
    source ? make("p", { class: "quiet" }, `from ${source}`) : null, opener(part), isRepeat ? blockChoice(part) : null);
  showPath(folds.aroundPart(part));
  say(`${part.name}, ${many}, ${folds.open.has(part) ? "open" : "closed"}`);
}

/* Which of equal blocks is shown. */
function blockChoice(repeat) {
  const now = folds.block.get(repeat) ?? 0;
  const onchange = ({ target }) => {
    folds.block.set(repeat, target.value === "all" ? "all" : Number(target.value));
    folds.open.add(repeat);
    rebuild(repeat);
  };
  const choice = (value, text) => make("option", { value, selected: now === value }, text);
  return make("p", {}, make("label", { for: "block" }, "Show "), make("select", { id: "block", onchange },
    ...repeat.blocks.map((block, i) => choice(i, block.title || `block ${i + 1}`)),
    choice("all", `all ${repeat.blocks.length}`)));
}

function linkTo(where) {
  return make("p", {}, make("a", { href: `#${where}` }, "Link to this"));
}

function describeNode({ node, mark }) {
  const { graph, index, inputs, outputs, attributes, inside, line, module, source } = node;
  const row = (value, port) => {
    if (value < 0) return make("li", { class: "quiet" }, `${port} omitted`);
    const maker = graph.maker[value], name = graph.name(value);
    const shown = maker >= 0 && maker !== index ? link(name, () => goTo(graph, maker)) : name;
    const next = maker === index ? (graph.readers.get(value) ?? []).slice(0, MOST_READERS).map((at) =>
      make("div", {}, "\u2192 ", link(graph.node(at).title, () => goTo(graph, at)))) : [];
    const role = ["", " initializer", " input", " from an outer graph"][graph.role(value)];
    const entries = /^b?f/.test(graph.type(value)) ? graph.few(value) : graph.entries(value);
    return make("li", {}, port ? make("span", { class: "quiet" }, `${port} `) : null, shown,
      make("div", { class: "mono" }, graph.type(value), entries ? ` ${entries}` : "", role), ...next);
  };
  const list = (title, rows) => rows.length === 0 ? null
    : make("div", {}, make("h3", {}, title), make("ul", { class: "values" }, ...rows));
  const costs = data.cost && graph.number === 0 ? data.cost.nodes[index] : undefined;
  const numbers = costs && ["parameters", "multiply-adds", "output bytes"]
    .map((name, i) => [costs[i] === null ? null : results[costs[i]], name])
    .filter(([number]) => number).map(([number, name]) => `${grouped(number)} ${name}`).join(", ");
  fill(node.title,
    make("p", { class: "quiet" }, `node ${index}${line ? `, line ${line}` : ""}${numbers ? `; ${numbers}` : ""}`),
    node.does ? make("p", {}, node.does) : null,
    module || source ? make("p", { class: "mono" }, [module, classes.get(module), source].filter(Boolean).join(", ")) : null,
    attributes.length ? make("p", { class: "mono" }, attributes.join(", ")) : null,
    inside.length ? opener(node) : null,
    list("Inputs", inputs.map((value, slot) => row(value, node.port(slot)))),
    list("Outputs", outputs.map((value) => row(value, ""))),
    linkTo(addressOf(node)));
  showPath(folds.around(graph, index));
  const types = outputs.filter((v) => v >= 0).map((v) => graph.type(v)).join(", ");
  say(`${node.title}, node ${index}${mark ? `, with a finding (${mark})` : ""}: ${types}`);
}

/* Describe the model: format, opsets, operators. */
function showModel() {
  const graph = graphOf(0);
  const row = (value) => make("tr", {}, make("td", {}, graph.name(value)), make("td", { class: "mono" }, graph.type(value)));
  const list = (title, values) => make("div", {}, make("h3", {}, title),
    make("table", {}, make("tbody", {}, ...values.slice(0, MOST_MEMBERS).map(row))));
  const operators = new Map();
  for (const [operator] of graph.records) operators.set(operator, (operators.get(operator) ?? 0) + 1);
  const most = [...operators].sort(([, x], [, y]) => y - x).map(([number, count]) => `${count} ${data.operators[number][0]}`);
  find("model").replaceChildren(make("p", {}, `${data.format || "graph"}, ${data.opsets.join(", ")}`),
    list("Inputs", graph.inputs), list("Outputs", graph.outputs),
    make("details", {}, make("summary", {}, counted(most.length, "operator")), make("p", {}, most.join(", "))));
  const used = new Set(data.operators.map(([, kind]) => kind));
  find("legend").replaceChildren(...data.kinds.flatMap((kind, i) => (!used.has(i) ? []
    : [make("li", {}, make("span", { class: `swatch kind-${i}` }), kind)])));
}
