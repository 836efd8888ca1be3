"use strict";
// Languages at their places. The figure and its words come from backend/atlas/mapped.py; a hover is that of
// backend/charts/world/world.py, letter by letter.
const map = (() => {
  const STAR = 16, OPEN = 9; // pixels: the language that scores are with, one without a score
  const GROUPS = 4, MOST = 7; // of languages, as on the dashboard
  const FLAT = 0.6; // a narrow map's height by its width

  // Return the figure: `scoreOf` gives the score of a language by its place in the grid, `to` is the place of the language that
  // scores are with, null for means over pairs, `groups` has each language's group, null for none; in few pixels of `width` names
  // are left to the hovers.
  async function figure(grid, measure, to, width, groups, scoreOf) {
    const { layout, sites, heads, shared, names, places, written, bare, scored, line, symbols, degrees } = grid.map;
    const group = sites.map((place) => (groups ? groups[place] : 1)), most = Math.max(0, ...group);
    const { coloraxis, what } = measure.map[to === null ? "mean" : "one"];
    const score = sites.map((place) => (place === to ? { value: NaN } : scoreOf(place)));
    const hovers = sites.map((_, at) => hover(heads[at], what, to === null ? "" : ` with ${names[to]}`, score[at], measure.decimals, to === null) + (most > 1 && group[at] ? `<br>Group ${group[at]} of ${most}` : "") + shared[at]);
    const some = (has) => sites.map((_, at) => at).filter((at) => has === !Number.isNaN(score[at].value));
    const trace = (template, chosen, marker) => ({
      ...template, x: chosen.map((at) => places[0][at]), y: chosen.map((at) => places[1][at]), text: chosen.map((at) => written[at]),
      customdata: chosen.map((at) => [sites[at]]), hovertext: chosen.map((at) => hovers[at]), marker: { ...template.marker, ...marker },
    });
    const without = some(false), withScore = some(true);
    const star = without.map((at) => sites[at] === to);
    const data = [
      { ...(await atlas.load("land")) },
      { ...line, ...isogloss.line(...degrees, group) },
      trace(bare, without, { symbol: star.map((each) => (each ? "star" : "circle-open")), size: star.map((each) => (each ? STAR : OPEN)) }),
      trace(scored, withScore, { color: withScore.map((at) => score[at].value), symbol: withScore.map((at) => symbols[group[at] ? (group[at] - 1) % symbols.length : 0]), size: 10 }),
    ];
    if (width >= atlas.NARROW) return { data, layout: { ...layout, coloraxis }, config: grid.config };
    for (const each of data) each.mode = each.mode.replace("+text", "");
    return { data, layout: { ...layout, coloraxis, height: FLAT * width }, config: grid.config };
  }

  function hover(head, what, to, score, decimals, isMean) {
    if (Number.isNaN(score.value)) return `${head}<br>${what}${to}: no score`;
    let text = `${head}<br>${what}${to}: <b>${cells.number(score.value, decimals)}</b>`;
    if (!Number.isNaN(score.low)) text += `<br>95% interval: ${cells.number(score.low, decimals)} to ${cells.number(score.high, decimals)}`;
    return isMean && score.n > 1 ? `${text}<br>Mean over ${score.n} pairs` : text;
  }

  // Say what points and lines mean, and who says where languages are.
  function said(grid, groups) {
    const click = grid.of === "languages" ? "" : " Click one: its scores with all others.";
    if (!groups) return `${grid.map.credits}${click}`;
    const line = " Isogloss: the line halfway between neighbours of different groups, no border. Groups (symbols): average linkage of the pairs' scores.";
    const none = " No isogloss: too many pairs have the same score to part languages into so few groups.";
    return `${grid.map.credits}${click}${Math.max(...groups) > 1 ? line : none}`;
  }

  // Return how many groups a link asks for; 1: none.
  function groupsOf(text) {
    const asked = text === "None" ? 1 : Number(text);
    return Number.isInteger(asked) && asked > 0 && asked <= MOST ? asked : GROUPS;
  }

  return { figure, said, groupsOf, GROUPS };
})();
