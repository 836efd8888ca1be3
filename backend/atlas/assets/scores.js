"use strict";
// The scores of a grid: read a checkpoint (a layer of it) at a time, and kept.
const scores = (() => {
  const chunks = new Map();

  // Return what reads the scores of a checkpoint (of one layer where these are files of their own): of a pair, and of a language
  // the mean over its pairs, each by measure, layer and place.
  async function of(grid, number, checkpoint, layer) {
    const name = `g${number}-c${checkpoint}` + (grid.split ? `-l${layer}` : "");
    if (!chunks.has(name)) {
      const part = await atlas.load(name);
      const [pair, language] = await Promise.all(["scores", "means"].map((each) => reader(grid, part[each])));
      chunks.set(name, { pair, language });
    }
    return chunks.get(name);
  }

  async function reader(grid, part) {
    const codes = await atlas.numbers(part.codes), which = part.which ? await atlas.numbers(part.which) : null;
    const metrics = Object.keys(grid.measures), layers = grid.split ? 1 : grid.layers.length;
    const each = codes.length / (metrics.length * 3 * layers);
    return (metric, ofLayer, place) => {
      const m = metrics.indexOf(metric), l = grid.split ? 0 : ofLayer, { scale } = grid.measures[metric];
      const field = (f) => codes[((m * 3 + f) * layers + l) * each + place];
      const value = field(0);
      return {
        value: atlas.valueOf(value, scale),
        low: atlas.valueOf((value + field(1)) & 65535, scale),
        high: atlas.valueOf((value + field(2)) & 65535, scale),
        n: part.n[which ? which[(m * layers + l) * each + place] : 0],
      };
    };
  }

  return { of };
})();
