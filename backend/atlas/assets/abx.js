"use strict";
// ABX's scores walked through: from a layer and checkpoint to its pairs of languages, and to one pair over all of them. What is
// said and drawn comes from backend/atlas/walk.py; here numbers are put into it. The address keeps the view, with the names
// that the dashboard's links have.
addEventListener("DOMContentLoaded", () => {
  const MANY = 20; // languages whose names need the whole width
  const at = (id) => document.getElementById(id);
  let grids = [];
  let grid = null;
  const chosen = { grid: 0, checkpoint: null, layer: null, source: null, target: null, order: "name", view: "Pairs", measure: null, to: null };
  let turn = 0; // whoever waited for data while something else was chosen draws nothing

  // --- figures

  // Return an element for each measure, in a place of the page, made where they are not there.
  function places(id, said) {
    const place = at(id), names = Object.keys(grid.measures);
    if (place.dataset.names !== names.join()) {
      place.replaceChildren(...names.map(() => Object.assign(document.createElement("div"), { className: "figure", role: "img" })));
      place.dataset.names = names.join();
    }
    names.forEach((name, i) => place.children[i].setAttribute("aria-label", `${grid.measures[name].title} ${said}`));
    return names.map((name, i) => [name, place.children[i]]);
  }

  async function drawOverview() {
    for (const [name, element] of places("overview", "by layer and checkpoint, mean over the pairs of languages")) {
      await atlas.draw(element, { ...grid.measures[name].overview, config: grid.config });
      element.removeAllListeners("plotly_click");
      element.on("plotly_click", ({ points: [point] }) => choose({ checkpoint: point.x, layer: point.y }));
    }
  }

  async function drawMatrices() {
    const mine = turn, order = grid.orders[chosen.order];
    const pairAt = pairsByEnds();
    const { pair: of } = await read(chosen.checkpoint, chosen.layer);
    if (mine !== turn) return;
    const rows = order.slice(1), columns = order.slice(0, -1), heads = grid.heads.languages;
    at("matrices").classList.toggle("wide", rows.length > MANY);
    for (const [name, element] of places("matrices", `of every pair of languages, ${cellSaid()}`)) {
      const measure = grid.measures[name];
      const figure = cells.filled(grid, measure.matrices[chosen.order], measure.said, rows.map((i) => heads[i]), columns.map((i) => heads[i]), (i, j) => {
        if (j > i) return null;
        const pair = pairAt.get(key(rows[i], columns[j]));
        return pair === undefined ? { value: NaN } : of(name, chosen.layer, pair);
      });
      const marked = marks(rows, columns);
      figure.layout = { ...figure.layout, shapes: [...(figure.layout.shapes || []), ...marked] };
      cells.fit(figure.layout, element.clientWidth, rows.length);
      await atlas.draw(element, figure);
      element.removeAllListeners("plotly_click");
      element.on("plotly_click", ({ points: [point] }) => {
        if (point.x <= point.y) choose({ source: rows[point.y], target: columns[point.x] });
      });
    }
    tellPairs(of);
  }

  // Frame the chosen pair, and the rows and columns of the languages that are searched for.
  function marks(rows, columns) {
    const line = { color: "#EE6412", width: 2 };
    const box = (x0, x1, y0, y1, more) => ({ type: "rect", x0, x1, y0, y1, line, xref: "x", yref: "y", ...more });
    const found = searched();
    const shapes = [];
    if (found.size < grid.languages.length) {
      rows.forEach((own, i) => found.has(own) && shapes.push(box(-0.5, i + 0.5, i - 0.5, i + 0.5, { line: { ...line, width: 1 } })));
      columns.forEach((own, j) => found.has(own) && shapes.push(box(j - 0.5, j + 0.5, j - 0.5, rows.length - 0.5, { line: { ...line, width: 1 } })));
    }
    if (chosen.source !== null) {
      const places = [chosen.source, chosen.target].map((own) => grid.orders[chosen.order].indexOf(own)).sort((a, b) => a - b);
      shapes.push(box(places[0] - 0.5, places[0] + 0.5, places[1] - 1.5, places[1] - 0.5));
    }
    return shapes;
  }

  async function drawMap() {
    const mine = turn, measure = grid.measures[chosen.measure], { to } = chosen, pairAt = pairsByEnds();
    const { pair, language } = await read(chosen.checkpoint, chosen.layer);
    const element = at("map");
    const figure = await map.figure(grid, measure, to, element.clientWidth, (place) => {
      if (to === null) return language(chosen.measure, chosen.layer, place);
      const found = pairAt.get(key(place, to));
      return found === undefined ? { value: NaN } : pair(chosen.measure, chosen.layer, found);
    });
    if (mine !== turn) return;
    element.setAttribute("aria-label", `${measure.title} of languages on a map, ${cellSaid()}`);
    await atlas.draw(element, figure);
    element.removeAllListeners("plotly_click");
    element.on("plotly_click", ({ points: [point] }) => point.customdata && choose({ to: point.customdata[0], view: "Map" }));
  }

  async function drawPair() {
    const mine = turn, pair = pairsByEnds().get(key(chosen.source, chosen.target));
    const layers = grid.layers.map((_, place) => place);
    let done = 0;
    const of = await Promise.all(grid.checkpoints.map(async (_, checkpoint) => {
      const own = grid.split ? await Promise.all(layers.map((layer) => read(checkpoint, layer))) : await read(checkpoint);
      if (mine === turn) at("pair-said").textContent = `Read ${++done} of ${grid.checkpoints.length} checkpoints …`;
      return own;
    }));
    if (mine !== turn) return;
    const scoreOf = (checkpoint, name, layer) => (grid.split ? of[checkpoint][layer] : of[checkpoint]).pair(name, layer, pair);
    const said = `${grid.names[chosen.source]} and ${grid.names[chosen.target]}`;
    for (const [name, element] of places("pair", `of ${said} by layer and checkpoint`)) {
      const measure = grid.measures[name];
      const figure = cells.filled(grid, measure.pair, measure.said, grid.heads.layers, grid.heads.checkpoints, (layer, checkpoint) =>
        pair === undefined ? { value: NaN } : scoreOf(checkpoint, name, layer));
      await atlas.draw(element, figure);
      element.removeAllListeners("plotly_click");
      element.on("plotly_click", ({ points: [point] }) => choose({ checkpoint: point.x, layer: point.y }));
    }
    const here = Object.entries(grid.measures).map(([name, measure]) =>
      `${measure.title} ${cells.inWords(pair === undefined ? { value: NaN } : scoreOf(chosen.checkpoint, name, chosen.layer), measure.said)}`);
    at("pair-said").textContent = `${said}, ${cellSaid()}: ${here.join("; ")}.`;
  }

  const read = (checkpoint, layer) => scores.of(grid, chosen.grid, checkpoint, layer);

  // --- words

  const key = (one, other) => Math.min(one, other) * 100000 + Math.max(one, other);

  function pairsByEnds() {
    grid.byEnds ??= new Map(grid.pairs.map(([one, other], place) => [key(one, other), place]));
    return grid.byEnds;
  }

  function cellSaid() {
    return `layer ${grid.layers[chosen.layer]}, ${grid.checkpoints[chosen.checkpoint]}`;
  }

  // Return the places of the languages whose name, tag, family or script begins a word with what is searched for.
  function searched() {
    const words = at("search").value.toLocaleLowerCase().split(",").map((word) => word.trim()).filter(Boolean);
    const fits = (place) => {
      const said = ` ${grid.names[place]} ${grid.languages[place]} ${grid.groups[place].join(" ")}`.toLocaleLowerCase();
      return words.some((word) => said.includes(` ${word}`));
    };
    return new Set(grid.languages.map((_, place) => place).filter((place) => !words.length || fits(place)));
  }

  // List the pairs of this layer and checkpoint that are searched for: what the matrices show, to read.
  function tellPairs(of) {
    const found = searched(), names = Object.keys(grid.measures);
    const every = grid.pairs.map(([one, other], pair) => ({ one, other, pair })).filter(({ one, other }) => found.has(one) || found.has(other));
    at("pairs-count").textContent = `${every.length} of ${grid.pairs.length} pairs at ${cellSaid()}`;
    if (!at("pairs-list").open) return;
    const cell = (kind, text, name) => Object.assign(document.createElement(kind), { textContent: text, className: name || "" });
    const row = (...cells) => {
      const made = document.createElement("tr");
      made.append(...cells);
      return made;
    };
    const head = row(cell("th", "Languages"), ...names.map((name) => cell("th", grid.measures[name].unit)));
    const rows = every.slice(0, 3000).map(({ one, other, pair }) =>
      row(cell("td", `${grid.names[one]} – ${grid.names[other]}`), ...names.map((name) => cell("td", cells.inWords(of(name, chosen.layer, pair), grid.measures[name].said), "number"))));
    at("pairs-table").replaceChildren(head, ...rows);
  }

  function showControls() {
    const picked = chosen.checkpoint !== null, paired = picked && chosen.source !== null;
    for (const [name, count, value, said] of [
      ["checkpoint", grid.checkpoints.length, chosen.checkpoint, grid.checkpoints[chosen.checkpoint]],
      ["layer", grid.layers.length, chosen.layer, grid.layers[chosen.layer]],
    ]) {
      at(name).max = count - 1;
      at(name).value = value ?? Math.floor(count / 2);
      at(name).setAttribute("aria-valuetext", String(said ?? ""));
      at(`${name}-said`).textContent = said ?? "not chosen";
    }
    at("order").value = chosen.order;
    atlas.options(at("source"), grid.names, chosen.source);
    atlas.options(at("target"), grid.names, chosen.target);
    atlas.options(at("map-measure"), Object.values(grid.measures).map(({ title }) => title), Object.keys(grid.measures).indexOf(chosen.measure));
    atlas.options(at("map-to"), ["Mean over its pairs", ...grid.names], chosen.to === null ? 0 : chosen.to + 1);
    at("map-section").hidden = !grid.map;
    at("map-said").textContent = grid.map ? `${grid.map.credits} Click one: its scores with all others.` : "";
    at("pairs-list").hidden = at("matrices").hidden = at("map").hidden = !picked;
    at("pair").hidden = !paired;
    if (!paired) at("pair-said").textContent = picked ? "Choose two languages, or a cell above." : "";
    at("said").textContent = `${grid.corpus} · ${grid.protocol} · ${grid.languages.length} languages, ${grid.pairs.length} pairs`;
  }

  // --- the view

  function choose(change) {
    Object.assign(chosen, change);
    if (chosen.source !== null && chosen.source === chosen.target) chosen.source = chosen.target = null;
    if (chosen.source !== null && chosen.checkpoint === null) chosen.checkpoint = grid.checkpoints.length - 1;
    if (chosen.checkpoint !== null) chosen.layer ??= Math.floor(grid.layers.length / 2);
    if (chosen.layer !== null) chosen.checkpoint ??= grid.checkpoints.length - 1;
    history.replaceState(null, "", `#${fragment()}`);
    return show();
  }

  async function show() {
    turn += 1;
    showControls();
    try {
      if (chosen.checkpoint !== null) await drawMatrices();
      if (chosen.checkpoint !== null && grid.map) await drawMap();
      if (chosen.source !== null) await drawPair();
      at("problem").textContent = "";
    } catch (error) {
      at("problem").textContent = error.message;
    }
    document.documentElement.dataset.shown = String(turn);
  }

  const languageSaid = (place) => `${grid.names[place]} · ${grid.languages[place]}`;

  function fragment() {
    const words = new URLSearchParams({ model: grid.model, corpus: grid.corpus });
    if (grids.filter((each) => each.model === grid.model && each.corpus === grid.corpus).length > 1) words.set("protocol", grid.protocol);
    if (chosen.checkpoint !== null) {
      words.set("view", chosen.view);
      words.set("pair_model", grid.model);
      words.set("pair_checkpoint", grid.checkpoints[chosen.checkpoint]);
      words.set("pair_layer", grid.layers[chosen.layer]);
    }
    if (chosen.source !== null) {
      words.set("pair_source", languageSaid(chosen.source));
      words.set("pair_target", languageSaid(chosen.target));
    }
    if (chosen.measure !== Object.keys(grid.measures)[0]) words.set("map_measure", chosen.measure);
    if (chosen.to !== null) words.set("map_to", grid.languages[chosen.to]);
    if (chosen.order !== "name") words.set("order", chosen.order);
    return words.toString();
  }

  // Take over what the address asks for, as far as it is there.
  function fromAddress() {
    const words = new URLSearchParams(location.hash.slice(1));
    const model = words.get("pair_model") || words.get("model");
    const fits = (each) => (!model || each.model === model) && (!words.get("corpus") || each.corpus === words.get("corpus")) && (!words.get("protocol") || each.protocol === words.get("protocol"));
    chosen.grid = Math.max(0, grids.findIndex(fits));
    grid = grids[chosen.grid];
    const place = (list, value) => (list.indexOf(value) < 0 ? null : list.indexOf(value));
    const language = (name) => place(grid.languages, (words.get(name) || "").split(" · ").pop());
    chosen.checkpoint = place(grid.checkpoints, words.get("pair_checkpoint"));
    chosen.layer = place(grid.layers.map(String), words.get("pair_layer"));
    chosen.source = language("pair_source");
    chosen.target = language("pair_target");
    if (chosen.source === null || chosen.target === null) chosen.source = chosen.target = null;
    chosen.order = Object.hasOwn(grid.orders, words.get("order")) ? words.get("order") : "name";
    chosen.view = words.get("view") === "Map" ? "Map" : "Pairs";
    chosen.measure = Object.hasOwn(grid.measures, words.get("map_measure")) ? words.get("map_measure") : Object.keys(grid.measures)[0];
    chosen.to = language("map_to");
    if (chosen.source !== null || chosen.layer !== null || words.has("view")) chosen.checkpoint ??= grid.checkpoints.length - 1;
    if (chosen.checkpoint !== null) chosen.layer ??= Math.floor(grid.layers.length / 2);
  }

  async function open() {
    fromAddress();
    at("grid").value = chosen.grid;
    await drawOverview();
    await show();
    if (chosen.view === "Map") at("map-section").scrollIntoView();
    document.documentElement.dataset.drawn = "all";
  }

  async function start() {
    grids = await atlas.load("grids");
    atlas.options(at("grid"), grids.map((each) => `${each.model} · ${each.corpus} · ${each.protocol}`), 0);
    at("grid").closest(".controls").hidden = grids.length < 2;
    await open();
    at("grid").addEventListener("change", () => {
      const { model, corpus, protocol } = grids[at("grid").value];
      location.hash = new URLSearchParams({ model, corpus, protocol }).toString();
    });
    for (const name of ["checkpoint", "layer", "source", "target"]) {
      at(name).addEventListener("input", () => choose({ [name]: Number(at(name).value), ...other(name), ...(name in { source: 0, target: 0 } ? { view: "Pairs" } : {}) }));
    }
    at("order").addEventListener("change", () => choose({ order: at("order").value }));
    at("map-measure").addEventListener("change", () => choose({ measure: Object.keys(grid.measures)[at("map-measure").value], ...onMap() }));
    at("map-to").addEventListener("change", () => choose({ to: Number(at("map-to").value) - 1 < 0 ? null : Number(at("map-to").value) - 1, ...onMap() }));
    at("search").addEventListener("input", () => chosen.checkpoint !== null && show());
    at("pairs-list").addEventListener("toggle", () => chosen.checkpoint !== null && drawMatrices());
    addEventListener("hashchange", open);
  }

  // Who uses the map's controls wants to see one.
  function onMap() {
    return { view: "Map", checkpoint: chosen.checkpoint ?? grid.checkpoints.length - 1 };
  }

  // A first language chosen alone is set beside another: a pair has two.
  function other(name) {
    if (chosen.source !== null || (name !== "source" && name !== "target")) return {};
    const own = Number(at(name).value), partner = own === 0 ? 1 : 0;
    return name === "source" ? { target: partner } : { source: partner };
  }

  start().catch((error) => {
    at("problem").textContent = error.message;
  });
});
