"use strict";
// The scores of a grid: read a checkpoint (a layer of it) at a time, and kept.
const scores = (() => {
  const chunks = new Map();

  // Return what reads the scores of a checkpoint (of one layer where these are files of their own): of a pair, and of a language
  // the mean over its pairs, each by measure, layer and place: its `value`, or a `score` with its interval.
  async function of(grid, number, checkpoint, layer) {
    const name = `g${number}-c${checkpoint}` + (grid.split ? `-l${layer}` : "");
    if (!chunks.has(name)) {
      const part = await atlas.load(name);
      const [pair, language] = await Promise.all(["scores", "means"].map((each) => reader(grid, part[each])));
      chunks.set(name, { pair, language, groups: await grouped(grid, part) });
    }
    return chunks.get(name);
  }

  // Return what gives the group of each language, by measure and layer, of so many groups at most; null where there are none.
  async function grouped(grid, part) {
    if (!part.groups) return null;
    const found = await atlas.numbers(part.groups), metrics = Object.keys(grid.measures), size = grid.languages.length;
    const layers = grid.split ? 1 : grid.layers.length, cuts = found.length / (metrics.length * layers * size);
    return (metric, layer, most) => {
      const from = ((metrics.indexOf(metric) * layers + (grid.split ? 0 : layer)) * cuts + most - 2) * size;
      return Array.from(found.subarray(from, from + size));
    };
  }

  async function reader(grid, part) {
    const [codes, apart] = [await atlas.numbers(part.values), await atlas.numbers(part.bounds)];
    const which = part.which ? await atlas.numbers(part.which) : null;
    const metrics = Object.keys(grid.measures), layers = grid.split ? 1 : grid.layers.length;
    const each = codes.length / (metrics.length * layers);
    for (let i = 0; i < codes.length; i++) if (Math.floor(i / each) % layers) codes[i] += codes[i - each]; // those of a layer are less the layer below
    const at = (metric, layer) => (metrics.indexOf(metric) * layers + (grid.split ? 0 : layer)) * each;
    return {
      value: (metric, layer, place) => atlas.valueOf(codes[at(metric, layer) + place], grid.measures[metric].scale),
      score(metric, layer, place) {
        const from = at(metric, layer), of = grid.measures[metric], value = codes[from + place];
        const own = value === atlas.MISSING ? 0 : Math.floor(value * of.units[1] + 0.5);
        const low = from + metrics.indexOf(metric) * layers * each + place; // a measure has twice as many bounds as scores
        return {
          value: atlas.valueOf(value, of.scale),
          low: bound(apart[low], own, -1, of),
          high: bound(apart[low + layers * each], own, 1, of),
          n: part.n[which ? which[from + place] : 0],
        };
      },
    };
  }

  // Return a bound as it reads, from how far (in units of the last decimal) it is from its score's place among these.
  function bound(apart, own, sign, { units: [least], decimals }) {
    if (apart === atlas.MISSING) return NaN;
    const place = (((own + sign * apart) % atlas.MISSING) + atlas.MISSING) % atlas.MISSING + least;
    return decimals < 0 ? place * 10 ** -decimals : place / 10 ** decimals;
  }

  return { of };
})();
