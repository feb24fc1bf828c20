"use strict";
// Small helpers to make elements. Text is only ever set as text, never as markup.

/** The data that the page shows. */
const data = JSON.parse(document.getElementById("data").textContent);

/** An element: properties that are functions are listeners, the others attributes; children are elements or text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** An element of a drawing in SVG. */
function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function byId(id) {
  return document.getElementById(id);
}

/** A button; the label is what people hear if the face is a mere sign. */
function button(face, label, action, attributes = {}) {
  return make("button", { type: "button", "aria-label": label, title: label, click: action, ...attributes }, face);
}

/** "1 step", "2 steps". */
function plural(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

/** Text cut to a length. */
function cut(text, length) {
  return text.length <= length ? text : text.slice(0, length - 1) + "…";
}

/** A place in the source as a link that shows it; plain text if the file is not shown. */
function placeLink(at) {
  if (!at) return null;
  const file = data.files.find((candidate) => candidate.id === at[0]);
  if (!file) return document.createTextNode(`line ${at[1]}`);
  const name = data.files.length > 1 ? `${file.name.split("/").pop()}:${at[1]}` : `line ${at[1]}`;
  return make("a", {
    href: `#L${at[0]}-${at[1]}`,
    click: (event) => {
      event.preventDefault();
      tabs.show("source");
      source.reveal(at);
    },
  }, name);
}

/** The remarks (summaries, invariants) about loops that start in a line of a file. */
function remarksAt(remarks, file, line) {
  return remarks.filter((remark) => remark.at && remark.at[1] === line && (file === null || remark.at[0] === file));
}

/** All that is known of a place: contracts and invariants of the proof, then summaries. */
function knowledge(file, line) {
  if (!line) return [];
  const contracts = remarksAt(data.contracts, file, line).map((remark) => `ensures: ${remark.text}`);
  const invariants = remarksAt(data.invariants, file, line).map((remark) => `invariant: ${remark.text}`);
  const summaries = remarksAt(data.summaries, file, line).map((remark) => `summary of the ${remark.text.trimEnd()}`);
  return contracts.concat(invariants, summaries);
}
