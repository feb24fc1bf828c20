// The search tree: nodes with their states, folded so that trees of many thousand nodes stay usable.

const STATES = ["expanded", "dead end", "covered", "frontier", "subsumed", "covered in part", "widened"];
const TONES = ["plain", "dead", "covered", "frontier", "subsumed", "widened", "widened"];
/** Nodes in these states are not looked at further. */
const ENDED = [2, 3, 4];
/** So many nodes are unfolded at the start. */
const SHOWN_AT_FIRST = 120;
const NODE = { w: 104, h: 42, gapX: 14, gapY: 34 };

const tree = {
  get exists() {
    return data.tree !== null && data.tree.parents.length > 0;
  },

  show() {
    const { parents } = data.tree;
    this.children = parents.map(() => []);
    this.size = new Int32Array(parents.length).fill(1);
    parents.forEach((parent, node) => parent !== null && this.children[parent].push(node));
    // Parents come first, so one pass from the end knows all sizes.
    for (let node = parents.length - 1; node >= 0; node--) if (parents[node] !== null) this.size[parents[node]] += this.size[node];
    this.unfolded = new Uint8Array(parents.length);
    this.coveredBy = new Map();
    data.tree.covers.forEach((cover, node) => cover !== null && this.coveredBy.set(cover, (this.coveredBy.get(cover) ?? []).concat([node])));
    this.drawing = new Drawing("Search tree", {
      select: (node) => this.describeSelected(node),
      toggle: (node) => this.toggle(node.id),
      describe: (node) => this.hint(node.id),
      appear: () => this.drawing.fitReadable(this.drawing.find(0)),
    });
    this.details = make("div", { class: "details", role: "status", "aria-live": "polite" });
    this.number = make("input", { type: "number", id: "node-number", min: 0, max: parents.length - 1, placeholder: "node", "aria-label": "Number of a node" });
    const go = make("form", { class: "inline", submit: (event) => { event.preventDefault(); this.go(Number(this.number.value)); } }, this.number, make("button", {}, "Go to"));
    const counts = STATES.map((state, index) => [state, data.tree.states.filter((value) => value === index).length])
      .filter(([, count], index) => count > 0 || index < 4).map(([state, count]) => `${count.toLocaleString("en")} ${state}`);
    byId("tree").append(
      make("div", { class: "controls", role: "toolbar", "aria-label": "Drawing" },
        button("Unfold all", "Unfold all nodes", () => this.unfoldAll(), { id: "unfold-all" }),
        button("Fold", "Show the first levels only", () => this.foldAll(), { id: "fold-all" }),
        ...this.drawing.buttons(), go),
      make("div", { class: "split" }, this.drawing.element, this.details),
      make("p", { class: "legend" }, `${plural(parents.length, "node")}: ${counts.join(", ")}. Dashed lines lead from covered nodes to what covers them.`,
        data.tree.more > 0 ? ` ${plural(data.tree.more, "more node")} not kept.` : ""));
    this.foldAll();
    this.describeSelected(null);
  },

  /** Unfolds level by level until there is enough to see. */
  foldAll() {
    this.unfolded.fill(0);
    const queue = [0];
    for (let next = 0; next < queue.length && queue.length < SHOWN_AT_FIRST; next++) {
      this.unfolded[queue[next]] = 1;
      for (const child of this.children[queue[next]]) queue.push(child);
    }
    this.update();
    this.drawing.fitReadable(this.drawing.find(0));
  },

  unfoldAll() {
    this.unfolded.fill(1);
    this.update();
    this.drawing.fit();
  },

  toggle(node) {
    if (this.children[node].length === 0) return;
    this.unfolded[node] ^= 1;
    this.update();
  },

  /** Unfolds what is above a node and selects it. */
  go(node) {
    if (!(node >= 0 && node < data.tree.parents.length)) return;
    for (let above = data.tree.parents[node]; above !== null; above = data.tree.parents[above]) this.unfolded[above] = 1;
    this.update();
    const found = this.drawing.find(node);
    this.drawing.select(found);
    if (this.drawing.view.scale < 0.5) this.drawing.view.scale = 0.9;
    this.drawing.reveal(found);
  },

  /** Draws the nodes that are visible. */
  update() {
    const { order, depth } = this.visible();
    const x = this.columns(order, depth);
    const boxes = new Map(order.map((node) => [node, this.box(node, x.get(node), depth.get(node) * (NODE.h + NODE.gapY))]));
    this.drawing.show({ nodes: Array.from(boxes.values()), edges: this.edges(order, boxes) }, false);
  },

  /** The nodes that are visible, parents first, and their depths. No recursion: trees may be deep. */
  visible() {
    const depth = new Map([[0, 0]]);
    const order = [];
    const stack = [0];
    while (stack.length > 0) {
      const node = stack.pop();
      order.push(node);
      if (!this.unfolded[node]) continue;
      const children = this.children[node];
      for (let index = children.length - 1; index >= 0; index--) {
        depth.set(children[index], depth.get(node) + 1);
        stack.push(children[index]);
      }
    }
    return { order, depth };
  },

  /** Columns as Wetherell and Shannon have them: parents above the middle of their children, each level as narrow as that allows. */
  columns(order, depth) {
    const x = new Map();
    const shifts = new Map();
    const free = [];
    const pushed = [];
    // From the right to the left, children before parents.
    for (const node of order.slice().reverse()) {
      const level = depth.get(node);
      const next = free[level] ?? 0;
      const children = this.unfolded[node] ? this.children[node] : [];
      const wish = children.length === 0 ? next : (x.get(children[0]) + x.get(children[children.length - 1])) / 2;
      pushed[level] = Math.max(pushed[level] ?? 0, next - wish);
      const place = children.length === 0 ? next : wish + pushed[level];
      x.set(node, place);
      shifts.set(node, pushed[level]);
      free[level] = place + NODE.w + NODE.gapX;
    }
    // What moved a parent moves all that is below it.
    const carried = new Map([[0, 0]]);
    for (const node of order) {
      const carry = carried.get(node);
      x.set(node, -(x.get(node) + carry));
      if (this.unfolded[node]) for (const child of this.children[node]) carried.set(child, carry + shifts.get(node));
    }
    return x;
  },

  edges(order, boxes) {
    const edges = [];
    for (const node of order) {
      const box = boxes.get(node);
      const parent = boxes.get(data.tree.parents[node]);
      if (parent) edges.push({ points: [[parent.x, parent.y + NODE.h / 2], [box.x, box.y - NODE.h / 2]], ends: [parent.id, node] });
      const cover = boxes.get(data.tree.covers[node]);
      if (cover) {
        const bend = [(box.x + cover.x) / 2, Math.max(box.y, cover.y) + NODE.h];
        edges.push({ points: [[box.x, box.y], bend, [cover.x, cover.y]], ends: [node, cover.id], isDashed: true, hasArrow: true, target: cover });
      }
    }
    return edges;
  },

  box(node, x, y) {
    const line = data.tree.lines[node];
    const state = data.tree.states[node];
    const hasChildren = this.children[node].length > 0;
    return {
      id: node, x, y, w: NODE.w, h: NODE.h, shape: "box", tone: line === null ? "error" : TONES[state], isDashed: ENDED.includes(state),
      lines: [`n${node}`, line === null ? "error" : line === 0 ? "entry" : `line ${line}`], badge: hasChildren ? (this.unfolded[node] ? "−" : "+") : "",
    };
  },

  label(node) {
    return data.tree.texts[data.tree.labels[node]];
  },

  /** What is needed at a loop head, and what widening dropped there. */
  widening(node) {
    return [["Needed", data.tree.kept], ["Dropped by widening", data.tree.dropped]]
      .map(([title, column]) => [title, data.tree.texts[column[node]]]).filter(([, text]) => text);
  },

  hint(node) {
    const line = data.tree.lines[node];
    const below = this.size[node] - 1;
    const parts = [`n${node}: ${STATES[data.tree.states[node]]}${line ? `, line ${line}` : ""}${below > 0 ? `, ${plural(below, "node")} below` : ""}`];
    if (this.label(node)) parts.push(`label: ${this.label(node)}`);
    return parts.concat(knowledge(null, line)).join("\n\n");
  },

  describeSelected(box) {
    if (!box) {
      this.details.replaceChildren(make("p", {}, "Click a node to see its label; double-click, or press Enter, to fold or unfold it."));
      return;
    }
    const node = box.id;
    const line = data.tree.lines[node];
    const link = (other) => make("button", { type: "button", class: "plain", click: () => this.go(other) }, `n${other}`);
    const links = (title, nodes) => nodes.length === 0 ? null
      : make("p", {}, `${title}: `, ...nodes.slice(0, 50).flatMap((other) => [link(other), " "]), nodes.length > 50 ? `and ${nodes.length - 50} more` : "");
    const parent = data.tree.parents[node];
    const cover = data.tree.covers[node];
    const file = data.files.length > 0 ? data.files[0].id : null;
    this.details.replaceChildren(
      make("h3", {}, `Node ${node}`),
      make("p", {}, `${STATES[data.tree.states[node]]}, `, line === null ? "the error" : line === 0 ? "the entry" : placeLink([file, line, 1, line, 1])),
      make("p", {}, "Label:"), make("pre", {}, this.label(node) || "true"),
      ...this.widening(node).flatMap(([title, text]) => [make("p", {}, `${title}:`), make("pre", {}, text)]),
      ...[parent === null ? null : links("Parent", [parent]), links("Children", this.children[node]), cover === null ? null : links("Covered by", [cover]),
        links("Covers", this.coveredBy.get(node) ?? [])].filter((part) => part),
      ...(this.children[node].length > 0 ? [button(this.unfolded[node] ? "Fold" : "Unfold", "Fold or unfold this node", () => { this.toggle(node); this.describeSelected(box); })] : []),
      ...knowledge(null, line).map((text) => make("pre", {}, visible(text))));
  },
};
