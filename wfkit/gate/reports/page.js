"use strict";
// Lists the workflows of the embedded data; what a workflow's section shows is made when it is first opened.

const FIRST = 50;
const MORE = 200;
const REASONS = 6;
const SVG = "http://www.w3.org/2000/svg";
const MARKS = { fail: "✗", unmeasured: "?", review: "!", waived: "~", pass: "✓" };
const STATES = ["same", "lost", "added", "merged", "moved", "reworded"];

const data = JSON.parse(document.getElementById("data").textContent);
const list = document.getElementById("list");
const more = document.getElementById("more");
const search = document.getElementById("search");
const ruleChoice = document.getElementById("rule");
const hiddenStatuses = new Set();
let found = [];
let shown = 0;

function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// --- The list ---------------------------------------------------------------------------------------------------

function haystack(row) {
  if (!row.words) {
    const parts = [row.id, row.golden, row.source, row.why, ...row.rules, ...(row.detail ? row.detail.reasons : [])];
    row.words = parts.join("\n").toLowerCase();
  }
  return row.words;
}

function refresh() {
  const wanted = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  found = data.rows.filter(
    (row) =>
      !hiddenStatuses.has(row.status) &&
      (!ruleChoice.value || row.rules.includes(ruleChoice.value)) &&
      wanted.every((word) => haystack(row).includes(word)),
  );
  list.replaceChildren();
  shown = 0;
  showMore(FIRST);
  document.getElementById("count").textContent =
    found.length === data.rows.length ? `${found.length} workflows` : `${found.length} of ${data.rows.length} workflows`;
}

function showMore(count) {
  list.append(...found.slice(shown, shown + count).map(itemOf));
  shown = Math.min(found.length, shown + count);
  more.hidden = shown >= found.length;
  more.textContent = `Show more (${found.length - shown} left)`;
}

function itemOf(row) {
  const word = row.changed ? "passed changed" : data.words[row.status];
  const summary = make(
    "summary",
    {},
    make("span", { class: `badge ${row.status}` }, `${MARKS[row.status]} ${word}`),
    make("span", { class: "id" }, row.id),
    make("span", { class: "rules" }, row.rules.join(", ")),
  );
  if (row.why) summary.append(make("span", { class: "why" }, row.why));
  const details = make("details", {}, summary);
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) {
      details.append(bodyOf(row));
      for (const panel of details.querySelectorAll(".scroll")) panel.scrollLeft = (panel.scrollWidth - panel.clientWidth) / 2;
    }
    if (details.open) history.replaceState(null, "", `#${encodeURIComponent(row.id)}`);
  });
  row.element = details;
  return make("li", {}, details);
}

function bodyOf(row) {
  const body = make("div", { class: "body" });
  body.append(make("p", { class: "soft" }, `Golden ${row.golden} from ${row.source}`));
  if (row.detail) {
    body.append(...reasonsOf(row.detail.reasons));
    if (row.detail.drawing) body.append(...graphsOf(row.detail.drawing));
  } else if (row.leftOut) {
    body.append(make("p", {}, "The details of this workflow are left out, to keep this page small."));
  }
  body.append(scoresOf(row));
  return body;
}

// All of them where they are few, else the first ones with the others folded away.
function reasonsOf(reasons) {
  const items = reasons.map((line) => make("li", {}, line));
  if (!items.length) return [];
  if (items.length <= REASONS + 2) return [make("ul", {}, ...items)];
  const folded = make("details", {}, make("summary", {}, `${items.length - REASONS} more`), make("ul", {}, ...items.slice(REASONS)));
  return [make("ul", {}, ...items.slice(0, REASONS)), folded];
}

function scoresOf(row) {
  const rows = data.metrics.map((metric, place) => {
    const value = row.scores[place];
    const shownValue = value === null ? "not measured" : value === false ? "not in the record" : String(value);
    const bars = metric.bars.map((bar) => `${bar.action} below ${bar.below}`).join("; ");
    return make("tr", {}, make("td", {}, metric.name), make("td", { class: "number" }, shownValue), make("td", {}, bars));
  });
  const head = ["metric", "score", "bars"].map((title) => make("th", { scope: "col" }, title));
  return make(
    "table",
    {},
    make("caption", {}, "Scores"),
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...rows),
  );
}

// --- Both workflows side by side ----------------------------------------------------------------------------------

function graphsOf(drawing) {
  const similarities = new Map(drawing.partners.map(([, place, value]) => [place, value]));
  const sides = make(
    "div",
    { class: "graphs" },
    figureOf("Golden", drawing.golden, new Map(), false),
    figureOf("Candidate", drawing.candidate, similarities, true),
  );
  const parts = [sides, legendOf(drawing)];
  for (const note of drawing.notes) parts.push(make("p", { class: "soft" }, note));
  parts.push(stepsAsText(drawing));
  return parts;
}

function figureOf(title, side, similarities, isCandidate) {
  const count = side.steps.length + side.hidden;
  const caption = make("figcaption", {}, `${title}: ${count === 1 ? "1 step" : `${count} steps`}`);
  const figure = make("figure", {}, caption);
  if (side.steps.length) {
    const label = `${title} as a graph; its steps are listed as text below`;
    const picture = pictureOf(side, similarities, isCandidate, label);
    figure.append(make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label }, picture));
  }
  return figure;
}

function legendOf(drawing) {
  const present = new Set();
  for (const side of [drawing.golden, drawing.candidate]) for (const step of side.steps) present.add(STATES[step[2]]);
  present.delete("same");
  const meanings = {
    lost: "lost: dashed box",
    added: "added: thick round box",
    merged: "merged: double box",
    moved: "moved: slanted box",
    reworded: "reworded: box with a bar",
  };
  const items = [...present].map((state) => make("li", {}, meanings[state]));
  if (drawing.golden.edges.some((edge) => edge[2])) items.push(make("li", {}, "dashed arrow: dependency lost"));
  if (drawing.candidate.edges.some((edge) => edge[2])) items.push(make("li", {}, "thick arrow: dependency gained"));
  return make("ul", { class: "legend" }, ...items);
}

function stepsAsText(drawing) {
  const said = ([id, text, state]) => `${id}: ${text}${state ? ` (${STATES[state]})` : ""}`;
  const byGolden = new Map();
  const taken = new Set();
  for (const [step, partner, value] of drawing.partners) {
    byGolden.set(step, [partner, value]);
    taken.add(partner);
  }
  const rows = drawing.golden.steps.map((step, place) => {
    const [partner, value] = byGolden.get(place) || [null, null];
    return [said(step), value === null ? "" : value.toFixed(2), partner === null ? "" : said(drawing.candidate.steps[partner])];
  });
  drawing.candidate.steps.forEach((step, place) => {
    if (!taken.has(place)) rows.push(["", "", said(step)]);
  });
  const head = ["golden step", "similarity", "candidate step"].map((title) => make("th", { scope: "col" }, title));
  const lines = rows.map((cells) =>
    make("tr", {}, make("td", {}, cells[0]), make("td", { class: "number" }, cells[1]), make("td", {}, cells[2])),
  );
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...lines));
  return make("details", {}, make("summary", {}, "Steps as text"), table);
}

// --- A layered drawing of one workflow ----------------------------------------------------------------------------

const BOX_WIDTH = 216;
const LINE_HEIGHT = 15;
const LINES = 5;
const GAP = 20;
const LAYER_GAP = 34;
const PASS_WIDTH = 14;

const ruler = document.createElement("canvas").getContext("2d");
ruler.font = "12px system-ui, sans-serif";

function widthOf(text) {
  return ruler.measureText(text).width;
}

function wrapped(text, room) {
  const lines = [];
  let line = "";
  for (const word of text.split(" ").flatMap((part) => pieces(part, room))) {
    const longer = line ? `${line} ${word}` : word;
    if (line && widthOf(longer) > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  lines.push(line);
  if (lines.length > LINES) {
    lines.length = LINES;
    lines[LINES - 1] = `${lines[LINES - 1].slice(0, -1)}…`;
  }
  return lines;
}

// A word in parts that have room: most words are one part.
function pieces(word, room) {
  if (widthOf(word) <= room) return [word];
  const parts = [""];
  for (const mark of word) {
    if (widthOf(parts[parts.length - 1] + mark) > room) parts.push("");
    parts[parts.length - 1] += mark;
  }
  return parts;
}

// Edges without those that close a cycle, which a broken workflow may have.
function forwardEdges(count, edges) {
  const followers = Array.from({ length: count }, () => []);
  edges.forEach(([source, target], number) => followers[source].push([target, number]));
  const state = new Array(count).fill(0);
  const closing = new Set();
  for (let root = 0; root < count; root += 1) {
    if (state[root]) continue;
    const path = [[root, 0]];
    state[root] = 1;
    while (path.length) {
      const top = path[path.length - 1];
      const next = followers[top[0]][top[1]];
      top[1] += 1;
      if (!next) {
        state[top[0]] = 2;
        path.pop();
      } else if (state[next[0]] === 1) closing.add(next[1]);
      else if (!state[next[0]]) {
        state[next[0]] = 1;
        path.push([next[0], 0]);
      }
    }
  }
  return edges.map((edge, number) => (closing.has(number) ? null : edge)).filter(Boolean);
}

function ranksOf(count, edges) {
  const ranks = new Array(count).fill(0);
  const waiting = new Array(count).fill(0);
  for (const [, target] of edges) waiting[target] += 1;
  const ready = [...waiting.keys()].filter((place) => !waiting[place]);
  while (ready.length) {
    const place = ready.shift();
    for (const [source, target] of edges) {
      if (source !== place) continue;
      ranks[target] = Math.max(ranks[target], ranks[place] + 1);
      waiting[target] -= 1;
      if (!waiting[target]) ready.push(target);
    }
  }
  return ranks;
}

// Boxes and, where an edge passes a layer, narrow places that keep its way free; in layers from top to bottom.
function layersOf(boxes, edges) {
  const ranks = ranksOf(boxes.length, edges);
  const layers = Array.from({ length: Math.max(...ranks) + 1 }, () => []);
  boxes.forEach((box, place) => layers[ranks[place]].push(box));
  const ways = edges.map((edge) => {
    const way = [boxes[edge[0]]];
    for (let rank = ranks[edge[0]] + 1; rank < ranks[edge[1]]; rank += 1) {
      const place = { width: PASS_WIDTH, height: 0, above: [], below: [] };
      layers[rank].push(place);
      way.push(place);
    }
    way.push(boxes[edge[1]]);
    for (let number = 1; number < way.length; number += 1) {
      way[number - 1].below.push(way[number]);
      way[number].above.push(way[number - 1]);
    }
    return { way, changed: edge[2] };
  });
  return { layers, ways };
}

function arrange(layers) {
  const number = (layer) => layer.forEach((item, place) => (item.place = place));
  layers.forEach(number);
  for (let round = 0; round < 6; round += 1) {
    const down = round % 2 === 0;
    for (const layer of down ? layers : [...layers].reverse()) {
      for (const item of layer) {
        const others = down ? item.above : item.below;
        item.weight = others.length ? others.reduce((sum, other) => sum + other.place, 0) / others.length : item.place;
      }
      layer.sort((a, b) => a.weight - b.weight);
      number(layer);
    }
  }
  const widths = layers.map((layer) => layer.reduce((sum, item) => sum + item.width + GAP, -GAP));
  const width = Math.max(...widths);
  let top = 2;
  layers.forEach((layer, rank) => {
    const height = Math.max(...layer.map((item) => item.height));
    let left = (width - widths[rank]) / 2;
    for (const item of layer) {
      item.x = left + item.width / 2;
      item.top = top + (height - item.height) / 2;
      item.bottom = item.top + item.height;
      left += item.width + GAP;
    }
    top += height + LAYER_GAP;
  });
  return { width: width + 8, height: top - LAYER_GAP + 4 };
}

function pictureOf(side, similarities, isCandidate, label) {
  const boxes = side.steps.map((step, place) => {
    const state = STATES[step[2]];
    const value = similarities.get(place);
    const likeness = state === "reworded" && typeof value === "number" ? ` ${value.toFixed(2)}` : "";
    const tag = state === "same" ? "" : `${state}${likeness}`;
    const lines = wrapped(`${step[0]}: ${step[1]}`, BOX_WIDTH - 26);
    const height = (lines.length + (tag ? 1 : 0)) * LINE_HEIGHT + 12;
    return { width: BOX_WIDTH, height, above: [], below: [], lines, tag, state, full: `${step[0]}: ${step[1]}` };
  });
  const { layers, ways } = layersOf(boxes, forwardEdges(boxes.length, side.edges));
  const size = arrange(layers);
  const picture = draw("svg", {
    viewBox: `-4 0 ${size.width} ${size.height}`, width: size.width, height: size.height, role: "img", "aria-label": label,
  });
  // Wide graphs are scaled down only as long as they can be read; then their panel scrolls.
  picture.style.minWidth = `${Math.min(size.width, Math.max(240, Math.round(size.width * 0.85)))}px`;
  picture.append(...ways.map((one) => arrowOf(one, isCandidate)), ...boxes.map(boxOf));
  return picture;
}

function arrowOf({ way, changed }, isCandidate) {
  let path = `M${way[0].x},${way[0].bottom}`;
  for (let number = 1; number < way.length; number += 1) {
    const [from, to] = [way[number - 1], way[number]];
    const end = number === way.length - 1 ? to.top - 6 : to.top;
    const middle = (from.bottom + end) / 2;
    path += ` C${from.x},${middle} ${to.x},${middle} ${to.x},${end}`;
    if (to.bottom > to.top || number < way.length - 1) path += ` L${to.x},${number === way.length - 1 ? end : to.bottom}`;
  }
  const last = way[way.length - 1];
  const tip = `M${last.x - 4.5},${last.top - 8} L${last.x + 4.5},${last.top - 8} L${last.x},${last.top - 0.5} Z`;
  const kind = changed ? `changed${isCandidate ? " new" : ""}` : "";
  const group = draw("g", { class: kind }, draw("path", { class: "edge", d: path }), draw("path", { class: "tip", d: tip }));
  if (changed) group.append(draw("title", {}, isCandidate ? "dependency gained" : "dependency lost"));
  return group;
}

function boxOf(box) {
  const left = box.x - box.width / 2;
  const place = { x: left, y: box.top, width: box.width, height: box.height };
  const group = draw("g", { class: box.state }, draw("title", {}, box.tag ? `${box.tag} – ${box.full}` : box.full));
  if (box.state === "moved") {
    const [right, slant] = [left + box.width, 10];
    const corners = `${left + slant},${box.top} ${right},${box.top} ${right - slant},${box.bottom} ${left},${box.bottom}`;
    group.append(draw("polygon", { class: "box", points: corners }));
  } else {
    group.append(draw("rect", { class: "box", ...place, rx: box.state === "added" ? 14 : 4 }));
  }
  if (box.state === "merged") {
    const inner = { x: left + 4, y: box.top + 4, width: box.width - 8, height: box.height - 8, rx: 2 };
    group.append(draw("rect", { class: "box", ...inner }));
  }
  if (box.state === "reworded") group.append(draw("rect", { class: "bar", x: left, y: box.top, width: 6, height: box.height }));
  let line = box.top + LINE_HEIGHT + 1;
  if (box.tag) {
    group.append(draw("text", { class: "tag", x: left + 14, y: line }, box.tag));
    line += LINE_HEIGHT;
  }
  for (const text of box.lines) {
    group.append(draw("text", { x: left + 14, y: line }, text));
    line += LINE_HEIGHT;
  }
  return group;
}

// --- Start --------------------------------------------------------------------------------------------------------

function statusButton(status, count) {
  const label = `${MARKS[status]} ${data.words[status]} (${count})`;
  const button = make("button", { type: "button", "aria-pressed": "true", "data-status": status }, label);
  button.addEventListener("click", () => {
    const wasShown = button.getAttribute("aria-pressed") === "true";
    button.setAttribute("aria-pressed", String(!wasShown));
    if (wasShown) hiddenStatuses.add(status);
    else hiddenStatuses.delete(status);
    refresh();
  });
  return button;
}

function openNamed() {
  let name = location.hash.slice(1);
  try {
    name = decodeURIComponent(name);
  } catch {
    return;
  }
  const place = found.findIndex((row) => row.id === name);
  if (place < 0) return;
  if (place >= shown) showMore(place - shown + 1);
  found[place].element.open = true;
  found[place].element.scrollIntoView();
}

function start() {
  const counts = new Map();
  for (const row of data.rows) counts.set(row.status, (counts.get(row.status) || 0) + 1);
  for (const status of Object.keys(MARKS)) {
    if (counts.has(status)) document.getElementById("statuses").append(statusButton(status, counts.get(status)));
  }
  for (const rule of data.rules) ruleChoice.append(make("option", { value: rule }, rule));
  const form = document.getElementById("controls");
  form.hidden = data.rows.length === 0;
  form.addEventListener("submit", (event) => event.preventDefault());
  search.addEventListener("input", refresh);
  ruleChoice.addEventListener("change", refresh);
  more.addEventListener("click", () => showMore(MORE));
  refresh();
  openNamed();
}

start();
