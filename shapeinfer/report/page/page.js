const MOST_RESULTS = 200, MOST_FINDINGS = 300, SLIDER = 4096n;
const data = JSON.parse(document.getElementById("data").textContent);
const find = (id) => document.getElementById(id);
let sizes = new Map(), results = evaluate(data.table, sizes), current = 0, finding = -1;

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

const toNode = ([number, index], text) => link(text, () => { if (number !== current) enter(number); goTo(index); });

const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

// What things are called

const graph = () => data.graphs[current];
const grouped = (number) => number.toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");

function length(size) {
  if (size >= 0) return String(size);
  const [text, entry] = data.dims[-1 - size];
  return String(results[entry] ?? text);
}

function typeOf([, , type, lengths]) {
  if (lengths === 0) return type;
  return lengths === null ? `${type}[...]` : `${type}[${lengths.map(length).join(", ")}]`;
}

const titleOf = ([operator, name]) => (name ? `${operator} "${name}"` : operator);

const drawing = new Drawing(find("graph"), find("strip"), {
  box(box) {
    const [kind, index] = graph().boxes[box];
    if (kind !== NODE) return cut(graph().values[index][0], 24);
    const [operator, , , , , inside] = graph().nodes[index];
    return cut(operator, 40) + (inside.length ? " \u25b8" : "");
  },
  value: (value) => graph().values[value][0],
  type: (value) => typeOf(graph().values[value]),
  hasWeights: (index) => graph().nodes[index][2].some((v) => v >= 0 && graph().values[v][1] === "initializer"
    && graph().values[v][4] === ""),
});

// Graphs and their nodes

function enter(number) {
  current = number;
  drawing.marks = new Map();
  for (const { severity, place } of [...data.findings].reverse()) {
    if (!place || place[0] !== number || severity === "note") continue;
    if (drawing.marks.get(place[1]) !== "error") drawing.marks.set(place[1], severity);
  }
  drawing.show(graph());
  const path = [];
  for (let at = number; at !== null; at = data.graphs[at].parent?.[0] ?? null) path.unshift(at);
  find("path").replaceChildren(...path.map((at) =>
    make("li", {}, at === number ? make("span", { "aria-current": "page" }, data.graphs[at].title)
      : link(data.graphs[at].title, () => enter(at)))));
  find("chosen").hidden = true;
  search();
}

function leave() {
  const parent = graph().parent;
  if (!parent) return;
  enter(parent[0]);
  goTo(parent[1]);
}

/* Show a node: where it is, and all that is known of it. */
function goTo(index, centred = true) {
  let box = drawing.boxOf.get(index);
  if (box === undefined) { // a Constant stands at its readers
    const [made] = graph().nodes[index][3];
    const reader = graph().nodes.findIndex((node) => node[2].includes(made));
    box = drawing.boxOf.get(reader) ?? -1;
  }
  drawing.choose(box, centred);
  describe(index);
}

function chooseBox(box, centred) {
  drawing.choose(box, centred);
  if (box < 0) return;
  const [kind, index] = graph().boxes[box];
  if (kind === NODE) return describe(index);
  const value = graph().values[index], word = { [INPUT]: "Input", [OUTPUT]: "Output", [CAPTURED]: "From around" }[kind];
  fill(`${word} ${value[0]}`, make("p", { class: "mono" }, typeOf(value)));
  say(`${word} ${value[0]}, ${typeOf(value)}`);
}

function fill(title, ...parts) {
  find("chosen").hidden = false;
  find("chosen-title").textContent = title;
  find("node").replaceChildren(...parts.filter((part) => part !== null));
}

const say = (text) => { find("said").textContent = text; };

function describe(index) {
  const node = graph().nodes[index], [, , inputs, outputs, attributes, inside, line] = node;
  const readers = new Map();
  graph().nodes.forEach(([, , read], at) => read.forEach((v) => v >= 0 && outputs.includes(v)
    && readers.set(v, [...(readers.get(v) ?? []), at])));
  const makers = new Map(graph().nodes.flatMap(([, , , made], at) => made.map((v) => [v, at])));
  const row = (value) => {
    if (value < 0) return make("tr", {}, make("td", { class: "quiet" }, "left out"), make("td"));
    const record = graph().values[value], maker = makers.get(value);
    const name = maker !== undefined && maker !== index ? link(record[0], () => goTo(maker)) : record[0];
    const next = (readers.get(value) ?? []).slice(0, 20)
      .map((at) => make("div", {}, "\u2192 ", link(titleOf(graph().nodes[at]), () => goTo(at))));
    return make("tr", {}, make("td", {}, name, ...next),
      make("td", { class: "mono" }, typeOf(record), record[4] ? ` ${record[4]}` : "", record[1] ? ` ${record[1]}` : ""));
  };
  const table = (title, values) => values.length === 0 ? null
    : make("div", {}, make("h3", {}, title), make("table", {}, make("tbody", {}, ...values.map(row))));
  const costs = data.cost && current === 0 ? data.cost.nodes[index] : undefined;
  const numbers = costs && ["parameters", "multiply-adds", "output bytes"]
    .map((name, i) => [costs[i] === null ? null : results[costs[i]], name])
    .filter(([number]) => number).map(([number, name]) => `${grouped(number)} ${name}`).join(", ");
  fill(titleOf(node),
    make("p", { class: "quiet" }, `node ${index}${line ? `, line ${line}` : ""}${numbers ? `; ${numbers}` : ""}`),
    attributes.length ? make("p", { class: "mono" }, attributes.join(", ")) : null,
    ...inside.map((number) => make("p", {}, make("button", { type: "button", onclick: () => enter(number) },
      `Open ${data.graphs[number].title}`))),
    table("Inputs", inputs), table("Outputs", outputs));
  const types = outputs.filter((v) => v >= 0).map((v) => typeOf(graph().values[v])).join(", ");
  const marked = drawing.marks.get(index);
  say(`${titleOf(node)}, node ${index}${marked ? `, with a finding (${marked})` : ""}: ${types}`);
}

// Search

function search() {
  const words = find("query").value.toLowerCase().split(/\s+/).filter(Boolean), where = find("where").value;
  const found = [];
  graph().nodes.forEach((node, index) => {
    const made = node[3].filter((v) => v >= 0).map((v) => graph().values[v]);
    const names = [node[1], ...made.map((value) => value[0])];
    const text = { name: names, operator: [node[0]], shape: made.map(typeOf) };
    const within = (where === "all" ? Object.values(text).flat() : text[where]).join(" ").toLowerCase();
    if (words.every((word) => within.includes(word))) found.push([index, made]);
  });
  const shown = found.slice(0, MOST_RESULTS);
  find("results").replaceChildren(...(words.length ? shown : []).map(([index, made]) =>
    make("li", {}, link(`${titleOf(graph().nodes[index])} ${made.map(typeOf).join(", ")}`, () => goTo(index)))));
  const all = `${found.length} ${found.length === 1 ? "node" : "nodes"}`;
  find("found").textContent = !words.length ? all : found.length > shown.length ? `${all}, the first ${shown.length}` : all;
}

// Findings

function showFindings() {
  const counts = ["error", "warning", "note"].map((s) => [data.findings.filter((f) => f.severity === s).length, s]);
  const told = counts.filter(([count]) => count).map(([count, s]) => `${count} ${s}${count === 1 ? "" : "s"}`).join(", ");
  const nodes = data.graphs[0].nodes.length;
  find("summary").textContent = `${nodes} nodes, ${data.opsets.join(", ")}; ${told || "nothing found"}`;
  const shown = data.findings.slice(0, MOST_FINDINGS);
  find("findings").replaceChildren(...(shown.length ? shown.map(oneFinding) : [make("p", {}, "No findings.")]));
  if (shown.length < data.findings.length)
    find("findings").append(make("p", {}, `These are the first ${shown.length} of ${data.findings.length}.`));
}

function oneFinding(f, number) {
  const rows = f.operands.map(([port, value, fact, origin]) =>
    make("tr", {}, make("td", {}, port), make("td", { class: "mono" }, `${value} ${fact}`), make("td", {}, origin)));
  const details = make("details", {},
    make("summary", {}, make("span", { class: f.severity }, f.severity), ` ${f.code}: ${f.message}`),
    f.where ? make("p", { class: "quiet" }, f.where) : null,
    rows.length ? make("table", {}, make("tbody", {}, ...rows)) : null,
    ...f.notes.map((note) => make("p", {}, note)),
    f.fix ? make("p", {}, make("strong", {}, f.fix)) : null,
    f.elsewhere.length ? make("details", {}, make("summary", {}, `and at ${counted(f.elsewhere.length, "more node")}`),
      make("ul", {}, ...f.elsewhere.map(([where, at]) => make("li", {}, at ? toNode(at, where) : where)))) : null,
    make("p", {}, make("code", {}, f.help)),
    f.place ? make("button", { type: "button", onclick: () => showFinding(number) }, "Show in the graph") : null);
  details.addEventListener("toggle", () => { if (details.open && finding !== number) showFinding(number); });
  return details;
}

/* Light up what a finding is about: its node, and the way that the lengths came. */
function showFinding(number) {
  finding = number;
  const { place, chain, message, severity } = data.findings[number];
  const details = find("findings").children[number];
  if (details && !details.open) details.open = true;
  if (!place) return;
  if (place[0] !== current) enter(place[0]);
  drawing.chain = new Set(chain);
  goTo(place[1]);
  say(`${severity}: ${message}`);
}

function nextFinding(step) {
  const placed = data.findings.map((f, i) => (f.place ? i : -1)).filter((i) => i >= 0);
  if (!placed.length) return;
  const at = placed.indexOf(finding);
  showFinding(placed[(at + step + placed.length + (at < 0 && step < 0 ? 1 : 0)) % placed.length]);
}

// Sizes, the contract and costs

function showSizes() {
  find("sizes-section").hidden = data.symbols.length === 0;
  find("sizes").replaceChildren(...data.symbols.map(([name, low, high, divisor, where], i) => {
    const limits = { min: low ?? 0, ...(high === null ? {} : { max: high }) };
    const number = make("input", { type: "number", id: `size-${i}`, step: "1", ...limits });
    const slider = make("input", { type: "range", "aria-label": `${name}, as a slider`, step: divisor, ...limits,
      max: high ?? Number(SLIDER), value: low ?? 0 });
    number.addEventListener("input", () => {
      if (number.value !== "") slider.value = number.value;
      resize(name, number.value);
    });
    slider.addEventListener("input", () => {
      number.value = slider.value;
      resize(name, slider.value);
    });
    return make("div", { class: "size" },
      make("label", { for: number.id }, make("span", { class: "mono" }, name), make("span", { class: "quiet" }, ` ${where}`)),
      number, slider);
  }));
}

function resize(name, text) {
  if (/^\d+$/.test(text)) sizes.set(name, BigInt(text));
  else sizes.delete(name);
  refresh();
}

function refresh() {
  results = evaluate(data.table, sizes);
  showContract();
  showCost();
  if (!find("chosen").hidden && drawing.chosen >= 0) chooseBox(drawing.chosen, false);
  search();
  drawing.draw();
}

function showContract() {
  const states = data.judged.map((entry) => results[entry]);
  const broken = states.filter((state) => state === false).length;
  find("holds").className = broken || !data.runs ? "error" : "";
  find("holds").textContent = !data.runs ? "The model has errors."
    : !states.length ? "The model has no known conditions on its inputs."
    : broken ? `These sizes break ${broken} of ${states.length} conditions.`
      : states.includes(null) ? "The model runs only where:" : "These sizes satisfy all conditions.";
  find("smallest").textContent = data.runs && data.smallest.length
    ? `Smallest sizes that run: ${data.smallest.map(([name, size]) => `${name} = ${size}`).join(", ")}` : "";
  const place = (at) => at === null ? null : toNode(at, titleOf(data.graphs[at[0]].nodes[at[1]]));
  const state = (entry) => results[entry] === true ? make("span", { class: "good" }, " holds")
    : results[entry] !== false ? null
      : broken ? make("strong", { class: "error" }, " fails") : make("span", { class: "quiet" }, " not for these sizes");
  const requirement = ([condition, entry, at, message]) => make("li", {}, make("span", { class: "mono" }, condition),
    state(entry), make("div", { class: "quiet" }, message), place(at));
  const folded = (summary, rows, isOpen) => rows.length === 0 ? [] : [make("li", {}, make("details", { open: isOpen },
    make("summary", {}, summary), make("ul", {}, ...rows.map(requirement))))];
  const fails = data.smallSizes.some(([, entry]) => results[entry] === false);
  const opened = find("contract").querySelectorAll("details[open]").length > 0;
  find("contract").replaceChildren(...(!data.runs ? [] : [
    ...data.contract.map(requirement),
    ...folded(`${counted(data.unsimplified.length, "condition")} that could not be simplified`, data.unsimplified, opened),
    ...folded(`${data.contract.length ? "also requires" : "requires"} ${data.smallText}`, data.smallSizes, opened || fails),
    ...data.atRunTime.map(([condition, at]) => make("li", {}, make("span", { class: "mono" }, condition),
      make("div", { class: "quiet" }, "data-dependent"), place(at))),
    ...data.assumed.map(([text, at]) => make("li", {}, make("span", { class: "mono" }, text),
      make("div", { class: "quiet" }, "assumed from its declaration"), place(at)))]));
}

function showCost() {
  find("cost-section").hidden = data.cost === null;
  if (data.cost === null) return;
  const rows = data.cost.sums.map(([name, entry, text]) => {
    const number = entry === null ? null : results[entry];
    return make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "mono" }, number === null ? text : grouped(number)));
  });
  find("cost").replaceChildren(make("table", {}, make("tbody", {}, ...rows)),
    ...data.cost.unknown.map((line) => make("p", { class: "quiet" }, line)));
}

// Hands on mouse and keyboard

function listen() {
  const canvas = find("graph"), strip = find("strip");
  let last = null, moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    [last, moved] = [[event.offsetX, event.offsetY], 0];
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!last) return;
    const [x, y] = [last[0] - event.offsetX, last[1] - event.offsetY];
    moved += Math.abs(x) + Math.abs(y);
    drawing.move(x, y);
    last = [event.offsetX, event.offsetY];
  });
  canvas.addEventListener("pointerup", (event) => {
    last = null;
    if (moved < 5) chooseBox(drawing.at(event.offsetX, event.offsetY), false);
  });
  canvas.addEventListener("pointercancel", () => { last = null; });
  canvas.addEventListener("dblclick", open);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) drawing.zoom(Math.exp(-event.deltaY / 200), event.offsetX, event.offsetY);
    else if (event.shiftKey) drawing.move(event.deltaY, 0);
    else drawing.move(event.deltaX, event.deltaY);
  }, { passive: false });
  const scroll = (event) => {
    if (!event.buttons) return;
    drawing.top = (event.offsetY / strip.clientHeight) * drawing.rows.length * ROW;
    drawing.draw();
  };
  strip.addEventListener("pointerdown", scroll);
  strip.addEventListener("pointermove", scroll);
  canvas.addEventListener("keydown", onGraphKey);
  document.addEventListener("keydown", onKey);
  find("closer").addEventListener("click", () => drawing.zoom(1.3));
  find("farther").addEventListener("click", () => drawing.zoom(1 / 1.3));
  find("fit").addEventListener("click", () => drawing.fit());
  find("top").addEventListener("click", () => drawing.goToTop());
  find("query").addEventListener("input", search);
  find("where").addEventListener("change", search);
  find("query").addEventListener("keydown", (event) => {
    const first = find("results").querySelector("button");
    if (event.key === "Enter") first?.click();
    if (event.key === "ArrowDown" && first) { event.preventDefault(); first.focus(); }
  });
  find("results").addEventListener("keydown", (event) => {
    const item = event.target.closest("li");
    const next = { ArrowDown: item?.nextElementSibling, ArrowUp: item?.previousElementSibling }[event.key];
    if (next) { event.preventDefault(); next.querySelector("button").focus(); }
  });
  find("clear").addEventListener("click", () => {
    for (const input of find("sizes").querySelectorAll("input[type=number]")) input.value = "";
    sizes.clear();
    refresh();
  });
  find("theme").addEventListener("click", () => {
    const root = document.documentElement, isDark = getComputedStyle(root).colorScheme === "dark";
    root.dataset.theme = isDark ? "light" : "dark";
    drawing.colours();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawing.colours());
  new ResizeObserver(() => drawing.draw()).observe(canvas);
}

function open() {
  if (drawing.chosen < 0) return;
  const [kind, index] = graph().boxes[drawing.chosen];
  const inside = kind === NODE ? graph().nodes[index][5] : [];
  if (inside.length) enter(inside[0]);
}

function onGraphKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event, step = 80;
  const ways = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
  if (key in ways) {
    event.preventDefault();
    if (event.shiftKey) drawing.move(...ways[key]);
    else chooseBox(drawing.chosen < 0 ? drawing.rows.find((row) => row)?.[0] ?? -1 : drawing.beside(key), true);
  } else if (key === "+" || key === "=") drawing.zoom(1.3);
  else if (key === "-") drawing.zoom(1 / 1.3);
  else if (key === "0") drawing.fit();
  else if (key === "Home") drawing.goToTop();
  else if (key === "Enter") open();
  else if (key === "Backspace") leave();
}

function onKey(event) {
  if (event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    find("query").focus();
  } else if (event.key === "n") nextFinding(1);
  else if (event.key === "p") nextFinding(-1);
}

enter(0);
drawing.colours();
showFindings();
showSizes();
showContract();
showCost();
listen();
const first = data.findings.findIndex((f) => f.severity === "error" && f.place);
if (first >= 0) showFinding(first);
