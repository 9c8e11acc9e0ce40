/* Foldable parts (modules, stretches, repeats of equal blocks, nodes with subgraphs), and which of them are open. */
class Group {
  constructor(graph, parent, [title, module, items]) {
    Object.assign(this, { graph, parent, title, module });
    this.items = items.map((item) => {
      if (typeof item === "number") { graph.homes[item] = this; return item; }
      return Array.isArray(item) ? new Group(graph, this, item) : new Repeat(graph, this, item.r);
    });
  }

  get parts() { return this.items; }

  get name() { return this.title || counted(this.shown.length, "node"); }

  /* The class of the module, without where it is defined. */
  get class() { return (classes.get(this.module) ?? "").split(".").pop(); }

  /* The indices of its nodes, of which `shown` has those that are no shape arithmetic. */
  get nodes() { return this.allNodes ??= this.parts.flatMap((item) => (typeof item === "number" ? [item] : item.nodes)); }
  get shown() { return this.shownNodes ??= this.nodes.filter((index) => !this.graph.records[index][5]); }

  /* Its most frequent operators. */
  get summary() {
    const counts = new Map();
    for (const index of this.shown) {
      const { type } = this.graph.node(index);
      counts.set(type, (counts.get(type) ?? 0) + 1);
    }
    const most = [...counts].sort(([, x], [, y]) => y - x).slice(0, 3);
    return most.map(([type, count]) => (count > 1 ? `${count} ${cut(type, 20)}` : cut(type, 20))).join(", ");
  }
}

/* Equal blocks that follow each other. */
class Repeat {
  constructor(graph, parent, blocks) {
    Object.assign(this, { graph, parent });
    this.blocks = blocks.map((block) => new Group(graph, this, block));
  }

  get parts() { return this.blocks; }

  get name() {
    const [first, last] = [this.blocks[0], this.blocks[this.blocks.length - 1]];
    if (first.title) return ranged(first.title, last.title);
    return first.shown.length === 1 ? this.graph.node(first.shown[0]).type : `block of ${first.name}`;
  }

  get nodes() { return this.allNodes ??= this.blocks.flatMap((block) => block.nodes); }
  get shown() { return this.shownNodes ??= this.blocks.flatMap((block) => block.shown); }
  get summary() { return this.blocks[0].summary; }
  get class() { return this.blocks[0].class; }
}

/* Two names that differ in one number as one, such as layers.0–31. */
function ranged(first, last) {
  if (first === last) return first;
  const [one, other] = [first, last].map((name) => name.split(/(\d+)/));
  const apart = one.flatMap((part, i) => (part === other[i] ? [] : [i]));
  if (one.length !== other.length || apart.length !== 1 || apart[0] % 2 === 0) return `${first} \u2026 ${last}`;
  return one.map((part, i) => (i === apart[0] ? `${part}\u2013${other[i]}` : part)).join("");
}

/* The open parts of all graphs, and how to open those around a node. */
class Folds {
  constructor() {
    this.open = new Set(); // Groups, Repeats and nodes
    this.block = new Map(); // of a Repeat the number of the block shown, or "all"
    this.showsAll = false; // also shape arithmetic
  }

  rootOf(graph) {
    if (!graph.root) {
      graph.homes = [];
      graph.root = new Group(graph, null, ["", "", graph.parts]);
    }
    return graph.root;
  }

  /* The nodes of a part that are drawn if all is open. */
  nodesOf(part) { return this.showsAll ? part.nodes : part.shown; }

  canOpen(what) { return what instanceof Group || what instanceof Repeat || Boolean(what?.inside?.length); }

  toggle(what) {
    if (!this.canOpen(what)) return false;
    if (!this.open.delete(what)) this.open.add(what);
    return true;
  }

  /* The parts around a node of a graph, outermost first, up through the graphs around its own. */
  around(graph, index) {
    this.rootOf(graph);
    return this.aroundPart(graph.homes[index], graph);
  }

  /* A part with those around it. */
  aroundPart(part, graph = part.graph) {
    const path = [];
    for (let at = part; at?.parent; at = at.parent) path.unshift(at);
    return [...this.aroundGraph(graph), ...path];
  }

  aroundGraph(graph) {
    if (!graph.parent) return [];
    const [number, index] = graph.parent, outer = graphOf(number);
    return [...this.around(outer, index), outer.node(index)];
  }

  /* Open all around a node, so that it is drawn; what shape arithmetic is drawn is decided for all of it. */
  reveal(graph, index) {
    const before = this.state();
    if (graph.records[index][5]) this.showsAll = true;
    this.revealParts(this.around(graph, index));
    return before !== this.state();
  }

  revealParts(parts) {
    for (const part of parts) {
      this.open.add(part);
      if (part.parent instanceof Repeat && this.block.get(part.parent) !== "all")
        this.block.set(part.parent, part.parent.blocks.indexOf(part));
    }
  }

  state() { return `${this.open.size} ${this.showsAll} ${[...this.block.values()].join()}`; }

  /* What is drawn in a part that is open: nodes by their graph and index, and parts. */
  shownIn(part) {
    if (part instanceof GraphNode) return part.inside.flatMap((number) => this.shownIn(this.rootOf(graphOf(number))));
    const block = this.block.get(part) ?? 0, { graph } = part;
    const items = !(part instanceof Repeat) ? part.items : block === "all" ? part.blocks : part.blocks[block].items;
    const isShown = (item) => (typeof item === "number" ? this.showsAll || !graph.records[item][5] : this.nodesOf(item).length);
    return items.filter(isShown).map((item) => (typeof item === "number" ? graph.node(item) : item));
  }

  /* What of that can be opened. */
  inside(part) { return this.shownIn(part).filter((what) => this.canOpen(what)); }

  /* Open what is outermost first, while no more than so many boxes are drawn */
  unfold(most) {
    const root = this.rootOf(graphOf(0)), pending = [root];
    let count = 0;
    for (let at = 0; at < pending.length; at++) {
      const part = pending[at], shown = this.shownIn(part);
      if (part !== root && count + shown.length > most) continue;
      count += shown.length - (part === root ? 0 : 1);
      if (part !== root) this.open.add(part);
      pending.push(...this.inside(part));
    }
  }

  fold() {
    this.open.clear();
    this.block.clear();
  }
}
