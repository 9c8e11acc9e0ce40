/* The lists of findings, input sizes, contract and cost. */
const MOST_FINDINGS = 300, SLIDER = 4096n;
let finding = -1;

function showFindings() {
  const counts = ["error", "warning", "note"].map((s) => [data.findings.filter((f) => f.severity === s).length, s]);
  const told = counts.filter(([count]) => count).map(([count, s]) => `${count} ${s}${count === 1 ? "" : "s"}`).join(", ");
  const nodes = data.graphs[0].nodes.length;
  find("summary").textContent = `${nodes} nodes, ${data.opsets.join(", ")}; ${told || "nothing found"}`;
  const shown = data.findings.slice(0, MOST_FINDINGS);
  find("findings").replaceChildren(...(shown.length ? shown.map(oneFinding) : [make("p", {}, "No findings.")]));
  if (shown.length < data.findings.length)
    find("findings").append(make("p", {}, `Showing the first ${shown.length} of ${data.findings.length} findings.`));
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
    f.place ? button("Show in the graph", () => {
      showFinding(number);
      find("frame").scrollIntoView({ block: "nearest" });
    }) : null);
  details.addEventListener("toggle", () => { if (details.open && finding !== number) showFinding(number); });
  return details;
}

/* Highlight the node of a finding, and the path of its sizes through the graph. */
function showFinding(number) {
  finding = number;
  const { place, chain, message, severity } = data.findings[number];
  const details = find("findings").children[number];
  if (details && !details.open) details.open = true;
  if (!place) return;
  drawing.chain = new Set(chain);
  drawing.chainGraph = graphOf(place[0]);
  goTo(graphOf(place[0]), place[1]);
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
  searched = null;
  rebuild();
  describe(drawing.scene.boxOf(drawing.chosen));
  search();
  showModel();
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
  const place = (at) => at === null ? null : toNode(at, placed(at).title);
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
    return make("tr", {}, make("th", { scope: "row" }, name),
      make("td", { class: "mono" }, number === null ? text : grouped(number)));
  });
  find("cost").replaceChildren(make("table", {}, make("tbody", {}, ...rows)),
    ...data.cost.unknown.map((line) => make("p", { class: "quiet" }, line)));
}
