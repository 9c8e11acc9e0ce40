"use strict";

/* Where the boxes of one level go: in rows from top to bottom, with few crossings and short lines. */
const GAP = 26, LINE_GAP = 14, ROW_GAP = 42, PORT_GAP = 10, SWEEPS = 4, NEAR = 30;
const MOST_SPANNED = 60, MOST_SPANNED_OF_MANY = 12, MANY = 400; // rows that a line may pass; of a longer one the ends are drawn

/*
 * Place boxes ({ wide, high, weight, end }) and lines ({ a, b, from, to }), of which each leads from one box to a later one;
 * `from` and `to` say how far beside the middles it ends. A box whose end is -1 stands in the first row, 1 in the last.
 * The heavier boxes are, the straighter are the lines between them: light ones make room.
 * Returns the middle and the top of each box, for each line the points it passes or null, and the size of it all.
 */
function layOut(boxes, lines) {
  const rows = rowsOf(boxes, lines);
  const level = new Level(boxes, rows);
  const through = lines.map((line) => level.line(line));
  level.arrange();
  return level.placed(through);
}

/* Put each box below those that lead to it, and sources as near to their first reader as may be. */
function rowsOf(boxes, lines) {
  const above = boxes.map(() => []), below = boxes.map(() => []);
  for (const { a, b } of lines) if (a < b) { above[b].push(a); below[a].push(b); }
  const rows = new Int32Array(boxes.length), hasTop = boxes.some((box) => box.end === -1);
  for (let box = 0; box < boxes.length; box++) {
    rows[box] = hasTop && boxes[box].end !== -1 ? 1 : 0;
    for (const a of above[box]) rows[box] = Math.max(rows[box], rows[a] + 1);
  }
  for (let box = boxes.length - 1; box >= 0; box--) {
    if (!below[box].length || above[box].length || boxes[box].end === -1) continue;
    rows[box] = Math.max(rows[box], below[box].reduce((low, b) => Math.min(low, rows[b]), Infinity) - 1);
  }
  const low = rows.reduce((x, y) => Math.min(x, y), Infinity), last = rows.reduce((x, y) => Math.max(x, y), 0);
  const lasts = last + (boxes.some((box, i) => box.end !== 1 && rows[i] === last) ? 1 : 0);
  return rows.map((row, box) => (boxes[box].end === 1 ? lasts : row) - low);
}

/* Boxes and the places where lines pass a row, which are boxes of no width. */
class Level {
  constructor(boxes, rows) {
    this.count = boxes.length;
    this.wide = boxes.map((box) => box.wide);
    this.high = boxes.map((box) => box.high);
    this.weight = boxes.map((box) => box.weight);
    this.row = [...rows];
    this.above = boxes.map(() => []); // each neighbour with the way from its middle to the place wanted
    this.below = boxes.map(() => []);
    this.most = boxes.length > MANY ? MOST_SPANNED_OF_MANY : MOST_SPANNED;
  }

  /* Add a line and return the places where it passes rows, null where it is too long for that. */
  line({ a, b, from, to }) {
    const span = this.row[b] - this.row[a];
    if (span < 1 || span > this.most) return null;
    const through = [];
    for (let row = this.row[a] + 1; row < this.row[b]; row++) {
      through.push(this.wide.length);
      this.wide.push(0);
      this.high.push(0);
      this.weight.push(Math.min(this.weight[a], this.weight[b]));
      this.row.push(row);
      this.above.push([]);
      this.below.push([]);
    }
    const places = [a, ...through, b];
    for (let i = 1; i < places.length; i++) {
      const beside = (i === 1 ? from : 0) - (i === places.length - 1 ? to : 0);
      this.below[places[i - 1]].push([places[i], -beside]);
      this.above[places[i]].push([places[i - 1], beside]);
    }
    return through;
  }

  /* Order the boxes of each row and place them. */
  arrange() {
    this.rows = [];
    for (const box of this.walked()) (this.rows[this.row[box]] ??= []).push(box);
    for (let row = 0; row < this.rows.length; row++) this.rows[row] ??= [];
    const place = new Float64Array(this.wide.length);
    const store = (row) => row.forEach((box, i) => { place[box] = (i + 0.5) / row.length; });
    this.rows.forEach(store);
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      const near = sweep % 2 ? this.below : this.above;
      for (const row of sweep % 2 ? this.rows.slice().reverse() : this.rows) {
        const wanted = new Map(row.map((box) => [box, near[box].length ? median(near[box].map(([n]) => place[n])) : place[box]]));
        row.sort((x, y) => wanted.get(x) - wanted.get(y));
        store(row);
      }
    }
    this.align();
  }

  /* The boxes as a walk along the lines meets them, so that what belongs together starts together. */
  walked() {
    const seen = new Uint8Array(this.wide.length), order = [];
    for (let start = 0; start < this.wide.length; start++) {
      const pending = [start];
      while (pending.length) {
        const box = pending.pop();
        if (seen[box]) continue;
        seen[box] = 1;
        order.push(box);
        for (let i = this.below[box].length - 1; i >= 0; i--) pending.push(this.below[box][i][0]);
      }
    }
    return order;
  }

  /* Move the boxes of each row towards those that they are joined to, in their order. */
  align() {
    const middle = this.middle = new Float64Array(this.wide.length);
    for (const row of this.rows) {
      let x = 0;
      for (const box of row) { middle[box] = x + this.wide[box] / 2; x += this.wide[box] + GAP; }
      for (const box of row) middle[box] -= x / 2;
    }
    for (let sweep = 0; sweep <= 2 * SWEEPS; sweep++) {
      const near = sweep % 2 ? this.below : this.above;
      for (const row of sweep % 2 ? this.rows.slice().reverse() : this.rows) {
        const places = this.spaced(row, row.map((box) => (near[box].length ? this.between(near[box]) : middle[box])));
        row.forEach((box, i) => { middle[box] = places[i]; });
      }
    }
    this.straighten();
  }

  /* Take from each row the way that those around it have gone aside, so that a long graph goes down. */
  straighten() {
    const sums = [0], weights = [0], { middle, weight } = this;
    for (const row of this.rows) {
      sums.push(row.reduce((x, box) => x + middle[box] * weight[box], sums[sums.length - 1]));
      weights.push(row.reduce((x, box) => x + weight[box], weights[weights.length - 1]));
    }
    if (this.rows.length <= NEAR) return;
    this.rows.forEach((row, i) => {
      const low = Math.max(0, i - NEAR), high = Math.min(this.rows.length, i + NEAR + 1);
      const aside = (sums[high] - sums[low]) / (weights[high] - weights[low] || 1);
      for (const box of row) middle[box] -= aside;
    });
  }

  /* The middle of boxes, nearer to the heavy ones. */
  between(near) {
    let sum = 0, weight = 0;
    for (const [box, beside] of near) {
      sum += (this.middle[box] + beside) * this.weight[box];
      weight += this.weight[box];
    }
    return sum / weight;
  }

  /* The places nearest to those wanted at which no two boxes of a row meet, in the sense of least squares. */
  spaced(row, wanted) {
    const offsets = [], blocks = []; // a block is what stands side by side: sum, weight and number of boxes
    let x = 0;
    row.forEach((box, i) => {
      if (i) x += (this.wide[row[i - 1]] + this.wide[box]) / 2 + (this.wide[row[i - 1]] && this.wide[box] ? GAP : LINE_GAP);
      offsets.push(x);
      let weight = this.weight[box], count = 1, total = (wanted[i] - x) * weight;
      while (blocks.length) {
        const [more, heavy, number] = blocks[blocks.length - 1];
        if (more * weight <= total * heavy) break;
        blocks.pop();
        total += more;
        weight += heavy;
        count += number;
      }
      blocks.push([total, weight, count]);
    });
    const places = [];
    for (const [total, weight, count] of blocks)
      for (let i = 0; i < count; i++) places.push(total / weight + offsets[places.length]);
    return places;
  }

  /* Everything moved to the right of 0 and below it. */
  placed(through) {
    const { middle, wide } = this, tall = this.rows.map((row) => row.reduce((most, box) => Math.max(most, this.high[box]), 0));
    let left = Infinity, right = -Infinity;
    for (let i = 0; i < wide.length; i++) {
      left = Math.min(left, middle[i] - wide[i] / 2);
      right = Math.max(right, middle[i] + wide[i] / 2);
    }
    if (!wide.length) left = right = 0;
    const tops = [];
    let y = 0;
    for (const high of tall) { tops.push(y); y += high + (high ? ROW_GAP : PORT_GAP); }
    const last = tall.length - 1;
    return {
      middles: Array.from({ length: this.count }, (_, box) => middle[box] - left),
      tops: Array.from({ length: this.count }, (_, box) => tops[this.row[box]]),
      feet: Array.from({ length: this.count }, (_, box) => tops[this.row[box]] + tall[this.row[box]]), // where the row ends
      points: through.map((places) => places?.flatMap((i) => {
        const top = tops[this.row[i]], x = middle[i] - left;
        return tall[this.row[i]] ? [[x, top], [x, top + tall[this.row[i]]]] : [[x, top]];
      }) ?? null),
      wide: right - left,
      high: last < 0 ? 0 : tops[last] + tall[last],
    };
  }
}

function median(numbers) {
  numbers.sort((x, y) => x - y);
  const half = numbers.length >> 1;
  return numbers.length % 2 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}
