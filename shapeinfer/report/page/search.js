/* Search in all graphs, subgraphs and functions too. */
const MOST_RESULTS = 200;
let searched = null;

/* The searchable text of each node: built on first use, and again when sizes change the shapes. */
function searchable() {
  if (searched) return searched;
  searched = [];
  data.graphs.forEach((_, number) => {
    const graph = graphOf(number);
    for (let index = 0; index < graph.count; index++) {
      const [operator, name, inputs, outputs, , , module = 0, source = 0] = graph.records[index];
      const made = outputs.filter((v) => v >= 0);
      const weights = inputs.filter((v) => v >= 0 && graph.role(v) === INITIALIZER);
      const text = {
        name: [name, ...[...made, ...weights].map((v) => graph.name(v))].join(" "),
        operator: data.operators[operator][0],
        shape: made.map((v) => graph.type(v)).join(" "),
        module: `${data.modules[module]} ${classes.get(data.modules[module]) ?? ""}`,
        source: data.sources[source],
      };
      for (const [key, value] of Object.entries(text)) text[key] = value.toLowerCase();
      searched.push({ graph, index, made, text, all: Object.values(text).join(" ") });
    }
  });
  return searched;
}

function search() {
  const words = find("query").value.toLowerCase().split(/\s+/).filter(Boolean), where = find("where").value;
  if (!words.length) {
    find("results").replaceChildren();
    find("found").textContent = counted(data.graphs.reduce((sum, { nodes }) => sum + nodes.length, 0), "node");
    return;
  }
  const found = searchable().filter(({ text, all }) => {
    const within = where === "all" ? all : text[where];
    return words.every((word) => within.includes(word));
  });
  find("results").replaceChildren(...found.slice(0, MOST_RESULTS).map(({ graph, index, made }) => {
    const node = graph.node(index), place = [graph.number ? graph.title : "", node.module].filter(Boolean).join(", ");
    return make("li", {}, link(`${node.title} ${made.map((v) => graph.type(v)).join(", ")}${place ? ` (${place})` : ""}`,
      () => goTo(graph, index)));
  }));
  const all = counted(found.length, "node");
  find("found").textContent = found.length > MOST_RESULTS ? `${all}, the first ${MOST_RESULTS}` : all;
}
