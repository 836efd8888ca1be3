"use strict";
// Scores put into figures and words: the hover of a cell is that of backend/charts/grid.py, letter by letter.
const cells = (() => {
  function number(value) {
    return value.toFixed(3).replace("-", "−");
  }

  function hover(said, row, column, score) {
    if (Number.isNaN(score.value)) return `${row}${column}<i>${said.name}: ${said.missing}</i>`;
    let text = `${row}${column}${said.name}: <b>${number(score.value)}</b>`;
    if (!Number.isNaN(score.low) && !Number.isNaN(score.high)) text += `<br>${said.interval}: ${number(score.low)} to ${number(score.high)}`;
    if (score.n) text += `<br>${said.n}: ${score.n.toLocaleString("en")}`;
    return text;
  }

  // Fill a template of a grid, rows × columns; `scoreAt` gives each cell's score, null where there can be none.
  function filled({ hatch, config }, template, said, rows, columns, scoreAt) {
    const z = [], texts = [], x = [], y = [];
    rows.forEach((row, i) => {
      z.push(new Float64Array(columns.length).fill(NaN));
      texts.push(new Array(columns.length).fill(""));
      columns.forEach((column, j) => {
        const score = scoreAt(i, j);
        if (score === null) return;
        z[i][j] = score.value;
        texts[i][j] = hover(said, row, column, score);
        if (Number.isNaN(score.value)) {
          x.push(j - 0.5, j + 0.5, j + 0.5, j - 0.5, j - 0.5, null);
          y.push(i - 0.5, i - 0.5, i + 0.5, i + 0.5, i - 0.5, null);
        }
      });
    });
    const data = [{ ...template.data[0], z, hovertext: texts }];
    if (x.length) data.push({ ...hatch, x, y });
    return { data, layout: template.layout, config };
  }

  // Say a score with its interval and what it rests on.
  function inWords(score, said) {
    if (Number.isNaN(score.value)) return said.missing;
    const interval = Number.isNaN(score.low) ? "" : `${said.interval} ${number(score.low)} to ${number(score.high)}, `;
    return `${number(score.value)} (${interval}n = ${score.n.toLocaleString("en")})`;
  }

  return { filled, inWords };
})();
