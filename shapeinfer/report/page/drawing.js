const ROW = 92, HIGH = 30, BUCKET = 16;
const [NODE, INPUT, OUTPUT, CAPTURED] = [0, 1, 2, 3];
const LEAST = 0.01, MOST = 3, LEGIBLE = 0.42;

/* One graph on a canvas: only what is in sight is drawn, so that its size does not matter. */
class Drawing {
  constructor(canvas, strip, words) {
    this.canvas = canvas;
    this.strip = strip;
    this.words = words; // gives the text of a box, of a value and of its type
    this.scale = 1;
    this.left = this.top = 0; // the point of the graph in the middle of the canvas
    this.chosen = -1;
    this.chain = new Set();
    this.marks = new Map();
    this.waiting = false;
  }

  show(graph) {
    this.graph = graph;
    this.rows = [];
    this.boxOf = new Map();
    this.makerOf = new Map();
    graph.boxes.forEach(([kind, index, layer], box) => {
      (this.rows[layer] ??= []).push(box);
      if (kind === NODE) {
        this.boxOf.set(index, box);
        for (const value of graph.nodes[index][3]) this.makerOf.set(value, box);
      } else if (kind !== OUTPUT) this.makerOf.set(index, box);
    });
    for (const row of this.rows) row?.sort((a, b) => graph.boxes[a][3] - graph.boxes[b][3]);
    this.buckets = [];
    this.tails = new Set();
    this.heads = new Map();
    this.above = graph.boxes.map(() => []);
    this.below = graph.boxes.map(() => []);
    graph.lines.forEach(([a, b, value, bends], line) => {
      this.above[b].push(a);
      this.below[a].push(b);
      if (bends === null) {
        this.tails.add(a);
        if (!this.heads.has(b)) this.heads.set(b, []);
        this.heads.get(b).push(value);
        return;
      }
      const first = Math.floor(graph.boxes[a][2] / BUCKET), last = Math.floor(graph.boxes[b][2] / BUCKET);
      for (let i = first; i <= last; i++) (this.buckets[i] ??= []).push(line);
    });
    this.chosen = -1;
    this.chain = new Set();
    this.goToTop();
  }

  // Where things are

  get width() { return this.canvas.clientWidth; }
  get height() { return this.canvas.clientHeight; }
  x(box) { return this.graph.boxes[box][3]; }
  y(box) { return this.graph.boxes[box][2] * ROW; }

  span() {
    let [low, high] = [0, 0];
    for (const [, , , middle, wide] of this.graph.boxes) {
      low = Math.min(low, middle - wide / 2);
      high = Math.max(high, middle + wide / 2);
    }
    return [low, high];
  }

  goToTop() {
    const row = this.rows.find((r) => r) ?? [];
    const sum = row.reduce((x, box) => x + this.x(box), 0);
    this.scale = 1;
    this.left = row.length ? sum / row.length : 0;
    this.top = this.height / 2 - ROW / 2;
    this.draw();
  }

  fit() {
    const [low, high] = this.span(), tall = this.rows.length * ROW;
    this.scale = Math.max(LEAST, Math.min(1, (this.width - 60) / (high - low + 40), this.height / (tall + 40)));
    this.left = (low + high) / 2;
    this.top = (tall - ROW) / 2;
    this.draw();
  }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const scale = Math.min(MOST, Math.max(LEAST, this.scale * factor));
    this.left += (x - this.width / 2) * (1 / this.scale - 1 / scale);
    this.top += (y - this.height / 2) * (1 / this.scale - 1 / scale);
    this.scale = scale;
    this.draw();
  }

  move(x, y) {
    this.left += x / this.scale;
    this.top += y / this.scale;
    this.draw();
  }

  choose(box, centred = true) {
    this.chosen = box;
    if (box >= 0 && centred) {
      this.scale = Math.max(this.scale, 0.8);
      this.left = this.x(box);
      this.top = this.y(box);
    }
    this.draw();
  }

  at(x, y) {
    const across = (x - this.width / 2) / this.scale + this.left, down = (y - this.height / 2) / this.scale + this.top;
    const row = this.rows[Math.round(down / ROW)] ?? [];
    if (Math.abs(down - Math.round(down / ROW) * ROW) > HIGH / 2 + 16) return -1;
    return row.find((box) => Math.abs(across - this.x(box)) <= this.graph.boxes[box][4] / 2) ?? -1;
  }

  /* The box that an arrow key leads to. */
  beside(key) {
    const row = this.rows[this.graph.boxes[this.chosen][2]], at = row.indexOf(this.chosen);
    if (key === "ArrowLeft") return row[at - 1] ?? this.chosen;
    if (key === "ArrowRight") return row[at + 1] ?? this.chosen;
    return (key === "ArrowUp" ? this.above : this.below)[this.chosen][0] ?? this.chosen;
  }

  // Drawing

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  colours() {
    const style = getComputedStyle(document.documentElement), read = (name) => style.getPropertyValue(`--${name}`);
    this.colour = Object.fromEntries(
      ["page", "text", "quiet", "line", "box", "box-edge", "weighty", "end", "accent", "chain", "error", "error-fill",
       "warning", "warning-fill"].map((name) => [name, read(name).trim()]));
    this.draw();
  }

  prepared(canvas) {
    const ratio = window.devicePixelRatio || 1, context = canvas.getContext("2d");
    const [wide, high] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    return context;
  }

  paint() {
    const context = this.prepared(this.canvas), { scale } = this;
    const [wide, high] = [this.width / 2 / scale, this.height / 2 / scale];
    this.sight = { left: this.left - wide, right: this.left + wide };
    const first = Math.max(0, Math.floor((this.top - high) / ROW) - 1);
    const last = Math.min(this.rows.length - 1, Math.ceil((this.top + high) / ROW) + 1);
    context.translate(this.width / 2, this.height / 2);
    context.scale(scale, scale);
    context.translate(-this.left, -this.top);
    context.textAlign = "center";
    context.textBaseline = "middle";
    const lines = new Set();
    for (let i = Math.floor(first / BUCKET); i <= Math.floor(last / BUCKET); i++)
      for (const line of this.buckets[i] ?? []) lines.add(line);
    for (const line of lines) this.paintLine(context, line, first, last);
    for (let layer = first; layer <= last; layer++)
      for (const box of this.rows[layer] ?? []) this.paintBox(context, box);
    this.paintStrip();
  }

  paintLine(context, line, first, last) {
    const [a, b, value, bends] = this.graph.lines[line], from = this.graph.boxes[a][2];
    if (from > last || this.graph.boxes[b][2] < first) return;
    const isLit = a === this.chosen || b === this.chosen, inChain = this.chain.has(value);
    context.strokeStyle = inChain ? this.colour.chain : isLit ? this.colour.accent : this.colour.line;
    context.lineWidth = this.thick(inChain || isLit ? 3 : 1.2);
    const points = [[this.x(a), this.y(a) + HIGH / 2], ...bends.map((x, i) => [x, (from + 1 + i) * ROW]),
                    [this.x(b), this.y(b) - HIGH / 2]];
    context.beginPath();
    context.moveTo(...points[0]);
    for (let i = 1; i < points.length; i++) {
      const [x, y] = points[i - 1], [u, v] = points[i], middle = (y + v) / 2;
      context.bezierCurveTo(x, middle, u, middle, u, v);
    }
    context.stroke();
    if (this.scale < LEGIBLE) return;
    const [x, y] = points[points.length - 1];
    context.fillStyle = context.strokeStyle;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x - 4, y - 8);
    context.lineTo(x + 4, y - 8);
    context.fill();
    if (this.made(a).length > 1) {
      const [u, v] = points[1];
      this.label(context, this.words.type(value), (points[0][0] + u) / 2, (points[0][1] + v) / 2, this.colour.text);
    }
  }

  /* A line is never so thin that it cannot be seen. */
  thick(wide) { return Math.max(wide, 0.8 / this.scale); }

  made(box) {
    const [kind, index] = this.graph.boxes[box];
    return kind === NODE ? this.graph.nodes[index][3].filter((v) => v >= 0) : kind === OUTPUT ? [] : [index];
  }

  paintBox(context, box) {
    const [kind, index, , x, wide] = this.graph.boxes[box], y = this.y(box);
    if (x + wide / 2 < this.sight.left || x - wide / 2 > this.sight.right) return;
    const mark = kind === NODE ? this.marks.get(index) : undefined;
    const inChain = this.made(box).some((value) => this.chain.has(value));
    const own = Math.min(wide, this.words.box(box).length * 8 + 24);
    context.beginPath();
    context.roundRect(x - own / 2, y - HIGH / 2, own, HIGH, kind === NODE ? 5 : HIGH / 2);
    context.fillStyle = mark ? this.colour[`${mark}-fill`]
      : kind !== NODE ? this.colour.end : this.words.hasWeights(index) ? this.colour.weighty : this.colour.box;
    context.fill();
    context.lineWidth = this.thick(box === this.chosen ? 4 : inChain || mark ? 2.5 : 1.2);
    context.strokeStyle = box === this.chosen ? this.colour.accent
      : mark ? this.colour[mark] : inChain ? this.colour.chain : this.colour["box-edge"];
    context.stroke();
    if (this.scale < LEGIBLE) return;
    context.font = "600 13px system-ui, sans-serif";
    context.fillStyle = mark ? this.colour[mark] : this.colour.text;
    context.fillText(this.words.box(box), x, y);
    const made = this.made(box);
    if (made.length === 1) this.label(context, this.words.type(made[0]), x, y + HIGH / 2 + 13, this.colour.text);
    this.paintEnds(context, box, x, y, own);
  }

  /* The ends of lines that are too long to be drawn. */
  paintEnds(context, box, x, y, wide) {
    const heads = this.heads.get(box) ?? [];
    context.setLineDash([3, 3]);
    context.lineWidth = 1.5;
    for (const [i, value] of heads.slice(0, 3).entries()) {
      const at = x + wide / 2 - 8 - 12 * i;
      context.strokeStyle = this.chain.has(value) ? this.colour.chain : this.colour.line;
      context.beginPath();
      context.moveTo(at, y - HIGH / 2);
      context.lineTo(at, y - HIGH / 2 - 12);
      context.stroke();
    }
    if (this.tails.has(box)) {
      context.strokeStyle = this.colour.line;
      context.beginPath();
      context.moveTo(x + wide / 2 - 8, y + HIGH / 2);
      context.lineTo(x + wide / 2 - 8, y + HIGH / 2 + 10);
      context.stroke();
    }
    context.setLineDash([]);
    if (heads.length) {
      const more = heads.length > 1 ? ` and ${heads.length - 1} more` : "";
      this.label(context, `from ${cut(this.words.value(heads[0]), 18)}${more}`, x + wide / 2 - 8, y - HIGH / 2 - 19,
                 this.colour.quiet, 10);
    }
  }

  label(context, text, x, y, colour, size = 12) {
    const shown = cut(text, 36);
    context.font = `${size}px ui-monospace, monospace`;
    const wide = context.measureText(shown).width + 6;
    context.fillStyle = this.colour.page;
    context.fillRect(x - wide / 2, y - size / 2 - 1, wide, size + 2);
    context.fillStyle = colour;
    context.fillText(shown, x, y);
  }

  /* A bar beside the graph: where the findings are, and which part of it is in sight. */
  paintStrip() {
    const context = this.prepared(this.strip), tall = Math.max(1, this.rows.length * ROW);
    const [wide, high] = [this.strip.clientWidth, this.strip.clientHeight];
    context.fillStyle = this.colour.end;
    context.fillRect(0, 0, wide, high);
    const share = Math.min(1, this.height / this.scale / tall);
    context.fillStyle = this.colour.line;
    context.globalAlpha = 0.5;
    context.fillRect(0, (this.top / tall - share / 2) * high, wide, Math.max(6, share * high));
    context.globalAlpha = 1;
    for (const [index, mark] of this.marks) {
      const box = this.boxOf.get(index);
      if (box === undefined) continue;
      context.fillStyle = this.colour[mark];
      context.fillRect(0, (this.y(box) / tall) * high - 1, wide, 3);
    }
  }
}

function cut(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 1)}\u2026`;
}
