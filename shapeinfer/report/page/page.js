/* The page: open parts, selection, links, mouse and keyboard. */
const MOST_AT_FIRST = 40, MOST_TRIES = 8, MOST_UNFOLDED = 1500, STEP = 80;
const folds = new Folds(), marks = new Map();
const drawing = new Drawing(find("graph"), find("strip"));

for (const { severity, place } of [...data.findings].reverse()) {
  if (!place || severity === "note") continue;
  const [number, index] = place;
  if (!marks.has(number)) marks.set(number, new Map());
  if (marks.get(number).get(index) !== "error") marks.get(number).set(index, severity);
}

/* Lay out the open parts again. The box with this key keeps its place on the canvas. */
function rebuild(key = drawing.chosen) {
  const before = drawing.scene?.boxOf(key), place = before && drawing.anchor(before);
  drawing.show(new Scene(folds, marks));
  const after = drawing.scene.boxOf(key);
  if (place && after) drawing.restore(after, place);
  if (drawing.chosen !== null && key === drawing.chosen) describe(after);
}

function toggle(what) {
  if (!folds.toggle(what)) return;
  drawing.chosen = what;
  rebuild(what);
}

function choose(box, centred = false) {
  drawing.chosen = box?.key ?? null;
  if (box && centred) drawing.centre(box);
  describe(box);
  if (box?.node) remember(addressOf(box.node));
  drawing.draw();
}

/* Show a node: where it is, and all that is known of it. */
function goTo(graph, index) {
  if (graph.isConstant(index)) index = graph.readers.get(graph.records[index][3][0])?.[0] ?? index; // it is drawn at its readers
  if (folds.reveal(graph, index)) rebuild(null);
  find("all").checked = folds.showsAll;
  const box = drawing.scene.boxOf(graph.node(index)) ?? drawing.scene.boxOf(folds.around(graph, index).pop());
  choose(box ?? null, true);
}

function choosePart(part) {
  const box = part === null ? null : drawing.scene.boxOf(part);
  choose(box ?? null, true);
  if (part === null) drawing.goToTop();
}

// Links to a node or a value

/* The URL fragment of a node: by its name, else its first output, else its index. */
function addressOf(node) {
  const { graph, index, name, outputs } = node;
  const candidates = [["node", name], ...outputs.filter((v) => v >= 0).map((v) => ["value", graph.name(v)])];
  for (const [kind, text] of candidates) {
    const found = text && named(kind, text);
    if (found && found[0] === graph && found[1] === index) return `${kind}=${encodeURIComponent(text)}`;
  }
  return `at=${graph.number}.${index}`;
}

/* The first node with a name, or the one that computes a value, else one that reads it. */
function named(kind, text) {
  for (let number = 0; number < data.graphs.length; number++) {
    const graph = graphOf(number);
    graph.nodesByName ??= new Map(graph.records.map(([, name], index) => [name, index]).reverse());
    const value = graph.numbers.get(text);
    const index = kind === "node" ? graph.nodesByName.get(text)
      : value === undefined ? undefined : graph.maker[value] >= 0 ? graph.maker[value] : graph.readers.get(value)?.[0];
    if (index !== undefined && text !== "") return [graph, index, value];
  }
  return null;
}

/* Go to the target of a fragment: node=NAME, value=NAME, at=GRAPH.INDEX or finding=NUMBER. */
function follow(fragment) {
  const [, kind, written] = /^#?(node|value|at|finding)=(.*)$/s.exec(fragment) ?? [];
  if (!kind) return;
  let text = written;
  try { text = decodeURIComponent(written); } catch { /* a name that is not encoded is taken as it stands */ }
  if (kind === "finding") {
    if (data.findings[Number(text)]) showFinding(Number(text));
    return;
  }
  const [number, at] = text.split(".").map(Number);
  const found = kind === "at" ? data.graphs[number]?.nodes[at] && [graphOf(number), at]
    : named(kind, text) ?? named(kind === "node" ? "value" : "node", text);
  if (!found) {
    fill("Not found", make("p", {}, `Nothing in this model is called ${text}.`));
    return;
  }
  const [graph, index, value] = found;
  const input = kind === "value" && graph.maker[value] < 0 && drawing.scene.boxes.find((box) => box.graph === graph
    && box.kind === INPUT_BOX && box.values.includes(value));
  if (input) choose(input, true);
  else goTo(graph, index);
}

/* Put the selection into the page's URL, where the browser allows it. */
function remember(fragment) {
  try { history.replaceState(null, "", `#${fragment}`); } catch { /* a page inside another has no address of its own */ }
}

function download() {
  const root = seen(drawing), file = new Blob([new XMLSerializer().serializeToString(root)], { type: "image/svg+xml" });
  const url = URL.createObjectURL(file), name = data.name.split(/[\\/]/).pop() || "model";
  make("a", { href: url, download: `${name}.svg` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/* The visible part, in the colors of the light page. */
function onPaper() {
  const root = document.documentElement, { theme } = root.dataset;
  root.dataset.theme = "light";
  drawing.colours();
  const shown = seen(drawing);
  if (theme === undefined) delete root.dataset.theme;
  else root.dataset.theme = theme;
  drawing.colours();
  return shown;
}

// Hands on mouse and keyboard

function listen() {
  const canvas = find("graph"), strip = find("strip"), hands = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (!hands.size) moved = 0;
    hands.set(event.pointerId, [event.offsetX, event.offsetY]);
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = hands.get(event.pointerId);
    if (!last) return;
    const now = [event.offsetX, event.offsetY], other = [...hands].find(([id]) => id !== event.pointerId)?.[1];
    moved += Math.abs(last[0] - now[0]) + Math.abs(last[1] - now[1]);
    if (other) { // two fingers
      const apart = (at) => Math.hypot(at[0] - other[0], at[1] - other[1]) || 1;
      drawing.zoom(apart(now) / apart(last), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    } else drawing.move(last[0] - now[0], last[1] - now[1]);
    hands.set(event.pointerId, now);
  });
  canvas.addEventListener("pointerup", (event) => {
    hands.delete(event.pointerId);
    if (moved >= 5 || hands.size) return;
    const { box, isMark } = drawing.at(event.offsetX, event.offsetY);
    if (box && isMark && folds.canOpen(openable(box))) toggle(openable(box));
    else choose(box);
  });
  canvas.addEventListener("pointercancel", (event) => hands.delete(event.pointerId));
  canvas.addEventListener("dblclick", (event) => {
    const { box, isMark } = drawing.at(event.offsetX, event.offsetY);
    if (box && !isMark) toggle(openable(box));
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) drawing.zoom(Math.exp(-event.deltaY / 200), event.offsetX, event.offsetY);
    else if (event.shiftKey) drawing.move(event.deltaY, 0);
    else drawing.move(event.deltaX, event.deltaY);
  }, { passive: false });
  const scroll = (event) => {
    if (!event.buttons) return;
    drawing.top = (event.offsetY / strip.clientHeight) * drawing.scene.high;
    drawing.draw();
  };
  strip.addEventListener("pointerdown", scroll);
  strip.addEventListener("pointermove", scroll);
  canvas.addEventListener("keydown", onGraphKey);
  document.addEventListener("keydown", onKey);
  const clicks = {
    closer: () => drawing.zoom(1.3), farther: () => drawing.zoom(1 / 1.3), fit: () => drawing.fit(), top: () => drawing.goToTop(),
    fold: () => { folds.fold(); choose(null); rebuild(null); drawing.start(); },
    unfold: () => { folds.unfold(MOST_UNFOLDED); rebuild(); },
    svg: download,
  };
  for (const [id, onclick] of Object.entries(clicks)) find(id).addEventListener("click", onclick);
  find("all").addEventListener("change", () => { folds.showsAll = find("all").checked; rebuild(); });
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
  addEventListener("hashchange", () => follow(location.hash));
  addEventListener("message", (event) => { if (typeof event.data?.show === "string") follow(event.data.show); });
  addEventListener("beforeprint", () => find("printed").replaceChildren(onPaper()));
  addEventListener("afterprint", () => find("printed").replaceChildren());
}

/* The part that a box opens or closes. */
const openable = (box) => box.part ?? (box.opened instanceof Graph ? box.frame.node : box.node);

function onGraphKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event, box = drawing.scene.boxOf(drawing.chosen);
  const ways = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };
  if (key in ways) {
    event.preventDefault();
    if (event.shiftKey) drawing.move(...ways[key]);
    else choose(box ? drawing.beside(box, key) : drawing.scene.first, true);
  } else if (key === "+" || key === "=") drawing.zoom(1.3);
  else if (key === "-") drawing.zoom(1 / 1.3);
  else if (key === "0") drawing.fit();
  else if (key === "Home") drawing.goToTop();
  else if (key === "Enter" && box) toggle(openable(box));
  else if (key === "Backspace" && box?.frame) choose(box.frame, true);
}

function onKey(event) {
  if (event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    find("query").focus();
  } else if (event.key === "n") nextFinding(1);
  else if (event.key === "p") nextFinding(-1);
}

/* Open all of a small model; of a larger one the parts with most nodes, as long as they fit. */
function begin() {
  const root = folds.rootOf(graphOf(0));
  if (root.shown.length <= MOST_AT_FIRST) folds.unfold(MOST_UNFOLDED);
  else {
    rebuild(null);
    const waiting = folds.inside(root), most = drawing.fitting() < READABLE ? 0 : MOST_TRIES;
    for (let tries = 0; waiting.length && tries < most; tries++) {
      const [part] = waiting.sort((a, b) => (b.shown?.length ?? 1) - (a.shown?.length ?? 1)).splice(0, 1);
      folds.open.add(part);
      rebuild(null);
      if (drawing.fitting() < READABLE) folds.open.delete(part);
      else waiting.push(...folds.inside(part));
    }
  }
  rebuild(null);
  drawing.start();
}

drawing.colours();
begin();
showPath([]);
showFindings();
showSizes();
showContract();
showCost();
showModel();
search();
listen();
const first = data.findings.findIndex((f) => f.severity === "error" && f.place);
if (location.hash) follow(location.hash);
else if (first >= 0) showFinding(first);
