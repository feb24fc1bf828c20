// The source: numbered lines, with contracts and invariants above the lines that they belong to and the failing check marked.

const WORDS = new Set(("auto break case char const continue default do double else enum extern float for goto if inline int long " +
  "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool").split(" "));
const TOKEN = /\/\/.*|\/\*|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[A-Za-z_]\w*|\.?\d[\w.]*|[^\w"'/.]+|[^]/uy;

/** Characters that change the direction of text could make a program look like another one: they are shown by number. */
function visible(text) {
  return text.replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu,
    (character) => `⟨U+${character.codePointAt(0).toString(16).toUpperCase()}⟩`);
}

/** The tokens of a line as [class, text]; whether a comment goes on is carried from line to line. */
function tokens(text, inComment) {
  if (!inComment && /^\s*#/.test(text)) return { found: [["directive", text]], inComment: false };
  const found = [];
  const add = (kind, token) => {
    const last = found[found.length - 1];
    // Few pieces make a fast page.
    if (last && last[0] === kind) last[1] += token;
    else found.push([kind, token]);
  };
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const token = inComment ? "" : TOKEN.exec(text)[0];
    if (inComment || token === "/*") {
      const end = text.indexOf("*/", at + token.length);
      const next = end < 0 ? text.length : end + 2;
      add("comment", text.slice(at, next));
      inComment = end < 0;
      at = next;
    } else {
      add(tokenClass(token), token);
      at += token.length;
    }
  }
  return { found, inComment };
}

function tokenClass(token) {
  if (token.startsWith("//")) return "comment";
  if (token[0] === '"' || token[0] === "'") return "string";
  if (WORDS.has(token)) return "word";
  if (/^\.?\d/.test(token)) return "number";
  return "";
}

const LINES_OF_BLOCK = 100;

/** The text of the program. */
const source = {
  /** Tokens by "file-line". */
  lines: new Map(),
  current: null,

  show() {
    const pane = byId("text");
    if (data.files.length === 0) pane.append(make("p", { class: "empty" }, "There is no program to show."));
    for (const file of data.files) pane.append(this.file(file));
    if (data.mark) this.annotate(data.mark, data.verdict === "unsafe" ? "violation" : "obstacle", "after");
    for (const contract of data.contracts) this.annotate(contract, "contract", "before");
    for (const invariant of data.invariants) this.annotate(invariant, "invariant", "before");
    // Outside of the pane, which would cut it.
    this.hint = document.body.appendChild(make("pre", { class: "tip", role: "tooltip", id: "hint", hidden: true }));
    for (const summary of data.summaries) this.explain(summary);
  },

  file(file) {
    const list = make("div", { class: "lines", role: "group", "aria-label": file.name });
    let inComment = false;
    let block = null;
    file.lines.forEach((text, index) => {
      // Blocks that are out of view are not laid out, so their height is a guess.
      if (index % LINES_OF_BLOCK === 0) {
        const height = Math.min(LINES_OF_BLOCK, file.lines.length - index) * 20;
        block = list.appendChild(make("div", { class: "block", style: `contain-intrinsic-size: auto ${height}px` }));
      }
      const scanned = tokens(text, inComment);
      inComment = scanned.inComment;
      const key = `${file.id}-${index + 1}`;
      this.lines.set(key, scanned.found);
      const code = make("code", {});
      this.fill(code, scanned.found, null);
      block.append(make("div", { class: "line", id: `L${key}` }, make("span", { class: "number" }, String(index + 1)), code));
    });
    if (file.omitted > 0) list.append(make("p", { class: "empty" }, `${plural(file.omitted, "more line")} not shown.`));
    return make("section", { class: "file" }, make("h2", {}, file.name), list);
  },

  /** Puts tokens into an element; characters from column `range[0]` up to `range[1]` are marked. */
  fill(code, found, range) {
    code.textContent = "";
    let column = 1;
    const put = (parent, kind, text) => parent.append(kind ? make("span", { class: kind }, visible(text)) : visible(text));
    if (!range) {
      for (const [kind, text] of found) put(code, kind, text);
      return;
    }
    for (const [kind, text] of found) {
      // Columns count characters, not the units of strings.
      const characters = Array.from(text);
      const from = Math.min(Math.max(range[0] - column, 0), characters.length);
      const to = Math.min(Math.max(range[1] - column, from), characters.length);
      const parts = [characters.slice(0, from), characters.slice(from, to), characters.slice(to)].map((part) => part.join(""));
      if (parts[0]) put(code, kind, parts[0]);
      if (parts[1]) {
        const last = code.lastChild;
        const mark = last && last.nodeName === "MARK" ? last : code.appendChild(make("mark", {}));
        put(mark, kind, parts[1]);
      }
      if (parts[2]) put(code, kind, parts[2]);
      column += characters.length;
    }
  },

  annotate(remark, kind, where) {
    const line = remark.at && byId(`L${remark.at[0]}-${remark.at[1]}`);
    if (!line) return;
    line.classList.add(`has-${kind}`);
    const indent = line.lastChild.textContent.match(/^\s*/)[0];
    const title = { contract: "ensures", invariant: "invariant", violation: "violated", obstacle: "unknown" }[kind];
    const note = make("div", { class: `note ${kind}` }, make("span", { class: "number" }, ""),
      make("code", {}, indent, make("b", {}, title), ` ${visible(remark.text)}`));
    if (where === "after") line.after(note);
    else line.before(note);
  },

  /** A sign at the number of a line whose loop has a summary; hovering or focus shows it. */
  explain(summary) {
    const line = summary.at && byId(`L${summary.at[0]}-${summary.at[1]}`);
    if (!line || line.querySelector(".sum")) return;
    const show = () => {
      this.hint.textContent = visible(knowledge(summary.at[0], summary.at[1]).join("\n\n"));
      this.hint.hidden = false;
      const box = line.getBoundingClientRect();
      this.hint.style.left = `${box.left + 60}px`;
      this.hint.style.top = `${Math.max(4, Math.min(box.bottom + 2, window.innerHeight - this.hint.offsetHeight - 8))}px`;
    };
    const hide = () => { this.hint.hidden = true; };
    line.firstChild.prepend(make("button", { type: "button", class: "sum", "aria-label": `Summary at line ${summary.at[1]}`, "aria-describedby": "hint",
      mouseenter: show, focus: show, mouseleave: hide, blur: hide }, "Σ"));
  },

  /** Highlights a place and scrolls to it. */
  reveal(at) {
    if (this.current) {
      const old = byId(`L${this.current}`);
      old.classList.remove("current");
      old.removeAttribute("aria-current");
      this.fill(old.lastChild, this.lines.get(this.current), null);
      this.current = null;
    }
    const key = at && `${at[0]}-${at[1]}`;
    const line = key && byId(`L${key}`);
    if (!line) return;
    this.current = key;
    line.classList.add("current");
    line.setAttribute("aria-current", "step");
    const end = at[3] > at[1] ? Infinity : at[4];
    this.fill(line.lastChild, this.lines.get(key), end > at[2] ? [at[2], end] : null);
    scrollInto(byId("text"), line);
  },
};

/** Scrolls a pane so that an element in it is in view, without moving the page around it. */
function scrollInto(pane, element) {
  if (pane.scrollHeight <= pane.clientHeight) {
    element.scrollIntoView({ block: "nearest" });
    return;
  }
  const outer = pane.getBoundingClientRect();
  const inner = element.getBoundingClientRect();
  const margin = Math.min(80, outer.height / 4);
  if (inner.top < outer.top + margin) pane.scrollTop += inner.top - outer.top - margin;
  else if (inner.bottom > outer.bottom - margin) pane.scrollTop += inner.bottom - outer.bottom + margin;
}
