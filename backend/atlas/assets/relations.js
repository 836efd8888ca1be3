"use strict";
// Any two measures of a model against each other. Figures, with the correlations over them, are those of the dashboard's
// Relations (backend/atlas/related.py): here one of them is chosen.
addEventListener("DOMContentLoaded", async () => {
  const at = (id) => document.getElementById(id);
  let listed = [];
  let of = null;
  const chosen = { place: 0, x: null, y: null };

  const isNarrow = () => at("matrix").clientWidth < atlas.NARROW;

  // Return the matrix without the names beside it where there is no room for them: its rows are numbered, and the names listed.
  function matrixFigure() {
    const names = of.order.map((place) => Object.assign(document.createElement("li"), { textContent: of.measures[place] }));
    at("names").replaceChildren(...names);
    at("names").hidden = !isNarrow();
    const { data, layout } = of.matrix, { yaxis } = layout;
    const numbered = { ...yaxis, ticktext: yaxis.ticktext.map((text) => text.split(" ")[0]) };
    return { data, layout: isNarrow() ? { ...layout, yaxis: numbered } : layout, config: {} };
  }

  // Return the points of two measures; what stands over them in one line each is said below where there is no room for it.
  function scatterFigure() {
    const { data, layout } = of.scatters[`${chosen.x} ${chosen.y}`], notes = layout.annotations.map(({ text }) => text.split("<br>")).flat();
    const asText = (text) => new DOMParser().parseFromString(text, "text/html").body.textContent; // runs nothing
    at("notes").textContent = isNarrow() ? notes.map(asText).join(". ") : "";
    const title = { ...layout.xaxis.title, text: layout.xaxis.title.text.replace(" (", "<br>(") };
    const small = { ...layout, annotations: [], margin: { ...layout.margin, t: 8 }, xaxis: { ...layout.xaxis, title } };
    return { data, layout: isNarrow() ? small : layout, config: {} };
  }

  async function show() {
    of = await atlas.load(listed[chosen.place].data);
    const pairs = Object.keys(of.scatters);
    if (!of.scatters[`${chosen.x} ${chosen.y}`]) [chosen.x, chosen.y] = pairs.length ? pairs[0].split(" ") : [null, null];
    atlas.options(at("x"), of.measures, chosen.x);
    atlas.options(at("y"), of.measures, chosen.y);
    at("model").value = listed.findIndex(({ model }) => model === listed[chosen.place].model);
    at("unit").value = listed[chosen.place].unit;
    const words = { model: listed[chosen.place].model, unit: listed[chosen.place].unit, x: of.measures[chosen.x], y: of.measures[chosen.y] };
    history.replaceState(null, "", `#${new URLSearchParams(words)}`);
    if (chosen.x !== null) atlas.reserve(at("scatter"), scatterFigure());
    atlas.reserve(at("matrix"), matrixFigure());
    await atlas.draw(at("matrix"), matrixFigure());
    at("matrix").removeAllListeners("plotly_click");
    at("matrix").on("plotly_click", ({ points: [{ x, y }] }) => choose(String(of.order[x]), String(of.order[y])));
    if (chosen.x !== null) {
      at("scatter").setAttribute("aria-label", `${words.y} by ${words.x}, ${words.model}`);
      await atlas.draw(at("scatter"), scatterFigure());
    }
    document.documentElement.dataset.shown = `${chosen.x} ${chosen.y}`;
  }

  // Two measures have one figure, in the order in which they are listed.
  function choose(one, other) {
    const [x, y] = [one, other].sort((a, b) => a - b);
    at("problem").textContent = of.scatters[`${x} ${y}`] ? "" : "These two have too few points in common. Choose others.";
    if (!of.scatters[`${x} ${y}`]) return;
    Object.assign(chosen, { x, y });
    show();
  }

  function fromAddress() {
    const words = new URLSearchParams(location.hash.slice(1));
    const place = listed.findIndex((each) => each.model === words.get("model") && each.unit === words.get("unit"));
    chosen.place = Math.max(0, place);
    return words;
  }

  async function open() {
    const words = fromAddress();
    of = await atlas.load(listed[chosen.place].data);
    const [x, y] = ["x", "y"].map((name) => of.measures.indexOf(words.get(name))).sort((a, b) => a - b);
    Object.assign(chosen, { x: String(x), y: String(y) });
    await show();
  }

  function go(model, unit) {
    const own = listed.filter((each) => each.model === model);
    chosen.place = listed.indexOf(own.find((each) => each.unit === unit) || own[0]);
    show();
  }

  try {
    listed = await atlas.load("relations");
    const models = [...new Set(listed.map(({ model }) => model))];
    at("model").replaceChildren(...models.map((name) => new Option(name, listed.findIndex(({ model }) => model === name))));
    at("model").addEventListener("change", () => go(listed[at("model").value].model, at("unit").value));
    at("unit").addEventListener("change", () => go(listed[chosen.place].model, at("unit").value));
    for (const name of ["x", "y"]) at(name).addEventListener("change", () => choose(at("x").value, at("y").value));
    addEventListener("hashchange", open);
    await open();
  } catch (error) {
    at("problem").textContent = error.message;
  }
  document.documentElement.dataset.drawn = "all";
});
