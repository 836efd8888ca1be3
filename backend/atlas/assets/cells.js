"use strict";
// Scores put into figures and words: the hover of a cell is that of backend/charts/grid.py, letter by letter.
const cells = (() => {
  const NAME = 14; // pixels of a line of names
  const counted = new Map();

  function number(value, decimals = 3) {
    const unit = 10 ** -decimals; // of a wide scale hundreds, or thousands
    const text = decimals < 0 ? String(Math.round(value / unit) * unit) : value.toFixed(decimals);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  }

  // Write a whole number as 1,234: kept, since a browser takes its time over each of 60,000.
  function count(n) {
    if (!counted.has(n)) counted.set(n, n.toLocaleString("en"));
    return counted.get(n);
  }

  function hover(said, row, column, score) {
    if (Number.isNaN(score.value)) return `${row}${column}<i>${said.name}: ${said.missing}</i>`;
    let text = `${row}${column}${said.name}: <b>${number(score.value, said.decimals)}</b>`;
    if (!Number.isNaN(score.low) && !Number.isNaN(score.high)) text += `<br>${said.interval}: ${number(score.low, said.decimals)} to ${number(score.high, said.decimals)}`;
    if (score.n) text += `<br>${said.n}: ${count(score.n)}`;
    return text;
  }

  // Fill a template of a grid, rows × columns; `valueAt` gives each cell's score, null where there can be none, and `scoreAt` that
  // with its interval. A row's hovers are written when one of them is read: a step of a slider over 60,000 cells reads none.
  function filled({ hatch, config }, template, said, rows, columns, valueAt, scoreAt) {
    const z = [], texts = [], x = [], y = [];
    rows.forEach((row, i) => {
      z.push(new Float64Array(columns.length).fill(NaN));
      const written = () => columns.map((column, j) => (valueAt(i, j) === null ? "" : hover(said, row, column, scoreAt(i, j))));
      let own = null;
      Object.defineProperty(texts, i, { enumerable: true, get: () => (own ??= written()) });
      for (let j = 0; j < columns.length; j++) {
        const value = valueAt(i, j);
        if (value === null) continue;
        z[i][j] = value;
        if (Number.isNaN(value)) {
          x.push(j - 0.5, j + 0.5, j + 0.5, j - 0.5, j - 0.5, null);
          y.push(i - 0.5, i - 0.5, i + 0.5, i + 0.5, i - 0.5, null);
        }
      }
    });
    const data = [{ ...template.data[0], z, hovertext: texts }];
    if (x.length) data.push({ ...hatch, x, y });
    return { data, layout: template.layout, config };
  }

  // Give a matrix of many rows no more height than can be looked at, and its axes as many names as there is room for.
  function fit(layout, width, rows) {
    layout.height = Math.min(layout.height + 110, Math.max(420, 0.75 * width));
    const across = width - ((layout.margin || {}).r || 0) - 150, down = layout.height - 250;
    layout.xaxis = thinned(layout.xaxis, across / NAME);
    layout.yaxis = thinned(layout.yaxis, down / NAME);
    let last = -Infinity; // the names of groups, from above: those that would lie on one another go
    layout.annotations = (layout.annotations || []).filter((each) => {
      const fits = !each.xshift || ((each.y - last) * down) / rows >= NAME;
      if (each.xshift && fits) last = each.y;
      return fits;
    });
  }

  function thinned(axis, most) {
    const every = Math.ceil(axis.tickvals.length / Math.max(most, 2));
    const some = (list) => list.filter((_, place) => place % every === 0);
    return { ...axis, tickvals: some(axis.tickvals), ticktext: some(axis.ticktext) };
  }

  // Say a score with its interval and what it rests on.
  function inWords(score, said) {
    if (Number.isNaN(score.value)) return said.missing;
    const interval = Number.isNaN(score.low) ? "" : `${said.interval} ${number(score.low, said.decimals)} to ${number(score.high, said.decimals)}, `;
    return `${number(score.value, said.decimals)} (${interval}n = ${count(score.n)})`;
  }

  return { filled, fit, inWords, number };
})();
