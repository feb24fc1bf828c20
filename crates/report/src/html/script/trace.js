// The execution step by step: where it is, which values variables have, which calls are active, which inputs were read.

/** What a step says, in words. */
function stepText(step) {
  switch (step.kind) {
    case "input": return `input ${step.number} from ${step.word}`;
    case "branch": return step.holds ? "condition holds" : "condition does not hold";
    case "call": return `call of ${step.word}`;
    case "round": return `iteration ${step.from}`;
    case "folded": return step.from === step.to ? `iteration ${step.from} as above` : `iterations ${step.from} to ${step.to} as above`;
    case "skipped": return step.from === step.to ? `iteration ${step.from} is not shown` : `iterations ${step.from} to ${step.to} are not shown`;
    case "omitted": return `${plural(step.from, "step")} not shown`;
    case "stopped": return "the rest is not shown";
    case "violation": return data.mark ? data.mark.text : "the property is violated";
    default: return "";
  }
}

function startsLoop(step) {
  return step.kind === "round" && step.from === 1;
}

function changeText(change) {
  return `${change.name} = ${change.value}`;
}

/** The execution, and the step that is shown. */
const trace = {
  steps: data.steps,
  position: 0,
  /** Lines of the list by step. */
  rows: [],

  get exists() {
    return this.steps.length > 0;
  },

  show() {
    const side = byId("side");
    this.status = make("p", { id: "step", role: "status", "aria-live": "polite" });
    this.slider = make("input", {
      type: "range", min: 1, max: this.steps.length, value: 1, "aria-label": "Step",
      input: () => this.go(Number(this.slider.value) - 1),
    });
    const controls = make("div", { class: "controls", role: "toolbar", "aria-label": "Steps of the execution" },
      button("|◀", "First step (Home)", () => this.go(0), { id: "step-first" }),
      button("↶", "Back over the loop or call (Shift+Left)", () => this.go(this.over(-1)), { id: "step-back-over" }),
      button("◀", "Previous step (Left)", () => this.go(this.next(-1)), { id: "step-previous" }),
      button("▶", "Next step, into loops and calls (Right)", () => this.go(this.next(1)), { id: "step-next" }),
      button("↷", "On over the loop or call (Shift+Right)", () => this.go(this.over(1)), { id: "step-over" }),
      button("▶|", "Last step (End)", () => this.go(this.steps.length - 1), { id: "step-last" }),
      button("Next loop", "To the next loop, or to the first one (L)", () => this.go(this.loop()), { id: "step-loop", hidden: !this.steps.some(startsLoop) }));
    this.relevant = make("input", { type: "checkbox", id: "relevant", checked: true, change: () => this.filter() });
    this.values = make("tbody", {});
    this.stack = make("ol", { id: "stack" });
    this.inputs = make("ol", { id: "inputs" });
    data.inputs.forEach((input) => this.inputs.append(make("li", {}, input.text, " ", placeLink(input.at))));
    this.list = make("ol", { id: "steps", "aria-label": "All steps" });
    this.steps.forEach((step, index) => this.list.append(this.row(step, index)));
    side.append(make("h2", {}, "Execution"), controls, this.slider, this.status,
      make("label", { class: "option" }, this.relevant, " only what the failing check may depend on"),
      make("h3", {}, "Values"),
      make("table", { id: "values" }, make("thead", {}, make("tr", {}, ...["Variable", "Value", "Type"].map((name) => make("th", { scope: "col" }, name)))), this.values),
      make("h3", {}, "Call stack"), this.stack,
      make("h3", {}, data.inputs.length > 0 ? "Inputs, in order" : "No inputs"), this.inputs,
      make("h3", {}, "All steps"), this.list);
    document.addEventListener("keydown", (event) => this.key(event));
    byId("text").addEventListener("click", (event) => {
      const line = event.target.closest(".number") && event.target.closest(".line");
      if (line) this.toLine(...line.id.slice(1).split("-").map(Number));
    });
    this.filter();
  },

  row(step, index) {
    const changes = step.changes.map(changeText).join(", ");
    const text = [stepText(step), changes].filter((part) => part !== "").join(": ") || "…";
    const line = step.at ? String(step.at[1]) : "";
    const row = make("li", { class: `step ${step.kind}` },
      make("button", { type: "button", click: () => this.go(index) },
        make("span", { class: "number" }, line), make("span", { style: `padding-left:${Math.min(step.depth + step.nesting, 24) * 0.9}em` }, visible(text))));
    this.rows.push(row);
    return row;
  },

  /** The next step where a loop starts. */
  loop() {
    const behind = this.steps.findIndex((step, index) => index > this.position && startsLoop(step));
    return behind >= 0 ? behind : this.steps.findIndex(startsLoop);
  },

  /** The next step in a line, or the first one. */
  toLine(file, line) {
    const isThere = (step) => step.at && step.at[0] === file && step.at[1] === line;
    const behind = this.steps.findIndex((step, index) => index > this.position && isThere(step) && this.isShown(index));
    const found = behind >= 0 ? behind : this.steps.findIndex((step, index) => isThere(step) && this.isShown(index));
    if (found >= 0) this.go(found);
  },

  /** Whether a step is told: the first and the last always are. */
  isShown(position) {
    const isEnd = position === 0 || position === this.steps.length - 1;
    return isEnd || this.steps[position].matters || !this.relevant.checked;
  },

  /** The next step that is told, in a direction. */
  next(direction) {
    let position = this.position + direction;
    while (position > 0 && position < this.steps.length - 1 && !this.isShown(position)) position += direction;
    return position;
  },

  /** Shows or hides steps that do not matter. */
  filter() {
    this.rows.forEach((row, index) => { row.hidden = !this.isShown(index); });
    if (!this.isShown(this.position)) this.position = this.next(1);
    this.update();
  },

  /** The step behind (or before) the loop or call that the current step is the head of; the next step if it is none. */
  over(direction) {
    const level = (step) => step.depth + step.nesting;
    const here = this.steps[this.position];
    const isMark = (step) => ["round", "folded", "skipped", "omitted"].includes(step.kind);
    for (let next = this.position + direction; next >= 0 && next < this.steps.length; next += direction) {
      const step = this.steps[next];
      // Iterations of the loop that is jumped over are no place to stop at.
      const isSameLoop = isMark(here) && isMark(step) && step.nesting === here.nesting && step.depth === here.depth;
      if (this.isShown(next) && level(step) <= level(here) && step.depth <= here.depth && !isSameLoop) return next;
    }
    return direction > 0 ? this.steps.length - 1 : 0;
  },

  go(position) {
    this.position = Math.max(0, Math.min(this.steps.length - 1, position));
    if (!this.isShown(this.position)) this.position = this.next(1);
    this.update();
  },

  key(event) {
    const isElsewhere = event.target.closest("input, select, textarea, canvas, [role=tablist]");
    if (isElsewhere || event.ctrlKey || event.altKey || event.metaKey || tabs.current !== "source") return;
    const actions = {
      ArrowRight: () => this.go(event.shiftKey ? this.over(1) : this.next(1)),
      ArrowLeft: () => this.go(event.shiftKey ? this.over(-1) : this.next(-1)),
      Home: () => this.go(0),
      End: () => this.go(this.steps.length - 1),
      l: () => this.go(this.loop()),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  },

  /** The values of variables at a step: those of the frames that are active, and those of no frame. */
  state(position) {
    const globals = new Map();
    const frames = [];
    for (let index = 0; index <= position; index++) {
      const step = this.steps[index];
      const isCall = step.kind === "call";
      frames.length = Math.min(frames.length, step.depth + 1);
      // The changes of a call are the arguments of a new frame.
      if (isCall) frames[step.depth + 1] = new Map();
      for (const change of step.changes) {
        const frame = change.frame === null ? globals : (frames[change.frame] ??= new Map());
        frame.set(change.name, { ...change, changed: index === position });
      }
    }
    return { globals, frames };
  },

  update() {
    const step = this.steps[this.position];
    source.reveal(step.at);
    this.slider.value = this.position + 1;
    const changes = step.changes.map(changeText).join(", ");
    const text = [stepText(step), changes].filter((part) => part !== "").join(": ");
    this.status.replaceChildren(make("b", {}, `Step ${this.position + 1} of ${this.steps.length}`), " ", placeLink(step.at) ?? "",
      text ? make("span", { class: `what ${step.kind}` }, visible(text)) : "");
    this.showValues(this.state(this.position));
    this.showStack(step);
    const read = this.steps.slice(0, this.position + 1).reduce((most, other) => Math.max(most, other.number ?? 0), 0);
    Array.from(this.inputs.children).forEach((row, index) => {
      row.classList.toggle("read", index < read);
      row.classList.toggle("now", step.number === index + 1);
    });
    this.rows.forEach((row, index) => row.classList.toggle("current", index === this.position));
    scrollInto(this.list, this.rows[this.position]);
    byId("step-previous").disabled = byId("step-first").disabled = byId("step-back-over").disabled = this.position === 0;
    byId("step-next").disabled = byId("step-last").disabled = byId("step-over").disabled = this.position === this.steps.length - 1;
  },

  showValues({ globals, frames }) {
    const rows = [];
    const add = (title, values) => {
      const shown = Array.from(values.values()).filter((change) => change.matters || !this.relevant.checked);
      if (shown.length === 0) return;
      rows.push(make("tr", { class: "frame" }, make("th", { colspan: 3, scope: "rowgroup" }, title)));
      for (const change of shown) {
        rows.push(make("tr", { class: change.changed ? "changed" : "" },
          make("td", {}, visible(change.name)),
          make("td", {}, visible(change.value), change.changed ? make("span", { class: "sign", title: "changed in this step" }, " ●") : null),
          make("td", { class: "type" }, change.type)));
      }
    };
    const stack = data.stacks[this.steps[this.position].stack];
    // The innermost function first; of very deep stacks only the inner part is there.
    for (let depth = frames.length - 1; depth >= 0; depth--) {
      const frame = stack[stack.length - (this.steps[this.position].depth - depth) - 1];
      const callee = this.steps[this.position].kind === "call" && depth === this.steps[this.position].depth + 1;
      if (frames[depth]) add(callee ? `${this.steps[this.position].word}()` : frame ? `${frame.name}()` : "outer call", frames[depth]);
    }
    add("global", globals);
    if (rows.length === 0) rows.push(make("tr", {}, make("td", { colspan: 3, class: "empty" }, "no value is set yet")));
    this.values.replaceChildren(...rows);
  },

  showStack(step) {
    const frames = data.stacks[step.stack].slice().reverse().map((frame) =>
      make("li", {}, `${frame.name}()`, frame.at ? " called at " : "", placeLink(frame.at)));
    this.stack.replaceChildren(...frames);
  },
};
