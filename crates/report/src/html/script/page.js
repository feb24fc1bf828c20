// Puts the page together.

/** The parts of the page, one shown at a time; on paper all of them. */
const tabs = {
  names: ["source", "verdicts", "automata", "tree", "figures"],
  current: null,
  /** What is made when it is first looked at. */
  waiting: {},

  start() {
    this.names = this.names.filter((name) => {
      const isThere = this.waiting[name] !== null;
      byId(`tab-${name}`).hidden = !isThere;
      return isThere;
    });
    for (const name of this.names) byId(`tab-${name}`).addEventListener("click", () => this.show(name));
    byId("tabs").addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = this.names[(this.names.indexOf(this.current) + step + this.names.length) % this.names.length];
      this.show(next);
      byId(`tab-${next}`).focus();
    });
    window.addEventListener("beforeprint", () => {
      this.names.forEach((name) => this.prepare(name));
      byId("about").open = true;
    });
    const wanted = location.hash.slice(1);
    this.show(this.names.includes(wanted) ? wanted : "source");
  },

  prepare(name) {
    const make = this.waiting[name];
    this.waiting[name] = undefined;
    if (make) make();
  },

  show(name) {
    if (this.current === name) return;
    this.current = name;
    for (const other of ["source", "verdicts", "automata", "tree", "figures"]) {
      byId(other).classList.toggle("shown", other === name);
      byId(`tab-${other}`).setAttribute("aria-selected", String(other === name));
      byId(`tab-${other}`).tabIndex = other === name ? 0 : -1;
    }
    this.prepare(name);
  },
};

/** The verdict and what it rests on. */
function showHeader() {
  document.documentElement.dataset.verdict = data.verdict;
  const [word, ...rest] = data.headline.split(": ");
  byId("headline").append(make("span", { class: "badge" }, word), " ", visible(rest.join(": ")));
  byId("checks").textContent = data.checks.concat(data.advice ? [`what may help: ${data.advice}`] : []).map(visible).join(" · ");
  const facts = byId("facts");
  facts.append(make("dl", {}, ...data.facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, visible(value))])));
  if (data.ledger.length > 0) {
    facts.append(make("div", {}, make("h3", {}, "This rests on"),
      make("ul", { id: "ledger" }, ...data.ledger.map((entry) => make("li", {}, visible(entry.text), " ", placeLink(entry.at))))));
  }
}

/** Beside the source of what is no execution: contracts and invariants, or nothing. */
function showEvidence() {
  const side = byId("side");
  if (data.contracts.length > 0) {
    side.append(make("h2", {}, "Contracts"), make("p", {}, "They hold whenever the function returns."),
      make("ul", { id: "contracts" }, ...data.contracts.map((contract) => make("li", {}, placeLink(contract.at), " ", make("code", {}, visible(contract.text))))));
  }
  if (data.invariants.length > 0) {
    side.append(make("h2", {}, "Invariants"), make("p", {}, "They hold whenever the condition of the loop is evaluated."),
      make("ul", { id: "invariants" }, ...data.invariants.map((invariant) => make("li", {}, placeLink(invariant.at), " ", make("code", {}, visible(invariant.text))))));
    if (data.invariants_suffice === false) side.append(make("p", {}, "They are not a proof by themselves: the checked one is longer."));
    if (data.invariants_suffice === true) side.append(make("p", {}, "They are a proof by themselves."));
  }
  if (data.summaries.length > 0) {
    side.append(make("h2", {}, "Summaries"), make("p", {}, "What all paths to the error have in common."),
      ...data.summaries.map((summary) => make("details", { open: data.summaries.length < 4 }, make("summary", {}, summary.text.split("\n")[0]),
        make("pre", {}, visible(summary.text.split("\n").slice(1).join("\n"))))));
  }
  if (side.childElementCount === 0) side.hidden = true;
}

/** Bars with their values. */
function chart(title, bars, format) {
  const most = Math.max(...bars.map((bar) => bar.value), 1e-12);
  const rowHeight = 24;
  const rows = bars.flatMap((bar, index) => [
    makeSvg("text", { x: 150, y: index * rowHeight + 16, "text-anchor": "end" }, cut(bar.name, 22)),
    makeSvg("rect", { x: 158, y: index * rowHeight + 4, width: Math.max(1, bar.value / most * 300), height: 16, class: `bar ${bar.tone ?? ""}` }),
    makeSvg("text", { x: 164 + bar.value / most * 300, y: index * rowHeight + 16, class: "value" }, format(bar)),
  ]);
  const label = `${title}: ${bars.map((bar) => `${bar.name} ${format(bar)}`).join(", ")}`;
  return make("figure", {}, make("figcaption", {}, title),
    makeSvg("svg", { viewBox: `0 0 580 ${bars.length * rowHeight + 4}`, role: "img", "aria-label": label }, ...rows));
}

/** The verdict about each check, those that fail or are open first. */
function showVerdicts() {
  const panel = byId("verdicts");
  const rank = { fails: 0, open: 1, holds: 2 };
  const rows = data.verdicts.map((row, index) => [rank[row.state], index, row]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  panel.append(make("table", { id: "checks-table" },
    make("thead", {}, make("tr", {}, ...["Verdict", "Place", "Check", "Expression", "Why"].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows.map(([, , row]) => make("tr", { class: row.state }, make("td", {}, row.state), make("td", {}, placeLink(row.at)),
      make("td", {}, row.kind), make("td", {}, make("code", {}, visible(row.what))), make("td", {}, visible(row.why)))))));
  if (data.unreached.length > 0) {
    panel.append(make("h2", {}, "Never executed"),
      make("ul", { id: "unreached" }, ...data.unreached.map((remark) => make("li", {}, visible(remark.text), " ", placeLink(remark.at)))));
  }
}

function seconds(value) {
  return value >= 1 ? `${value.toFixed(2)} s` : value >= 0.001 ? `${(value * 1000).toFixed(1)} ms` : `${(value * 1e6).toFixed(0)} µs`;
}

function showFigures() {
  const panel = byId("figures");
  const charts = make("div", { class: "charts" });
  const byTime = (bars) => bars.map((bar) => ({ ...bar, value: bar.seconds })).sort((a, b) => b.value - a.value);
  if (data.stages.length > 0) charts.append(chart("Time by stage, without the stages inside", byTime(data.stages).slice(0, 12), (bar) => seconds(bar.value)));
  if (data.queries.length > 0) {
    charts.append(chart("Solver queries by answer", data.queries.map((bar) => ({ ...bar, value: bar.count })), (bar) => bar.value.toLocaleString("en")));
    charts.append(chart("Time in the solver by answer", byTime(data.queries), (bar) => seconds(bar.value)));
  }
  if (data.tree) {
    const count = (state) => data.tree.states.filter((value) => value === state).length;
    charts.append(chart("Nodes of the search tree", STATES.map((name, state) => ({ name, value: count(state) })), (bar) => bar.value.toLocaleString("en")));
  }
  const number = ([name, value]) => name.endsWith("seconds") ? seconds(value) : value.toLocaleString("en");
  const rows = data.statistics.map((entry) => make("tr", {}, make("th", { scope: "row" }, entry[0].replace(/ seconds$/, "")), make("td", {}, number(entry))));
  panel.append(charts);
  if (rows.length > 0) panel.append(make("h2", {}, "All figures"), make("table", { id: "statistics" }, make("tbody", {}, ...rows)));
  panel.append(make("p", { class: "legend" }, `${data.tool.name} ${data.tool.version}`));
}

showHeader();
source.show();
tabs.waiting = {
  source: () => (trace.exists ? trace.show() : showEvidence()),
  verdicts: data.verdicts.length > 0 ? showVerdicts : null,
  automata: automata.exists ? () => automata.show() : null,
  tree: tree.exists ? () => tree.show() : null,
  figures: data.statistics.length > 0 ? showFigures : null,
};
tabs.start();
// For scripts that drive the page.
window.wayproof = { data, source, trace, automata, tree, tabs };
