"use strict";
// A family's scores walked through: from a layer and checkpoint to its pairs of languages, and to one pair over all of them. What
// is said and drawn comes from backend/atlas/walk.py; here numbers are put into it. The address keeps the view, with the names
// that the dashboard's links have.
addEventListener("DOMContentLoaded", () => {
  const MANY = 20; // languages whose names need the whole width
  const NEAR = 200; // pixels beyond the window within which a figure is drawn
  const at = (id) => document.getElementById(id);
  let grids = [];
  let grid = null; // what is drawn, of which `grids` has the names
  const chosen = { grid: 0, checkpoint: null, layer: null, source: null, target: null, order: "name", view: "Pairs", measure: null, to: null, task: "meaning", groups: map.GROUPS };
  let waits = false; // whether the map is to be drawn once it is in sight
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

  // Draw a figure whose points, when clicked, choose what `change` makes of them.
  async function drawn(element, figure, change) {
    await atlas.draw(element, figure);
    element.removeAllListeners("plotly_click");
    element.on("plotly_click", ({ points: [point] }) => {
      const made = change(point);
      if (made) choose(made);
    });
  }

  const cellOf = (point) => ({ checkpoint: point.x, layer: point.y });

  async function drawOverview() {
    at("overview-section").hidden = isOne();
    if (isOne()) return;
    const found = places("overview", "by layer and checkpoint, means");
    for (const [name, element] of found) atlas.reserve(element, grid.measures[name].overview);
    for (const [name, element] of found) {
      await drawn(element, { ...grid.measures[name].overview, config: grid.config }, cellOf);
    }
  }

  async function drawMatrices() {
    const mine = turn, order = grid.orders[chosen.order], found = places("matrices", `of every pair of languages, ${cellSaid()}`);
    at("matrices").classList.toggle("wide", order.length > MANY);
    at("order-credits").textContent = grid.credits[chosen.order] ?? "";
    for (const [name, element] of found) atlas.reserve(element, matrices.blank(grid, name, chosen.order, element.clientWidth));
    const { pair: of } = await read(chosen.checkpoint, chosen.layer);
    if (mine !== turn) return;
    for (const [name, element] of found) {
      const figure = matrices.figure(grid, name, chosen, of, searched());
      cells.fit(figure.layout, element.clientWidth, order.length);
      await drawn(element, figure, (point) => matrices.clicked(grid, order, point));
    }
    tellPairs(of);
  }

  const isNear = (element) => element.getBoundingClientRect().top < innerHeight + NEAR && element.getBoundingClientRect().bottom > -NEAR;

  async function drawMap() {
    waits = false;
    const mine = turn, measure = grid.measures[chosen.measure], { to } = chosen, element = at("map");
    const { pair, language, groups } = await read(chosen.checkpoint, chosen.layer);
    const grouped = groups && chosen.groups > 1 ? groups(chosen.measure, chosen.layer, chosen.groups) : null;
    const figure = await map.figure(grid, measure, to, element.clientWidth, grouped, (place) => {
      if (to === null) return language.score(chosen.measure, chosen.layer, place);
      const found = matrices.pairAt(grid, place, to);
      return found === undefined ? { value: NaN } : pair.score(chosen.measure, chosen.layer, found);
    });
    if (mine !== turn) return;
    element.setAttribute("aria-label", `${measure.title} of languages on a map, ${cellSaid()}`);
    at("map-said").textContent = map.said(grid, grouped);
    const clickable = grid.of !== "languages";
    await drawn(element, figure, (point) => clickable && point.customdata && { to: point.customdata[0], view: "Map" });
  }

  async function drawPair() {
    const mine = turn, pair = matrices.pairAt(grid, chosen.source, chosen.target);
    const layers = grid.layers.map((_, place) => place);
    let done = 0;
    const of = await Promise.all(grid.checkpoints.map(async (_, checkpoint) => {
      const own = grid.split ? await Promise.all(layers.map((layer) => read(checkpoint, layer))) : await read(checkpoint);
      if (mine === turn) at("pair-said").textContent = `Read ${++done} of ${grid.checkpoints.length} checkpoints …`;
      return own;
    }));
    if (mine !== turn) return;
    const scoreOf = (checkpoint, name, layer) => (pair === undefined ? { value: NaN } : (grid.split ? of[checkpoint][layer] : of[checkpoint]).pair.score(name, layer, pair));
    const said = matrices.named(grid, chosen.source, chosen.target);
    for (const [name, element] of isOne() ? [] : places("pair", `of ${said} by layer and checkpoint`)) {
      const { pair: template, said: words } = grid.measures[name];
      const figure = cells.filled(grid, template, words, grid.heads.layers, grid.heads.checkpoints, (layer, checkpoint) => scoreOf(checkpoint, name, layer).value, (layer, checkpoint) => scoreOf(checkpoint, name, layer));
      await drawn(element, figure, cellOf);
    }
    const here = Object.entries(grid.measures).map(([name, measure]) => `${measure.title} ${cells.inWords(scoreOf(chosen.checkpoint, name, chosen.layer), measure.said)}`);
    at("pair-said").textContent = `${said}, ${cellSaid()}: ${here.join("; ")}.`;
  }

  async function drawSentences() {
    const own = grids[chosen.grid], named = (view) => `${matrices.named(grid, view.source, view.target)}, ${cellSaid(view)}`;
    at("sentences-section").hidden = !own.sentences;
    if (own.sentences) await sentences.draw(at("sentences"), grid, own, chosen, chosen.task, named, choose);
  }

  const read = (checkpoint, layer) => scores.of(grid, grids[chosen.grid].number, checkpoint, layer);

  // --- words

  const isOne = () => grid.layers.length * grid.checkpoints.length === 1;
  const hasLayers = () => grid.layers[0] >= 0;

  function cellSaid({ layer, checkpoint } = chosen) {
    return `${hasLayers() ? `layer ${grid.layers[layer]}, ` : ""}${grid.checkpoints[checkpoint]}`;
  }

  // Return the places of languages of which the name, tag, family, script or region has a word that begins as searched for.
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
    const found = searched();
    const every = grid.pairs.map(([one, other], pair) => ({ one, other, pair })).filter(({ one, other }) => found.has(one) || found.has(other));
    at("pairs-count").textContent = `${every.length} of ${grid.pairs.length} ${grid.of === "languages" ? "languages" : "pairs"} at ${cellSaid()}`;
    if (at("pairs-list").open) at("pairs-table").replaceChildren(...matrices.rows(grid, every, chosen.layer, of));
  }

  function showControls() {
    const picked = chosen.checkpoint !== null, paired = picked && chosen.source !== null, alone = grid.of === "languages";
    for (const [name, count, value, said] of [
      ["checkpoint", grid.checkpoints.length, chosen.checkpoint, grid.checkpoints[chosen.checkpoint]],
      ["layer", grid.layers.length, chosen.layer, grid.layers[chosen.layer]],
    ]) {
      at(name).max = count - 1;
      at(name).value = value ?? Math.floor(count / 2);
      at(name).setAttribute("aria-valuetext", String(said ?? ""));
      at(`${name}-said`).textContent = said ?? "not chosen";
      at(name).parentElement.hidden = count === 1;
    }
    at("checkpoint").closest(".controls").hidden = isOne();
    at("order").value = chosen.order, at("task").value = chosen.task;
    for (const [name, value] of [["source", chosen.source], ["target", chosen.target]]) atlas.options(at(name), grid.names, value);
    atlas.options(at("map-measure"), Object.values(grid.measures).map(({ title }) => title), Object.keys(grid.measures).indexOf(chosen.measure));
    atlas.options(at("map-to"), [grid.of === "directed" ? "Mean as the source" : "Mean over its pairs", ...grid.names], chosen.to === null ? 0 : chosen.to + 1);
    at("map-section").hidden = !grid.map;
    at("map-grouped").hidden = grid.of !== "pairs", at("map-groups").value = chosen.groups;
    at("map-with").hidden = at("pair-with").hidden = alone;
    at("matrices-title").textContent = alone ? "Languages" : "Pairs of languages";
    at("pair-title").textContent = alone ? "One language" : "One pair of languages";
    at("target-name").textContent = grid.of === "directed" ? "to" : "and", at("overview-said").textContent = matrices.MEANS[grid.of];
    at("pairs-list").hidden = at("matrices").hidden = at("map").hidden = at("map-said").hidden = !picked;
    at("pair").hidden = !paired;
    if (!paired) at("pair-said").textContent = picked ? `Choose ${alone ? "a language" : "two languages"}, or a cell above.` : "";
    at("said").textContent = `${grids[chosen.grid].said} · ${grid.languages.length} languages${alone ? "" : `, ${grid.pairs.length} pairs`}`;
  }

  // --- the view

  function choose(change) {
    Object.assign(chosen, change);
    if (grid.of === "languages") chosen.target = chosen.source;
    else if (grid.of === "pairs" && chosen.source === chosen.target) chosen.source = chosen.target = null;
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
      waits = chosen.checkpoint !== null && Boolean(grid.map); // a map that nobody sees would hold up the slider
      if (waits && isNear(at("map-section"))) await drawMap();
      if (chosen.source !== null) await drawPair();
      await drawSentences();
      at("problem").textContent = "";
    } catch (error) {
      at("problem").textContent = error.message;
    }
    document.documentElement.dataset.shown = String(turn);
  }

  const languageSaid = (place) => `${grid.names[place]} · ${grid.languages[place]}`;
  const isAlike = (one, other) => ["model", "corpus", "protocol"].every((name) => one[name] === other[name]);

  function fragment() {
    const own = grids[chosen.grid], words = new URLSearchParams({ model: own.model, corpus: own.corpus });
    if (grids.filter((each) => each.model === own.model && each.corpus === own.corpus).length > 1) words.set("protocol", own.protocol);
    if (chosen.checkpoint !== null) {
      words.set("view", chosen.view);
      words.set("pair_model", own.model);
      words.set("pair_checkpoint", grid.checkpoints[chosen.checkpoint]);
      if (hasLayers()) words.set("pair_layer", grid.layers[chosen.layer]);
    }
    if (chosen.source !== null) {
      words.set("pair_source", languageSaid(chosen.source));
      words.set("pair_target", languageSaid(chosen.target));
    }
    if (chosen.measure !== own.metrics[0] || grids.filter((each) => isAlike(each, own)).length > 1) words.set("map_measure", chosen.measure);
    if (chosen.to !== null) words.set("map_to", grid.languages[chosen.to]);
    if (chosen.groups !== map.GROUPS) words.set("map_groups", chosen.groups);
    if (chosen.order !== "name") words.set("order", chosen.order);
    if (chosen.task !== "meaning") words.set("task", chosen.task);
    return words.toString();
  }

  // Take over what the address asks for, as far as it is there.
  async function fromAddress() {
    const words = new URLSearchParams(location.hash.slice(1));
    const model = words.get("pair_model") || words.get("model"), measure = words.get("map_measure");
    const fits = (each) => (!model || each.model === model) && ["corpus", "protocol"].every((name) => !words.get(name) || each[name] === words.get(name));
    const named = grids.findIndex((each) => fits(each) && each.metrics.includes(measure));
    chosen.grid = Math.max(0, named < 0 ? grids.findIndex(fits) : named);
    grid = await atlas.load(`g${grids[chosen.grid].number}`);
    const place = (list, value) => (list.indexOf(value) < 0 ? null : list.indexOf(value));
    const language = (name) => place(grid.languages, (words.get(name) || "").split(" · ").pop());
    chosen.checkpoint = isOne() ? 0 : place(grid.checkpoints, words.get("pair_checkpoint"));
    chosen.layer = place(grid.layers.map(String), words.get("pair_layer"));
    chosen.source = language("pair_source");
    chosen.target = language("pair_target");
    if (chosen.source === null || chosen.target === null) chosen.source = chosen.target = null;
    chosen.order = Object.hasOwn(grid.orders, words.get("order")) ? words.get("order") : "name";
    chosen.task = words.get("task") === "language" ? "language" : "meaning";
    chosen.view = words.get("view") === "Map" ? "Map" : "Pairs";
    chosen.measure = Object.hasOwn(grid.measures, measure) ? measure : Object.keys(grid.measures)[0];
    chosen.groups = map.groupsOf(words.get("map_groups"));
    chosen.to = grid.of === "languages" ? null : language("map_to");
    if (chosen.source !== null || chosen.layer !== null || words.has("view")) chosen.checkpoint ??= grid.checkpoints.length - 1;
    if (chosen.checkpoint !== null) chosen.layer ??= Math.floor(grid.layers.length / 2);
  }

  async function open() {
    await fromAddress();
    const models = [...new Set(grids.map(({ model }) => model))], { model } = grids[chosen.grid];
    atlas.options(at("model"), models, models.indexOf(model));
    const own = grids.map((each, place) => ({ ...each, place })).filter((each) => each.model === model);
    at("grid").replaceChildren(...own.map(({ label, place }) => new Option(label, place, false, place === chosen.grid)));
    at("grid").closest(".controls").hidden = grids.length < 2;
    await drawOverview();
    if (chosen.view === "Map") at("map-section").scrollIntoView();
    await show();
    if (chosen.view === "Map") at("map-section").scrollIntoView();
    document.documentElement.dataset.drawn = "all";
  }

  function go(place) {
    const { model, corpus, protocol, metrics } = grids[place];
    location.hash = new URLSearchParams({ model, corpus, protocol, map_measure: metrics[0] }).toString();
  }

  async function start() {
    grids = await atlas.load(`grids-${location.pathname.split("/").pop().replace(".html", "")}`);
    await open();
    at("model").addEventListener("change", () => go(grids.findIndex(({ model }) => model === at("model").selectedOptions[0].text)));
    at("grid").addEventListener("change", () => go(at("grid").value));
    for (const name of ["checkpoint", "layer"]) at(name).addEventListener("input", () => choose({ [name]: Number(at(name).value) }));
    for (const name of ["source", "target"]) at(name).addEventListener("input", () => choose({ [name]: Number(at(name).value), ...other(name), view: "Pairs" }));
    at("order").addEventListener("change", () => choose({ order: at("order").value }));
    at("task").addEventListener("change", () => choose({ task: at("task").value }));
    at("map-measure").addEventListener("change", () => choose({ measure: Object.keys(grid.measures)[at("map-measure").value], ...onMap() }));
    at("map-to").addEventListener("change", () => choose({ to: Number(at("map-to").value) - 1 < 0 ? null : Number(at("map-to").value) - 1, ...onMap() }));
    at("map-groups").addEventListener("change", () => choose({ groups: Number(at("map-groups").value), ...onMap() }));
    at("search").addEventListener("input", () => chosen.checkpoint !== null && show());
    at("pairs-list").addEventListener("toggle", () => chosen.checkpoint !== null && drawMatrices());
    addEventListener("hashchange", open);
    addEventListener("scroll", () => waits && isNear(at("map-section")) && drawMap(), { passive: true });
  }

  // Who uses the map's controls wants to see one.
  function onMap() {
    return { view: "Map", checkpoint: chosen.checkpoint ?? grid.checkpoints.length - 1 };
  }

  // A first language chosen alone is set beside another: a pair has two.
  function other(name) {
    if (chosen.source !== null) return {};
    const own = Number(at(name).value), partner = own === 0 ? 1 : 0;
    return name === "source" ? { target: partner } : { source: partner };
  }

  start().catch((error) => {
    at("problem").textContent = error.message;
  });
});
