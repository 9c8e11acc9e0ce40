/* A replacement for a canvas context that writes SVG elements. */
const SVG = "http://www.w3.org/2000/svg";

class SvgContext {
  constructor(width, height, measure) {
    this.root = document.createElementNS(SVG, "svg");
    for (const [name, value] of Object.entries({ xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` }))
      this.root.setAttribute(name, value);
    this.parent = this.root;
    this.measure = measure; // a context of a canvas
    this.dash = [];
    this.path = [];
  }

  element(tag, attributes, text) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    return this.parent.appendChild(made);
  }

  /* Draw all that follows inside a transformation. */
  within(transform) { this.parent = this.element("g", { transform }); }

  beginPath() { this.path = []; }
  moveTo(x, y) { this.path.push(`M${places(x, y)}`); }
  lineTo(x, y) { this.path.push(`L${places(x, y)}`); }
  bezierCurveTo(...points) { this.path.push(`C${places(...points)}`); }

  roundRect(x, y, wide, high, round) {
    const [a, b, c, d] = Array.isArray(round) ? round : [round, round, round, round], right = x + wide, low = y + high;
    const corner = (r, u, v) => `A${places(r, r)} 0 0 1 ${places(u, v)}`;
    this.path.push(`M${places(x + a, y)}H${places(right - b)}${corner(b, right, y + b)}V${places(low - c)}`,
      `${corner(c, right - c, low)}H${places(x + d)}${corner(d, x, low - d)}V${places(y + a)}${corner(a, x + a, y)}Z`);
  }

  fill() { this.element("path", { d: this.path.join(""), fill: this.fillStyle }); }

  stroke() {
    const dash = this.dash.length ? { "stroke-dasharray": this.dash.join(" ") } : {};
    this.element("path", { d: this.path.join(""), fill: "none", stroke: this.strokeStyle,
      "stroke-width": places(this.lineWidth), ...dash });
  }

  fillRect(x, y, width, height) {
    this.element("rect", { x: places(x), y: places(y), width: places(width), height: places(height), fill: this.fillStyle });
  }

  fillText(text, x, y) {
    const [, weight, size, family] = /^(\d+ )?(\d+)px (.*)$/.exec(this.font);
    this.element("text", { x: places(x), y: places(y), fill: this.fillStyle, "font-size": size, "font-family": family,
      "font-weight": weight?.trim() ?? "400", "text-anchor": this.textAlign === "left" ? "start" : "middle",
      "dominant-baseline": "central" }, text);
  }

  setLineDash(dash) { this.dash = dash; }

  measureText(text) {
    this.measure.font = this.font;
    return this.measure.measureText(text);
  }
}

const places = (...numbers) => numbers.map((number) => Math.round(number * 10) / 10).join(" ");

/* The visible part of a drawing as an SVG element. */
function seen(drawing) {
  const { width, height, scale, left, top, colour } = drawing;
  const context = new SvgContext(width, height, drawing.canvas.getContext("2d"));
  context.fillStyle = colour.page;
  context.fillRect(0, 0, width, height);
  context.within(`translate(${places(width / 2, height / 2)}) scale(${scale}) translate(${places(-left, -top)})`);
  drawing.paintOn(context);
  return context.root;
}
