// Control-flow automata: locations and what happens between them. Straight-line code can be joined, loops can be folded.

/** Larger automata start with straight-line code joined. */
const JOINED_FROM = 12;
/** Even then, automata of more nodes start with outermost loops folded. */
const FOLDED_FROM = 150;
const MAX_LABEL = 44;
const MAX_LABEL_LINES = 6;

const automata = {
  current: null,
  folded: new Set(),

  get exists() {
    return data.automata.all.length > 0;
  },

  show() {
    const panel = byId("automata");
    const { all, omitted } = data.automata;
    this.choice = make("select", { id: "automaton", "aria-label": "Automaton", change: () => this.open(Number(this.choice.value)) },
      ...all.map((automaton, index) => make("option", { value: index }, automaton.name)));
    this.joins = make("input", { type: "checkbox", id: "joins", change: () => this.update(true) });
    this.details = make("div", { class: "details", role: "status", "aria-live": "polite" });
    this.drawing = new Drawing("Control-flow automaton", {
      select: (node) => this.describeSelected(node),
      toggle: (node) => this.toggle(node),
      describe: (node) => this.hint(node),
      appear: () => this.drawing.fitReadable(this.drawing.find(this.root)),
    });
    panel.append(
      make("div", { class: "controls", role: "toolbar", "aria-label": "Drawing" }, this.choice,
        make("label", { class: "option" }, this.joins, " join straight-line code"),
        button("Fold loops", "Fold all loops", () => this.foldAll(true)),
        button("Unfold loops", "Unfold all loops", () => this.foldAll(false)),
        ...this.drawing.buttons()),
      make("div", { class: "split" }, this.drawing.element, this.details),
      make("p", { class: "legend" }, "Loop heads are six-sided; hover over one for its invariants and summary. Click a location or a label for details, double-click a loop head to fold it.",
        omitted > 0 ? ` ${plural(omitted, "automaton")} too large to draw: \`wayproof cfa --dot\` prints all.` : ""));
    this.open(0);
  },

  open(index) {
    this.current = data.automata.all[index];
    this.joins.checked = this.current.nodes.length > JOINED_FROM;
    const isLarge = this.current.nodes.length > FOLDED_FROM;
    this.folded = new Set(isLarge ? this.current.loops.flatMap((loop, id) => loop.parent === null ? [id] : []) : []);
    this.drawing.selected = null;
    this.update(true);
    this.describeSelected(null);
  },

  foldAll(isFolded) {
    this.folded = new Set(isFolded ? this.current.loops.keys() : []);
    this.update(true);
  },

  /** The location that stands for a location: the head of the outermost folded loop around it. */
  representative(node) {
    let shown = node;
    for (let loop = this.current.nodes[node].loop; loop !== null; loop = this.current.loops[loop].parent) {
      if (this.folded.has(loop)) shown = this.current.loops[loop].head;
    }
    return shown;
  },

  /** The graph that is drawn: locations that are shown and edges between them, straight-line code joined if wanted. */
  graph() {
    const { nodes, edges } = this.current;
    const shown = nodes.map((_, index) => this.representative(index));
    let arrows = edges.map((edge) => ({ from: shown[edge.from], to: shown[edge.to], parts: [edge] }))
      .filter((arrow, index) => arrow.from !== arrow.to || edges[index].from === edges[index].to && !this.isHidden(edges[index].from));
    if (this.joins.checked) arrows = this.joined(arrows);
    const used = new Set(arrows.flatMap((arrow) => [arrow.from, arrow.to]));
    used.add(shown[nodes.findIndex((node) => node.kind === "entry")]);
    return { used: Array.from(used).sort((a, b) => a - b), arrows };
  },

  isHidden(node) {
    return this.folded.has(this.current.nodes[node].loop);
  },

  /** Locations with one way in and one way out that are nothing in particular vanish. */
  joined(arrows) {
    const incoming = new Map();
    const outgoing = new Map();
    const count = (map, node, arrow) => map.set(node, (map.get(node) ?? []).concat([arrow]));
    for (const arrow of arrows) {
      count(outgoing, arrow.from, arrow);
      count(incoming, arrow.to, arrow);
    }
    const isPlain = (node) => this.current.nodes[node].kind === "plain" && incoming.get(node)?.length === 1 && outgoing.get(node)?.length === 1;
    const result = [];
    for (const arrow of arrows) {
      if (isPlain(arrow.from)) continue;
      let { to, parts } = arrow;
      // Without a location that stays there would be no end: a cycle has a head, which is not plain.
      while (isPlain(to) && to !== arrow.from) {
        const [next] = outgoing.get(to);
        parts = parts.concat(next.parts);
        to = next.to;
      }
      result.push({ from: arrow.from, to, parts });
    }
    return result;
  },

  update(fits) {
    const { used, arrows } = this.graph();
    const position = new Map(used.map((node, index) => [node, index]));
    const boxes = used.map((node) => this.box(node));
    const labels = arrows.map((arrow) => this.label(arrow));
    const edges = arrows.map((arrow, index) => ({ from: position.get(arrow.from), to: position.get(arrow.to), w: labels[index].w, h: labels[index].h }));
    this.root = this.representative(this.current.nodes.findIndex((node) => node.kind === "entry"));
    const placed = layered(boxes, edges, position.get(this.root));
    boxes.forEach((box, index) => { [box.x, box.y] = placed.nodes[index]; });
    labels.forEach((label, index) => { [label.x, label.y] = placed.edges[index].label; });
    const lines = placed.edges.map((edge, index) => ({
      points: edge.points, hasArrow: true, target: boxes[edges[index].to], ends: [arrows[index].from, arrows[index].to, labels[index].id],
    }));
    this.drawing.show({ nodes: boxes.concat(labels.filter((label) => label.lines.length > 0)), edges: lines }, false);
    if (fits) this.drawing.fitReadable(this.drawing.find(this.root));
  },

  box(node) {
    const { kind, at, loop } = this.current.nodes[node];
    const isHead = loop !== null && this.current.loops[loop].head === node;
    const isFolded = isHead && this.folded.has(loop);
    const names = { entry: "entry", exit: "exit", error: "error" };
    const place = at ? `line ${at[1]}` : `l${node}`;
    const lines = names[kind] ? [names[kind]] : [place];
    if (isHead && at) lines[0] = `loop ${at[1]}`;
    const { w, h } = textSize(lines);
    return {
      id: node, lines, w: w + (isHead ? 40 : 18), h: h + 8, tone: kind === "plain" && isHead ? "loop" : kind,
      shape: isHead ? "diamond" : kind === "error" ? "box" : "round", badge: isHead ? (isFolded ? "+" : "−") : "",
    };
  },

  label(arrow) {
    const all = arrow.parts.flatMap((part) => part.text);
    const lines = all.slice(0, MAX_LABEL_LINES).map((line) => cut(visible(line), MAX_LABEL));
    if (all.length > MAX_LABEL_LINES) lines.push(`… ${all.length - MAX_LABEL_LINES} more`);
    const { w, h } = textSize(lines);
    return { id: `e${data.automata.all.indexOf(this.current)}-${this.current.edges.indexOf(arrow.parts[0])}`, arrow, lines, w: w + 6, h: h + (h > 0 ? 4 : 0), tone: "label", shape: "box" };
  },

  toggle(node) {
    if (node.arrow) return;
    const { loop } = this.current.nodes[node.id];
    if (loop === null || this.current.loops[loop].head !== node.id) return;
    if (!this.folded.delete(loop)) this.folded.add(loop);
    this.update(false);
  },

  /** What is shown beside a node under the pointer. */
  hint(node) {
    if (node.arrow) return node.arrow.parts.flatMap((part) => part.text).slice(0, 30).map(visible).join("\n");
    const { at, kind } = this.current.nodes[node.id];
    if (!at || (kind !== "loop" && kind !== "entry" && kind !== "plain")) return kind;
    const known = kind === "plain" ? [] : knowledge(at[0], at[1]);
    return [`line ${at[1]}`].concat(known).join("\n\n");
  },

  describeSelected(node) {
    if (!node) {
      const { nodes, edges, loops } = this.current;
      const counts = [plural(nodes.length, "location"), plural(edges.length, "edge"), plural(loops.length, "loop")].join(", ");
      this.details.replaceChildren(make("h3", {}, this.current.name), make("p", {}, `${counts}.`),
        data.summaries_missing ? make("p", {}, `There are no summaries: ${data.summaries_missing}.`) : "");
      return;
    }
    if (node.arrow) {
      const parts = node.arrow.parts.map((part) => make("li", {}, make("code", {}, part.text.map(visible).join("; ") || "nothing"), " ", placeLink(part.at)));
      this.details.replaceChildren(make("h3", {}, "Edge"), make("p", {}, `from ${this.name(node.arrow.from)} to ${this.name(node.arrow.to)}`), make("ol", {}, ...parts));
      return;
    }
    const { at, kind } = this.current.nodes[node.id];
    const edges = this.drawing.scene.nodes.filter((other) => other.arrow && (other.arrow.from === node.id || other.arrow.to === node.id));
    const items = edges.map((other) => {
      const { from, to } = other.arrow;
      const text = from === node.id ? `to ${this.name(to)}` : `from ${this.name(from)}`;
      return make("li", {}, make("button", { type: "button", class: "plain", click: () => { this.drawing.select(other); this.drawing.reveal(other); } }, text), " ", make("code", {}, cut(other.lines.join("; "), 80)));
    });
    const known = at && kind !== "plain" ? knowledge(at[0], at[1]) : [];
    this.details.replaceChildren(make("h3", {}, this.name(node.id)), make("p", {}, placeLink(at) ?? "no place in the source"),
      ...known.map((text) => make("pre", {}, visible(text))), make("ul", {}, ...items));
  },

  name(node) {
    const { kind, at } = this.current.nodes[node];
    const words = { plain: "location", loop: "loop head", entry: "entry", exit: "exit", error: "error" };
    return `${words[kind]} l${node}${at ? ` at line ${at[1]}` : ""}`;
  },
};
