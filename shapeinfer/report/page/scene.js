/* The boxes and lines of the open parts: each level is laid out alone, and is one box in the level around it. */
const [NODE, GROUP, INPUT_BOX, OUTPUT_BOX, CAPTURED_BOX, PORT] = [0, 1, 2, 3, 4, 5];
const HIGH = 30, HEAD = 26, PAD = 14, MOST_ROWS = 5, LEAST_WIDE = 56, HEAVY = 20;
const TITLE_CHAR = 7.8, ROW_CHAR = 6.7, LABEL_CHAR = 7.3, ROW_HIGH = 15, LABEL_HIGH = 18, MOST_LABEL = 44;
const LEAST_FAMILY = 4, MOST_ENDS = 8; // inputs of one type whose names differ in numbers are drawn as one

class Scene {
  constructor(folds, marks) {
    this.folds = folds;
    this.marks = marks; // of each graph the severities by node
    [this.boxes, this.frames, this.lines, this.byKey] = [[], [], [], new Map()];
    const root = this.graphLevel(graphOf(0));
    [this.wide, this.high] = [root.wide, root.high];
    this.emit(root, 0, 0, null);
    this.connect();
  }

  boxOf(key) { return this.byKey.get(key); }

  get first() { return [...this.byKey.values()].sort((a, b) => a.y - b.y || a.x - b.x)[0] ?? null; }

  // Boxes

  box(kind, key, title, rows, given) {
    const own = Math.max(LEAST_WIDE, cut(title, 40).length * TITLE_CHAR + 24, ...rows.map((row) => row.length * ROW_CHAR + 16));
    const label = given.label === undefined ? 0 : Math.min(given.label.length, MOST_LABEL) * LABEL_CHAR + 6;
    return { kind, key, title: cut(title, 40), rows, own, wide: Math.max(own, label), weight: 1, end: 0,
      high: rows.length ? HEAD + rows.length * ROW_HIGH + 6 : HIGH, ...given };
  }

  nodeBox(graph, index) {
    const node = graph.node(index), made = node.outputs.filter((v) => v >= 0);
    const given = { graph, node, made, mark: this.marks.get(graph.number)?.get(index), colour: node.isHidden ? 6 : node.kind,
      ...(made.length === 1 ? { label: graph.type(made[0]) } : {}) };
    if (node.inside.length && this.folds.open.has(node)) {
      const levels = node.inside.map((number) => this.graphLevel(graphOf(number)));
      if (levels.length === 1)
        return this.frame(NODE, node, `${node.type}: ${nameOf(node.inside[0])}`, levels[0], { ...given, opened: node });
      const inner = node.inside.map((number, i) => this.frame(GROUP, graphOf(number), nameOf(number), levels[i],
        { graph: graphOf(number), opened: graphOf(number), made: [] }));
      return this.frame(NODE, node, node.type, beside(inner), { ...given, opened: node });
    }
    const rows = node.inputs.flatMap((v, slot) => {
      if (v < 0 || !graph.isWritten(v, this.folds.showsAll)) return [];
      const [element] = data.types[graph.typeNumber(v)], hasEntries = graph.few(v) !== "";
      const isOther = !hasEntries && made.length && element !== data.types[graph.typeNumber(made[0])][0];
      return [cut(`${node.port(slot)}${graph.written(v)}${isOther ? ` ${element}` : ""}`, MOST_LABEL)];
    });
    const shown = rows.length > MOST_ROWS ? [...rows.slice(0, MOST_ROWS - 1), `${rows.length - MOST_ROWS + 1} more`] : rows;
    const inside = node.inside.map((number) => cut(`${nameOf(number)}: ${counted(graphOf(number).count, "node")}`, MOST_LABEL));
    return this.box(NODE, node, node.inside.length ? `\u25b8 ${node.type}` : node.type, [...shown, ...inside], given);
  }

  partBox(graph, part) {
    const isRepeat = part instanceof Repeat, name = isRepeat ? `${part.name} \u00d7${part.blocks.length}` : part.name;
    const given = { graph, part, made: [], mark: this.folds.open.has(part) ? undefined : this.worst(graph, part), isRepeat };
    if (!this.folds.open.has(part)) {
      const each = this.folds.nodesOf(isRepeat ? part.blocks[0] : part).length;
      const count = isRepeat ? `${counted(each, "node")} each: ` : part.title ? `${counted(each, "node")}: ` : "";
      const rows = [part.class, `${count}${part.summary}`].filter(Boolean).map((row) => cut(row, MOST_LABEL));
      return this.box(GROUP, part, `\u25b8 ${elided(name, 36)}`, rows, given);
    }
    given.opened = part;
    if (!isRepeat) return this.frame(GROUP, part, part.name, this.level(graph, part.items), given);
    const shown = this.folds.block.get(part) ?? 0;
    if (shown === "all") return this.frame(GROUP, part, name, this.level(graph, part.blocks), given);
    const title = `${part.blocks[shown].title || `block ${shown + 1}`}, ${shown + 1} of ${part.blocks.length} equal`;
    const inner = this.level(graph, part.blocks[shown].items, part, shown);
    return this.frame(GROUP, part, title, inner, given);
  }

  worst(graph, part) {
    const marks = this.marks.get(graph.number);
    if (!marks) return undefined;
    part.members ??= new Set(part.nodes);
    const found = [...marks].filter(([index]) => part.members.has(index)).map(([, mark]) => mark);
    return found.includes("error") ? "error" : found[0];
  }

  /* A box around an open level; `entries` and `exits` say where the lines of a value go in and out. */
  frame(kind, key, title, inner, given) {
    const own = Math.max(inner.wide + 2 * PAD, (title.length + 2) * TITLE_CHAR + 24), x = (own - inner.wide) / 2;
    const moved = (places) => new Map([...places ?? []].map(([value, at]) => [value, at + x - own / 2]));
    return { kind, key, title: `\u25be ${title}`, rows: [], own, wide: own, high: HEAD + inner.high + 2 * PAD, weight: HEAVY,
      end: 0, ...given, inner, innerX: x, entries: moved(inner.entries), exits: moved(inner.exits) };
  }

  endBox(graph, kind, values) {
    const [value] = values, names = values.map((v) => graph.name(v));
    const title = values.length > 1 ? `${elided(ranged(names[0], names[names.length - 1]), 32)} \u00d7${values.length}`
      : elided(names[0], 32);
    const made = kind === OUTPUT_BOX ? [] : [value];
    return this.box(kind, `${graph.number} ${kind} ${value}`, title, [], { graph, values, made, label: graph.type(value) });
  }

  /* Values of one type whose names differ in numbers alone stand together where there are many. */
  families(graph, values) {
    if (values.length <= MOST_ENDS) return values.map((v) => [v]);
    const found = new Map();
    values.forEach((v, i) => {
      const key = `${graph.name(v).replace(/\d+/g, "*")} ${graph.typeNumber(v)} ${graph.role(v)}`;
      if (!found.has(key)) found.set(key, []);
      found.get(key).push(v);
    });
    return [...found.values()].flatMap((members) => (members.length < LEAST_FAMILY ? members.map((v) => [v]) : [members]));
  }

  // Levels

  graphLevel(graph) {
    const root = this.folds.rootOf(graph), shown = graph.inputs.filter((v) => !graph.isWritten(v, this.folds.showsAll));
    const tops = this.families(graph, shown).map((values) =>
      this.endBox(graph, graph.role(values[0]) === CAPTURED ? CAPTURED_BOX : INPUT_BOX, values));
    const bottoms = this.families(graph, [...new Set(graph.outputs)]).map((values) => this.endBox(graph, OUTPUT_BOX, values));
    return this.level(graph, root.items, null, 0, tops, bottoms);
  }

  /* Lay out parts of a graph; of equal blocks one is shown, and the lines of the others lead to what is equal in it. */
  level(graph, items, repeat = null, shown = 0, tops = null, bottoms = null) {
    const parts = items.filter((item) => (typeof item === "number" ? this.folds.showsAll || !graph.records[item][5]
      : this.folds.nodesOf(item).length));
    const boxes = parts.map((item) => (typeof item === "number" ? this.nodeBox(graph, item) : this.partBox(graph, item)));
    const owner = new Map();
    parts.forEach((item, i) => {
      for (const index of typeof item === "number" ? [item] : this.folds.nodesOf(item)) owner.set(index, boxes[i]);
    });
    const wiring = new Wiring(graph, owner, this.folds.showsAll);
    if (repeat) wiring.alias(repeat, shown);
    for (const top of tops ?? []) for (const value of top.values) wiring.source(value, top);
    wiring.read(tops !== null);
    if (tops === null) wiring.leave();
    for (const bottom of bottoms ?? []) for (const value of bottom.values) wiring.sink(value, bottom);
    wiring.merge();
    const all = [...wiring.entryPorts, ...(tops ?? []), ...boxes, ...(bottoms ?? []), ...wiring.exitPorts];
    const place = new Map(all.map((box, i) => [box, i])), lines = [...wiring.lines.values()];
    for (const { b } of lines)
      if (b.made.some((v) => /^b?f/.test(data.types[b.graph.typeNumber(v)][0]))) b.weight = HEAVY;
    const found = layOut(all, lines.map(({ a, b, from, to }) => ({ a: place.get(a), b: place.get(b), from, to })));
    all.forEach((box, i) => Object.assign(box, { x: found.middles[i], y: found.tops[i], foot: found.feet[i] }));
    const at = (ports) => new Map([...ports].map(([value, port]) => [value, port.x]));
    return { boxes: all, lines: lines.map((line, i) => ({ ...line, through: found.points[i] })), wide: found.wide,
      high: found.high + (bottoms?.length ? LABEL_HIGH : 0), entries: at(wiring.entries), exits: at(wiring.exits) };
  }

  // All in one plane

  /* Add the boxes and lines of a level whose top left corner is at x, y. */
  emit(level, x, y, frame) {
    for (const box of level.boxes) {
      box.x += x;
      box.y += y;
      box.foot += y;
      box.frame = frame;
    }
    for (const line of level.lines) {
      const { a, b, from, to, through } = line;
      line.points = through && [
        ...(a.kind === PORT && frame ? [[a.x, frame.y]] : []), [a.x + from, a.y + a.high],
        ...(a.high < a.foot - a.y ? [[a.x + from, a.foot]] : []),
        ...through.map(([u, v]) => [u + x, v + y]),
        [b.x + to, b.y], ...(b.kind === PORT && frame ? [[b.x, frame.y + frame.high]] : [])];
      this.lines.push(line);
    }
    for (const box of level.boxes) {
      if (box.kind === PORT) continue;
      this.byKey.set(box.key, box);
      if (!box.inner) { this.boxes.push(box); continue; }
      this.frames.push(box);
      this.emit(box.inner, box.x - box.own / 2 + box.innerX, box.y + HEAD + PAD, box);
    }
  }

  /* Note the neighbours of each box, and the ends of lines that are too long to be drawn. */
  connect() {
    for (const line of this.lines) {
      const { a, b, points, values } = line;
      if (a.kind !== PORT && b.kind !== PORT) {
        (a.below ??= []).push(b);
        (b.above ??= []).push(a);
      }
      if (points || a.kind === PORT || b.kind === PORT) continue;
      a.hasTail = true;
      (b.heads ??= []).push(values[0]);
    }
  }
}

/* The name of a graph inside a node. */
const nameOf = (number) => data.graphs[number].name;

/* Frames side by side. */
function beside(frames) {
  let x = 0;
  for (const frame of frames) {
    Object.assign(frame, { x: x + frame.own / 2, y: 0, foot: frame.high });
    x += frame.own + PAD;
  }
  return { boxes: frames, lines: [], wide: x - PAD, high: frames.reduce((most, frame) => Math.max(most, frame.high), 0) };
}

/* The lines of one level: between its boxes, and through ports at its edges to what is around it. */
class Wiring {
  constructor(graph, owner, showsAll) {
    Object.assign(this, { graph, owner, showsAll });
    this.lines = new Map();
    [this.entries, this.exits] = [new Map(), new Map()]; // the ports by value
    [this.entryPorts, this.exitPorts] = [[], []];
    this.sources = new Map();
    this.within = new Set(owner.keys());
    this.blockOf = new Map();
    this.same = new Map();
    this.slots = new Map();
    this.shown = 0;
  }

  /* Let the nodes of the other blocks stand for those of the one that is shown. */
  alias(repeat, shown) {
    this.shown = shown;
    const own = repeat.blocks[shown].shown;
    repeat.blocks.forEach((block, number) => {
      for (const index of block.nodes) { this.within.add(index); this.blockOf.set(index, number); }
      if (number === shown) return;
      block.shown.forEach((index, i) => {
        this.same.set(index, own[i]);
        this.owner.set(index, this.owner.get(own[i]));
      });
    });
  }

  source(value, box) { this.sources.set(value, box); }

  read(isWhole) {
    const nodes = [...this.owner.keys()];
    const isShown = (index) => !this.same.has(index);
    for (const index of [...nodes.filter(isShown), ...nodes.filter((i) => !isShown(i))]) {
      const to = this.owner.get(index), alias = this.same.get(index) ?? index;
      this.graph.reads(index).forEach((value, slot) => {
        if (value < 0 || this.graph.isWritten(value, this.showsAll)) return;
        const maker = this.graph.maker[value];
        if (maker >= 0 && this.within.has(maker)) {
          const from = this.owner.get(maker), sameBlock = this.blockOf.get(maker) === this.blockOf.get(index);
          if (from && from !== to && sameBlock && isShown(index)) this.join(from, to, value);
        } else if (maker < 0 && this.sources.has(value)) this.join(this.sources.get(value), to, value);
        else if (!isWhole) this.enter(value, to, `${alias}:${slot}`);
      });
    }
  }

  /* A value from around comes in by one port; so do those that equal blocks read at the same place. */
  enter(value, to, slot) {
    let port = this.entries.get(value) ?? (this.same.size ? this.slots.get(slot) : undefined);
    if (!port) this.entryPorts.push(port = { kind: PORT, end: -1, wide: 0, high: 0, weight: HEAVY, made: [], rows: [] });
    this.entries.set(value, port);
    if (!this.slots.has(slot)) this.slots.set(slot, port);
    this.join(port, to, value);
  }

  /* What is computed here and read elsewhere leaves by a port. */
  leave() {
    const ports = new Map();
    for (const [index, from] of this.owner) {
      this.graph.records[index][3].forEach((value, slot) => {
        if (value < 0) return;
        const readers = this.graph.readers.get(value) ?? [];
        const isRead = readers.some((reader) => !this.within.has(reader) && (this.showsAll || !this.graph.records[reader][5]));
        if (!isRead && !this.graph.isOutput.has(value)) return;
        const key = `${this.same.get(index) ?? index}:${slot}`;
        if (!ports.has(key)) {
          ports.set(key, { kind: PORT, end: 1, wide: 0, high: 0, weight: HEAVY, made: [], rows: [] });
          this.exitPorts.push(ports.get(key));
        }
        this.exits.set(value, ports.get(key));
        this.join(from, ports.get(key), value);
      });
    }
  }

  /* Values of one type whose names differ in numbers alone take one port where they lead to the same boxes. */
  merge() {
    const ends = new Map(), lines = [...this.lines.values()], kept = new Map();
    for (const { a, b, from, to } of lines) {
      if (a.kind === PORT) ends.set(a, `${ends.get(a) ?? ""} ${this.number(b)} ${Math.round(to)}`);
      if (b.kind === PORT) ends.set(b, `${ends.get(b) ?? ""} ${this.number(a)} ${Math.round(from)}`);
    }
    const merged = (ports) => {
      for (const [value, port] of ports) {
        const name = this.graph.name(value).replace(/\d+/g, "*");
        const key = `${port.end} ${ends.get(port)} ${this.graph.typeNumber(value)} ${name}`;
        if (!kept.has(key)) kept.set(key, port);
        if (kept.get(key) !== port) ports.set(value, kept.get(key));
      }
      return [...new Set(ports.values())];
    };
    this.entryPorts = merged(this.entries);
    this.exitPorts = merged(this.exits);
    const all = new Set([...this.entryPorts, ...this.exitPorts]);
    for (const [key, { a, b }] of this.lines)
      if ((a.kind === PORT && !all.has(a)) || (b.kind === PORT && !all.has(b))) this.lines.delete(key);
  }

  sink(value, box) {
    const maker = this.graph.maker[value], from = maker >= 0 ? this.owner.get(maker) : this.sources.get(value);
    if (from) this.join(from, box, value);
  }

  join(a, b, value) {
    const from = a.exits?.get(value) ?? 0, to = b.entries?.get(value) ?? 0;
    const key = `${this.number(a)} ${this.number(b)} ${Math.round(from)} ${Math.round(to)}`, line = this.lines.get(key);
    if (!line) this.lines.set(key, { a, b, from, to, values: [value], graph: this.graph });
    else if (!line.values.includes(value)) line.values.push(value);
  }

  number(box) {
    this.numbers ??= new Map();
    if (!this.numbers.has(box)) this.numbers.set(box, this.numbers.size);
    return this.numbers.get(box);
  }
}
