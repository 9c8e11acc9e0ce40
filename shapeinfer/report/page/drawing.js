/* Draws a scene on a canvas: only the visible part, so that large graphs stay fast. */
const LEAST = 0.01, MOST = 3, LEGIBLE = 0.38, HEAD_LEGIBLE = 0.2, BUCKET = 1024, MARGIN = 60, READABLE = 0.6;
const COLOURS = ["page", "text", "quiet", "line", "box", "box-edge", "frame", "end", "accent", "chain", "error", "error-fill",
  "warning", "warning-fill", ...data.kinds.map((_, i) => `kind-${i}`)];

class Drawing {
  constructor(canvas, strip) {
    this.canvas = canvas;
    this.strip = strip;
    this.scale = 1;
    this.left = this.top = 0; // the point of the scene in the middle of the canvas
    this.chosen = null; // the key of a box
    this.chain = new Set(); // the values of `chainGraph` through which a finding's sizes came
    this.chainGraph = null;
    this.waiting = false;
  }

  show(scene) {
    this.scene = scene;
    this.buckets = [];
    const put = (low, high, kind, what) => {
      for (let i = Math.floor(low / BUCKET); i <= Math.floor(high / BUCKET); i++)
        (this.buckets[Math.max(0, i)] ??= { boxes: [], lines: [] })[kind].push(what);
    };
    for (const box of scene.boxes) put(box.y, box.y + box.high, "boxes", box);
    for (const line of scene.lines)
      if (line.points) put(line.points[0][1], line.points[line.points.length - 1][1], "lines", line);
    this.draw();
  }

  // Where things are

  get width() { return this.canvas.clientWidth; }
  get height() { return this.canvas.clientHeight; }

  goToTop() {
    const tops = this.scene.boxes.filter((box) => box.y < HIGH);
    this.scale = Math.max(READABLE, Math.min(1, (this.width - MARGIN) / this.scene.wide));
    this.left = this.scene.wide * this.scale < this.width ? this.scene.wide / 2
      : tops.reduce((x, box) => x + box.x, 0) / (tops.length || 1);
    this.top = (this.height - MARGIN) / 2 / this.scale;
    this.draw();
  }

  /* All of it, or its top where it would be too small to read. */
  start() {
    if (this.fitting() < READABLE) this.goToTop();
    else this.fit();
  }

  fitting() {
    const { wide, high } = this.scene;
    return Math.max(LEAST, Math.min(1, (this.width - MARGIN) / (wide || 1), (this.height - MARGIN) / (high + ROW_GAP)));
  }

  fit() {
    this.scale = this.fitting();
    this.left = this.scene.wide / 2;
    this.top = (this.scene.high + ROW_GAP / 2) / 2;
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

  centre(box) {
    this.scale = Math.max(this.scale, 0.8);
    this.left = box.x;
    this.top = box.y + (box.inner ? Math.min(box.high, this.height / this.scale - MARGIN) : box.high) / 2;
    this.draw();
  }

  /* Where the top of a box is on the canvas, and how to bring it there again after a change. */
  anchor(box) { return [(box.x - this.left) * this.scale, (box.y - this.top) * this.scale]; }

  restore(box, [x, y]) {
    this.left = box.x - x / this.scale;
    this.top = box.y - y / this.scale;
    this.draw();
  }

  /* The box at a point of the canvas, and whether the point is on the mark that opens it. */
  at(x, y) {
    const across = (x - this.width / 2) / this.scale + this.left, down = (y - this.height / 2) / this.scale + this.top;
    const isIn = (box, high) => Math.abs(across - box.x) <= box.own / 2 && down >= box.y && down <= box.y + high;
    const near = this.buckets[Math.max(0, Math.floor(down / BUCKET))]?.boxes ?? [];
    const box = near.find((b) => isIn(b, b.high + 18)) ?? this.scene.frames.findLast((b) => isIn(b, HEAD)) ?? null;
    return { box, isMark: Boolean(box) && across < box.x - box.own / 2 + 24 && down < box.y + HEAD };
  }

  /* The box that an arrow key leads to. */
  beside(box, key) {
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const row = this.scene.boxes.concat(this.scene.frames).filter((b) => b.frame === box.frame && b.y === box.y);
      const sign = key === "ArrowLeft" ? -1 : 1, aside = row.filter((b) => (b.x - box.x) * sign > 0);
      return aside.sort((a, b) => (a.x - b.x) * sign)[0] ?? box;
    }
    if (key === "ArrowUp") return box.above?.[0] ?? box.frame ?? box;
    if (box.inner) return box.inner.boxes.filter((b) => b.kind !== PORT).sort((a, b) => a.y - b.y || a.x - b.x)[0] ?? box;
    for (let at = box; at; at = at.frame) if (at.below) return at.below[0];
    return box;
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
    const style = getComputedStyle(document.documentElement);
    this.colour = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
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
    const context = this.prepared(this.canvas);
    context.translate(this.width / 2, this.height / 2);
    context.scale(this.scale, this.scale);
    context.translate(-this.left, -this.top);
    this.paintOn(context);
    this.paintStrip();
  }

  /* Draw the visible part on a context in the units of the scene. */
  paintOn(context) {
    const [wide, high] = [this.width / 2 / this.scale, this.height / 2 / this.scale];
    this.sight = { left: this.left - wide, right: this.left + wide, low: this.top - high, high: this.top + high };
    context.textAlign = "center";
    context.textBaseline = "middle";
    const [boxes, lines] = [new Set(), new Set()];
    const first = Math.max(0, Math.floor(this.sight.low / BUCKET) - 1), last = Math.floor(this.sight.high / BUCKET);
    for (const bucket of this.buckets.slice(first, last + 1)) {
      for (const box of bucket?.boxes ?? []) boxes.add(box);
      for (const line of bucket?.lines ?? []) lines.add(line);
    }
    for (const frame of this.scene.frames) if (this.isSeen(frame)) this.paintFrame(context, frame);
    this.labelled = [];
    for (const line of lines) this.paintLine(context, line);
    for (const frame of this.scene.frames) if (this.isSeen(frame)) this.paintHead(context, frame);
    for (const box of boxes) if (this.isSeen(box)) this.paintBox(context, box);
  }

  isSeen({ x, y, wide, high }) {
    const { left, right, low, high: bottom } = this.sight;
    return x + wide / 2 >= left && x - wide / 2 <= right && y + high + 40 >= low && y - 40 <= bottom;
  }

  /* A line is never so thin that it cannot be seen. */
  thick(wide) { return Math.max(wide, 0.8 / this.scale); }

  ground(box) { return box.frame ? this.colour.frame : this.colour.page; }

  isInChain(graph, values) { return graph === this.chainGraph && values.some((value) => this.chain.has(value)); }

  paintFrame(context, { x, y, own, high }) {
    context.beginPath();
    context.roundRect(x - own / 2, y, own, high, 8);
    context.fillStyle = this.colour.frame;
    context.fill();
    context.lineWidth = this.thick(1.2);
    context.strokeStyle = this.colour["box-edge"];
    context.stroke();
  }

  paintHead(context, frame) {
    const { x, y, own, title, mark, key, kind, colour } = frame, isChosen = key === this.chosen;
    context.beginPath();
    context.roundRect(x - own / 2, y, own, HEAD, [8, 8, 0, 0]);
    context.fillStyle = kind === NODE ? this.colour[`kind-${colour}`] : this.colour.end;
    context.fill();
    if (isChosen || mark) {
      context.beginPath();
      context.roundRect(x - own / 2, y, own, frame.high, 8);
      context.lineWidth = this.thick(isChosen ? 4 : 2.5);
      context.strokeStyle = isChosen ? this.colour.accent : this.colour[mark];
      context.stroke();
    }
    if (this.scale < HEAD_LEGIBLE) return;
    context.font = "600 13px system-ui, sans-serif";
    context.fillStyle = mark ? this.colour[mark] : this.colour.text;
    context.textAlign = "left";
    context.fillText(title, x - own / 2 + 10, y + HEAD / 2);
    context.textAlign = "center";
  }

  paintLine(context, { a, b, points, values, graph }) {
    const isLit = a.key !== undefined && a.key === this.chosen || b.key !== undefined && b.key === this.chosen;
    const inChain = this.isInChain(graph, values);
    context.strokeStyle = inChain ? this.colour.chain : isLit ? this.colour.accent : this.colour.line;
    context.lineWidth = this.thick(inChain || isLit ? 3 : 1.2);
    context.beginPath();
    context.moveTo(...points[0]);
    for (let i = 1; i < points.length; i++) {
      const [x, y] = points[i - 1], [u, v] = points[i], middle = (y + v) / 2;
      if (x === u) context.lineTo(u, v);
      else context.bezierCurveTo(x, middle, u, middle, u, v);
    }
    context.stroke();
    if (this.scale < LEGIBLE) return;
    const [x, y] = points[points.length - 1];
    if (b.kind !== PORT) {
      context.fillStyle = context.strokeStyle;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x - 4, y - 8);
      context.lineTo(x + 4, y - 8);
      context.fill();
    }
    if (a.kind === PORT || a.label !== undefined) return;
    const [[p, q], [u, v]] = points, place = [(p + u) / 2, (q + v) / 2];
    if (this.labelled.some(([w, z]) => Math.abs(place[0] - w) < MOST_LABEL * 4 && Math.abs(place[1] - z) < 14)) return;
    this.labelled.push(place);
    const type = graph.type(values[0]);
    const isOne = values.every((value) => graph.typeNumber(value) === graph.typeNumber(values[0]));
    this.label(context, values.length === 1 ? type : isOne ? `${values.length} \u00d7 ${type}` : `${values.length} values`,
      ...place, this.colour.text, this.ground(b));
  }

  paintBox(context, box) {
    const { x, y, own, high, kind, mark, rows, title } = box, isChosen = box.key === this.chosen;
    const inChain = box.made.length > 0 && this.isInChain(box.graph, box.made);
    const edge = isChosen ? this.colour.accent : mark ? this.colour[mark] : inChain ? this.colour.chain : this.colour["box-edge"];
    const round = kind === NODE || kind === GROUP ? 5 : HIGH / 2;
    context.lineWidth = this.thick(isChosen ? 4 : inChain || mark ? 2.5 : 1.2);
    context.strokeStyle = edge;
    for (const aside of box.isRepeat ? [6, 3, 0] : [0]) { // equal blocks look like a stack
      context.beginPath();
      context.roundRect(x - own / 2 + aside, y - aside, own, high, round);
      context.fillStyle = mark ? this.colour[`${mark}-fill`] : kind === NODE ? this.colour.box : this.colour.end;
      context.fill();
      context.stroke();
    }
    if (kind === NODE) {
      context.beginPath();
      context.roundRect(x - own / 2, y, own, rows.length ? HEAD : high, rows.length ? [round, round, 0, 0] : round);
      context.fillStyle = mark ? this.colour[`${mark}-fill`] : this.colour[`kind-${box.colour}`];
      context.fill();
      context.stroke();
    }
    if (this.scale < LEGIBLE) return;
    context.font = "600 13px system-ui, sans-serif";
    context.fillStyle = mark ? this.colour[mark] : this.colour.text;
    context.fillText(title, x, y + (rows.length ? HEAD : high) / 2);
    context.font = "11px ui-monospace, monospace";
    context.fillStyle = kind === GROUP ? this.colour.quiet : this.colour.text;
    rows.forEach((row, i) => context.fillText(row, x, y + HEAD + 3 + (i + 0.5) * ROW_HIGH));
    this.label(context, box.label, x, y + high + 13, this.colour.text, this.ground(box));
    this.paintEnds(context, box);
  }

  /* The ends of lines that are too long to be drawn. */
  paintEnds(context, box) {
    const heads = box.heads ?? [], right = box.x + box.own / 2;
    context.setLineDash([3, 3]);
    context.lineWidth = 1.5;
    for (const [i, value] of heads.slice(0, 3).entries()) {
      context.strokeStyle = this.isInChain(box.graph, [value]) ? this.colour.chain : this.colour.line;
      context.beginPath();
      context.moveTo(right - 8 - 12 * i, box.y);
      context.lineTo(right - 8 - 12 * i, box.y - 12);
      context.stroke();
    }
    if (box.hasTail) {
      context.strokeStyle = this.colour.line;
      context.beginPath();
      context.moveTo(right - 8, box.y + box.high);
      context.lineTo(right - 8, box.y + box.high + 10);
      context.stroke();
    }
    context.setLineDash([]);
    if (!heads.length) return;
    const more = heads.length > 1 ? ` and ${heads.length - 1} more` : "";
    this.label(context, `from ${elided(box.graph.name(heads[0]), 18)}${more}`, right - 8, box.y - 19,
      this.colour.quiet, this.ground(box), 10);
  }

  label(context, text, x, y, colour, ground, size = 12) {
    if (text === undefined) return;
    const shown = cut(text, MOST_LABEL);
    context.font = `${size}px ui-monospace, monospace`;
    const wide = context.measureText(shown).width + 6;
    context.fillStyle = ground;
    context.fillRect(x - wide / 2, y - size / 2 - 1, wide, size + 2);
    context.fillStyle = colour;
    context.fillText(shown, x, y);
  }

  /* A bar beside the graph: where the findings are, and which part of it is in sight. */
  paintStrip() {
    const context = this.prepared(this.strip), tall = Math.max(1, this.scene.high);
    const [wide, high] = [this.strip.clientWidth, this.strip.clientHeight];
    context.fillStyle = this.colour.end;
    context.fillRect(0, 0, wide, high);
    const share = Math.min(1, this.height / this.scale / tall);
    context.fillStyle = this.colour.line;
    context.globalAlpha = 0.5;
    context.fillRect(0, (this.top / tall - share / 2) * high, wide, Math.max(6, share * high));
    context.globalAlpha = 1;
    for (const { mark, y, inner } of [...this.scene.frames, ...this.scene.boxes]) {
      if (!mark || inner) continue;
      context.fillStyle = this.colour[mark];
      context.fillRect(0, (y / tall) * high - 1, wide, 3);
    }
  }
}
