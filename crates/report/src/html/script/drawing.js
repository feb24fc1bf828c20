// A drawing on a canvas that can be moved and zoomed. It shows a scene: nodes {x, y, w, h, shape, tone, lines, badge} by their
// centres, and edges {points, tone, isDashed}. What is out of view costs next to nothing, so scenes may be large.

const FONT_SIZE = 12;
/** Below this zoom text cannot be read and is not drawn. */
const MIN_TEXT_SCALE = 0.35;
/** Below this zoom dashed edges are drawn for the selected node only, and so are those longer than so many pixels. */
const MIN_DASHES_SCALE = 0.1;
const MAX_DASHES = 4000;
const measuring = document.createElement("canvas").getContext("2d");
measuring.font = `${FONT_SIZE}px ui-monospace, Menlo, Consolas, monospace`;
const CHARACTER = measuring.measureText("0").width;

/** The size of lines of text. */
function textSize(lines) {
  const longest = lines.reduce((most, line) => Math.max(most, line.length), 0);
  return { w: longest * CHARACTER, h: lines.length * (FONT_SIZE + 3) };
}

class Drawing {
  /** `on` has what happens: select(node), toggle(node), describe(node) gives the text to show beside a node. */
  constructor(label, on) {
    this.on = on;
    this.scene = { nodes: [], edges: [] };
    this.view = { x: 0, y: 0, scale: 1 };
    this.selected = null;
    this.hovered = null;
    this.canvas = make("canvas", {
      tabindex: 0, role: "application", "aria-label": `${label}. Arrow keys move the selection, Enter folds or unfolds, plus and minus zoom.`,
    });
    this.tip = make("pre", { class: "tip", hidden: true });
    this.element = make("div", { class: "drawing" }, this.canvas, this.tip);
    this.listen();
  }

  /** Buttons that every drawing has. */
  buttons() {
    return [
      button("+", "Zoom in", () => this.zoom(1.4)),
      button("−", "Zoom out", () => this.zoom(1 / 1.4)),
      button("Fit", "Show the whole drawing", () => this.fit()),
    ];
  }

  listen() {
    const canvas = this.canvas;
    new ResizeObserver(() => this.resize()).observe(this.element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.colors = null; this.draw(); });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), [event.offsetX, event.offsetY]);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      this.drag = { x: event.clientX, y: event.clientY, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("dblclick", (event) => {
      const node = this.hit(event.offsetX, event.offsetY);
      if (node) this.on.toggle(node);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /** Shows another scene; the view stays unless it is to fit. */
  show(scene, fits) {
    this.scene = scene;
    this.hover(null);
    if (this.selected !== null && !scene.nodes.some((node) => node.id === this.selected)) this.selected = null;
    if (fits) this.fit();
    else this.draw();
  }

  bounds() {
    const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    const include = (x, y, w, h) => {
      box.left = Math.min(box.left, x - w / 2);
      box.right = Math.max(box.right, x + w / 2);
      box.top = Math.min(box.top, y - h / 2);
      box.bottom = Math.max(box.bottom, y + h / 2);
    };
    for (const node of this.scene.nodes) include(node.x, node.y, node.w, node.h);
    for (const edge of this.scene.edges) for (const [x, y] of edge.points) include(x, y, 0, 0);
    return box;
  }

  /** Zooms so that all is in view, but text is not larger than usual; what is too large to be read shows its top. */
  fit() {
    if (this.scene.nodes.length === 0 || !this.width) {
      this.fitsLater = true;
      return;
    }
    const box = this.bounds();
    const scale = Math.min(1.2, (this.width - 30) / (box.right - box.left), (this.height - 30) / (box.bottom - box.top));
    this.view = {
      scale,
      x: this.width / 2 - scale * (box.left + box.right) / 2,
      y: this.height / 2 - scale * (box.top + box.bottom) / 2,
    };
    this.draw();
  }

  /** Zooms to a readable size around the top of a scene that is too large to be read as a whole. */
  fitReadable(root) {
    this.fit();
    if (!this.width || this.view.scale >= 0.6 || !root) return;
    this.view = { scale: 0.8, x: this.width / 2 - 0.8 * root.x, y: 40 - 0.8 * (root.y - root.h / 2) };
    this.draw();
  }

  zoom(factor, [x, y] = [this.width / 2, this.height / 2]) {
    const scale = Math.min(4, Math.max(0.002, this.view.scale * factor));
    const change = scale / this.view.scale;
    this.view = { scale, x: x - (x - this.view.x) * change, y: y - (y - this.view.y) * change };
    this.draw();
  }

  /** Moves the view so that a node is in it. */
  reveal(node) {
    const { scale } = this.view;
    const [x, y] = [node.x * scale + this.view.x, node.y * scale + this.view.y];
    const margin = 60;
    if (x < margin || x > this.width - margin || y < margin || y > this.height - margin) {
      this.view.x += this.width / 2 - x;
      this.view.y += this.height / 2 - y;
    }
    this.draw();
  }

  select(node) {
    this.selected = node ? node.id : null;
    this.draw();
    this.on.select(node);
  }

  find(id) {
    return this.scene.nodes.find((node) => node.id === id);
  }

  /** The node at a place of the canvas. */
  hit(x, y) {
    const [sceneX, sceneY] = [(x - this.view.x) / this.view.scale, (y - this.view.y) / this.view.scale];
    return this.scene.nodes.find((node) => Math.abs(node.x - sceneX) <= node.w / 2 && Math.abs(node.y - sceneY) <= node.h / 2) ?? null;
  }

  /** Where the centre of a node is on the screen. */
  place(id) {
    const node = this.find(id);
    const box = this.canvas.getBoundingClientRect();
    return node && [box.left + node.x * this.view.scale + this.view.x, box.top + node.y * this.view.scale + this.view.y];
  }

  move(event) {
    if (!this.drag) {
      this.hover(this.hit(event.offsetX, event.offsetY));
      return;
    }
    const [dx, dy] = [event.clientX - this.drag.x, event.clientY - this.drag.y];
    if (!this.drag.moved && Math.hypot(dx, dy) < 4) return;
    this.view.x += dx;
    this.view.y += dy;
    this.drag = { x: event.clientX, y: event.clientY, moved: true };
    this.hover(null);
    this.draw();
  }

  release(event) {
    const wasClick = this.drag && !this.drag.moved;
    this.drag = null;
    if (!wasClick) return;
    const node = this.hit(event.offsetX, event.offsetY);
    const isBadge = node && node.badge && event.offsetX > (node.x + node.w / 2 - 14) * this.view.scale + this.view.x;
    this.select(node);
    if (isBadge) this.on.toggle(node);
  }

  hover(node) {
    const id = node ? node.id : null;
    if (id === this.hovered) return;
    this.hovered = id;
    this.canvas.style.cursor = node ? "pointer" : "";
    this.tip.textContent = node ? this.on.describe(node) : "";
    this.tip.hidden = !node || this.tip.textContent === "";
    if (!this.tip.hidden) this.placeTip(node);
    this.draw();
  }

  /** The text goes beside the node: right of it, or left of it, or where there is room. */
  placeTip(node) {
    const { x, y, scale } = this.view;
    const [left, right] = [-1, 1].map((side) => (node.x + side * node.w / 2) * scale + x);
    const width = this.tip.offsetWidth + 10;
    const place = right + width <= this.width ? right + 10 : left - width >= 0 ? left - width : Math.max(0, this.width - width);
    const top = (node.y - node.h / 2) * scale + y;
    this.tip.style.left = `${place}px`;
    this.tip.style.top = `${Math.max(4, Math.min(top, this.height - this.tip.offsetHeight - 6))}px`;
  }

  key(event) {
    const node = this.selected === null ? null : this.find(this.selected);
    const moves = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    if (moves[event.key] && !event.shiftKey) {
      const next = node ? this.towards(node, moves[event.key]) : this.scene.nodes[0];
      if (next) {
        this.select(next);
        this.reveal(next);
      }
    } else if (moves[event.key]) {
      this.view.x -= 60 * moves[event.key][0];
      this.view.y -= 60 * moves[event.key][1];
      this.draw();
    } else if ((event.key === "Enter" || event.key === " ") && node) this.on.toggle(node);
    else if (event.key === "+" || event.key === "=") this.zoom(1.4);
    else if (event.key === "-") this.zoom(1 / 1.4);
    else if (event.key === "0") this.fit();
    else if (event.key === "Escape") this.select(null);
    else return;
    event.preventDefault();
  }

  /** The nearest node in a direction. */
  towards(node, [dx, dy]) {
    let best = null;
    let shortest = Infinity;
    for (const other of this.scene.nodes) {
      const along = (other.x - node.x) * dx + (other.y - node.y) * dy;
      const across = Math.abs((other.x - node.x) * dy) + Math.abs((other.y - node.y) * dx);
      if (along < 4 || across > along * 3 + 40) continue;
      const distance = along + 2 * across;
      if (distance < shortest) [shortest, best] = [distance, other];
    }
    return best;
  }

  resize() {
    const box = this.element.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    if (box.width === 0 || (this.width === box.width && this.height === box.height && this.ratio === ratio)) return;
    [this.width, this.height, this.ratio] = [box.width, box.height, ratio];
    this.canvas.width = Math.round(box.width * ratio);
    this.canvas.height = Math.round(box.height * ratio);
    if (this.fitsLater) {
      this.fitsLater = false;
      this.on.appear();
    }
    this.paint();
  }

  /** Draws before the next frame, however often it is called. */
  draw() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.paint();
    });
  }

  palette() {
    if (!this.colors) {
      const style = getComputedStyle(document.documentElement);
      const color = (name) => style.getPropertyValue(`--${name}`).trim();
      const tones = ["plain", "entry", "exit", "error", "loop", "dead", "covered", "frontier", "subsumed", "widened", "label"];
      this.colors = { line: color("line"), text: color("text"), accent: color("accent"), faint: color("faint"), page: color("page") };
      for (const tone of tones) this.colors[tone] = color(`tone-${tone}`);
    }
    return this.colors;
  }

  paint() {
    if (!this.width) return;
    const context = this.canvas.getContext("2d");
    const { x, y, scale } = this.view;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.setTransform(this.ratio * scale, 0, 0, this.ratio * scale, this.ratio * x, this.ratio * y);
    this.window = { left: -x / scale, top: -y / scale, right: (this.width - x) / scale, bottom: (this.height - y) / scale };
    const colors = this.palette();
    for (const edge of this.scene.edges) this.paintEdge(context, colors, edge);
    context.font = `${FONT_SIZE}px ui-monospace, Menlo, Consolas, monospace`;
    context.textBaseline = "middle";
    for (const node of this.scene.nodes) this.paintNode(context, colors, node);
  }

  isVisible(left, top, right, bottom) {
    const { window } = this;
    return right >= window.left && left <= window.right && bottom >= window.top && top <= window.bottom;
  }

  paintEdge(context, colors, edge) {
    const box = edge.box ??= edgeBox(edge.points);
    if (!this.isVisible(...box)) return;
    const isLit = this.selected !== null && edge.ends.includes(this.selected);
    const length = Math.max(box[2] - box[0], box[3] - box[1]) * this.view.scale;
    // Far away, dashed edges are a grey veil.
    if (edge.isDashed && !isLit && (this.view.scale < MIN_DASHES_SCALE || length > MAX_DASHES)) return;
    context.strokeStyle = isLit ? colors.accent : edge.isDashed ? colors.faint : colors.line;
    context.lineWidth = Math.max(isLit ? 2 : 1, 0.6 / this.view.scale);
    // Dashes of lines that leave the screen far behind would take seconds.
    context.setLineDash(edge.isDashed && length <= MAX_DASHES ? [5 / this.view.scale, 4 / this.view.scale] : []);
    context.beginPath();
    const { points } = edge;
    context.moveTo(...points[0]);
    for (let index = 1; index + 1 < points.length; index++) {
      const [[ax, ay], [bx, by]] = [points[index], points[index + 1]];
      if (index + 2 === points.length) context.quadraticCurveTo(ax, ay, bx, by);
      else context.quadraticCurveTo(ax, ay, (ax + bx) / 2, (ay + by) / 2);
    }
    if (points.length === 2) context.lineTo(...points[1]);
    context.stroke();
    if (edge.hasArrow && this.view.scale > 0.2) paintArrow(context, edge);
  }

  paintNode(context, colors, node) {
    const [left, top] = [node.x - node.w / 2, node.y - node.h / 2];
    if (!this.isVisible(left, top, left + node.w, top + node.h)) return;
    const isSelected = node.id === this.selected;
    context.fillStyle = colors[node.tone] || colors.plain;
    context.strokeStyle = isSelected || node.id === this.hovered ? colors.accent : colors.line;
    context.lineWidth = isSelected ? 3 : Math.max(1, 0.6 / this.view.scale);
    context.setLineDash(node.isDashed ? [4, 3] : []);
    if (this.view.scale * node.w < 5) {
      // A few pixels: a filled square says all there is to say.
      context.fillStyle = node.tone === "plain" ? colors.line : colors[node.tone];
      context.fillRect(left, top, node.w, node.h);
      return;
    }
    outline(context, node, left, top);
    context.fill();
    if (node.tone !== "label" || isSelected || node.id === this.hovered) context.stroke();
    if (this.view.scale < MIN_TEXT_SCALE) return;
    context.fillStyle = colors.text;
    context.textAlign = "center";
    const step = FONT_SIZE + 3;
    const shift = node.badge ? -6 : 0;
    node.lines.forEach((line, index) => context.fillText(line, node.x + shift, node.y + (index - (node.lines.length - 1) / 2) * step));
    if (node.badge) {
      context.fillStyle = colors.accent;
      context.fillText(node.badge, node.x + node.w / 2 - 9, node.y);
    }
  }
}

function edgeBox(points) {
  const xs = points.map((point) => point[0]);
  const ys = points.map((point) => point[1]);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

function outline(context, node, left, top) {
  context.beginPath();
  if (node.shape === "diamond") {
    const slant = Math.min(12, node.h / 2);
    context.moveTo(left, node.y);
    context.lineTo(left + slant, top);
    context.lineTo(left + node.w - slant, top);
    context.lineTo(left + node.w, node.y);
    context.lineTo(left + node.w - slant, top + node.h);
    context.lineTo(left + slant, top + node.h);
    context.closePath();
  } else context.roundRect(left, top, node.w, node.h, node.shape === "round" ? node.h / 2 : 4);
}

/** The head of an arrow where the edge meets the box of its target. */
function paintArrow(context, edge) {
  const { points, target } = edge;
  const [fromX, fromY] = points[points.length - 2];
  const [x, y] = points[points.length - 1];
  const [dx, dy] = [x - fromX, y - fromY];
  const length = Math.hypot(dx, dy) || 1;
  // How far the border of the target is from its centre, along the edge.
  const inside = Math.min(target.w / 2 / Math.max(Math.abs(dx / length), 1e-6), target.h / 2 / Math.max(Math.abs(dy / length), 1e-6));
  const [tipX, tipY] = [x - dx / length * inside, y - dy / length * inside];
  const angle = Math.atan2(dy, dx);
  context.setLineDash([]);
  context.fillStyle = context.strokeStyle;
  context.beginPath();
  context.moveTo(tipX, tipY);
  context.lineTo(tipX - 9 * Math.cos(angle - 0.4), tipY - 9 * Math.sin(angle - 0.4));
  context.lineTo(tipX - 9 * Math.cos(angle + 0.4), tipY - 9 * Math.sin(angle + 0.4));
  context.fill();
}
