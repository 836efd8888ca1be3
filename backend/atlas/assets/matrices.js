"use strict";
// The matrices of a grid: pairs of languages (each once), sources by targets, or languages by layer, as the scores are of.
const matrices = (() => {
  const LISTED = 3000; // most pairs of a table
  const key = (one, other) => one * 100000 + other;

  // Return the place of the pair of two languages among the scores; undefined where there is none.
  function pairAt(grid, one, other) {
    grid.byEnds ??= new Map(grid.pairs.flatMap(([a, b], place) => (grid.of === "pairs" ? [[key(a, b), place], [key(b, a), place]] : [[key(a, b), place]])));
    return grid.byEnds.get(key(one, other));
  }

  // Return the languages of the rows and the languages, or layers, of the columns, by their places.
  function ends(grid, order) {
    if (grid.of === "pairs") return [order.slice(1), order.slice(0, -1)];
    return [order, grid.of === "directed" ? order : grid.layers.map((_, layer) => layer)];
  }

  const MEANS = {
    pairs: "Mean over the pairs of languages. Choose a cell for its pairs.",
    directed: "Mean over the pairs of two languages, both directions. Choose a cell for its pairs.",
    languages: "Mean over the languages. Choose a cell for them.",
  };

  // Return a matrix as high as it will be, before its scores are there.
  function blank(grid, name, order, width) {
    const layout = { ...grid.measures[name].matrices[order].layout };
    cells.fit(layout, width, grid.orders[order].length);
    return { layout };
  }

  const NONE = -1, UNKNOWN = -2; // a cell that no pair can have, a pair without scores

  // Return the places among the scores of the pairs of a matrix, row after row; kept, since every step of a slider needs them.
  function placesOf(grid, order, rows, columns) {
    grid.places ??= {};
    grid.places[order] ??= Int32Array.from({ length: rows.length * columns.length }, (_, cell) => {
      const i = Math.floor(cell / columns.length), j = cell % columns.length, alone = grid.of === "languages";
      if (grid.of === "pairs" && j > i) return NONE;
      const pair = pairAt(grid, rows[i], alone ? rows[i] : columns[j]);
      return pair ?? (rows[i] === columns[j] && !alone ? NONE : UNKNOWN);
    });
    return grid.places[order];
  }

  // Return the figure of a measure at what is chosen; `of` reads scores, `found` are the languages searched for.
  function figure(grid, name, chosen, of, found) {
    const { matrices: templates, said } = grid.measures[name], { heads } = grid;
    const [rows, columns] = ends(grid, grid.orders[chosen.order]);
    const places = placesOf(grid, chosen.order, rows, columns), drawn = chosen.layer, layer = (j) => (grid.of === "languages" ? columns[j] : drawn);
    const valueAt = (i, j) => {
      const pair = places[i * columns.length + j];
      return pair === NONE ? null : pair === UNKNOWN ? NaN : of.value(name, layer(j), pair);
    };
    const scoreAt = (i, j) => {
      const pair = places[i * columns.length + j];
      return pair === UNKNOWN ? { value: NaN } : of.score(name, layer(j), pair);
    };
    const filled = cells.filled(grid, templates[chosen.order], said, rows.map((i) => heads.rows[i]), columns.map((i) => heads.columns[i]), valueAt, scoreAt);
    filled.layout = { ...filled.layout, shapes: [...(filled.layout.shapes || []), ...marks(grid, chosen, rows, columns, found)] };
    return filled;
  }

  // Frame what is chosen, and the rows and columns of the languages that are searched for.
  function marks(grid, chosen, rows, columns, found) {
    const line = { color: "#EE6412", width: 2 }, thin = { ...line, width: 1 };
    const box = (x0, x1, y0, y1, of) => ({ type: "rect", x0: x0 - 0.5, x1: x1 + 0.5, y0: y0 - 0.5, y1: y1 + 0.5, line: of, xref: "x", yref: "y" });
    const shapes = [], half = grid.of === "pairs", alone = grid.of === "languages";
    if (found.size < grid.languages.length) {
      rows.forEach((own, i) => found.has(own) && shapes.push(box(0, half ? i : columns.length - 1, i, i, thin)));
      if (!alone) columns.forEach((own, j) => found.has(own) && shapes.push(box(j, j, half ? j : 0, rows.length - 1, thin)));
    }
    if (chosen.source === null) return shapes;
    const place = (own) => grid.orders[chosen.order].indexOf(own);
    const [one, other] = [place(chosen.source), place(chosen.target)];
    if (half) shapes.push(box(Math.min(one, other), Math.min(one, other), Math.max(one, other) - 1, Math.max(one, other) - 1, line));
    else shapes.push(alone ? box(chosen.layer, chosen.layer, one, one, line) : box(other, other, one, one, line));
    return shapes;
  }

  // Return what a click on a cell chooses; null where there is no pair.
  function clicked(grid, order, { x, y }) {
    const [rows, columns] = ends(grid, order);
    if (grid.of === "languages") return { source: rows[y], target: rows[y], layer: columns[x] };
    return (grid.of === "pairs" && x > y) || rows[y] === columns[x] && pairAt(grid, rows[y], columns[x]) === undefined ? null : { source: rows[y], target: columns[x] };
  }

  // Return the rows of a table of some pairs, the first its head.
  function rows(grid, pairs, layer, of) {
    const names = Object.keys(grid.measures);
    const cell = (kind, text, name) => Object.assign(document.createElement(kind), { textContent: text, className: name || "" });
    const row = (...inside) => {
      const made = document.createElement("tr");
      made.append(...inside);
      return made;
    };
    const head = row(cell("th", "Languages"), ...names.map((name) => cell("th", grid.measures[name].unit)));
    const scores = (pair) => names.map((name) => cell("td", cells.inWords(of.score(name, layer, pair), grid.measures[name].said), "number"));
    return [head, ...pairs.slice(0, LISTED).map(({ one, other, pair }) => row(cell("td", named(grid, one, other)), ...scores(pair)))];
  }

  // Say a pair, by the place of its languages.
  function named(grid, one, other) {
    if (one === other) return grid.names[one];
    return grid.of === "directed" ? `${grid.names[one]} → ${grid.names[other]}` : `${grid.names[one]} – ${grid.names[other]}`;
  }

  return { MEANS, blank, pairAt, figure, clicked, named, rows };
})();
