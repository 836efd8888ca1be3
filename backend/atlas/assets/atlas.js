"use strict";
// What the pages of an atlas share. Data come as scripts, since a page opened from a disk may fetch nothing: each calls
// `atlas.bring`. Numbers are 16-bit codes of which backend/atlas/quantised.py says how they are made.
const atlas = (() => {
  const MISSING = 65535;
  const LEVELS = 65534;
  const NARROW = 480; // pixels of a figure below which its colour bar goes under it
  const TALLEST_NARROW = 640; // pixels of such a figure
  const LEAST_CELL = 36; // pixels of a cell in which three decimals can be read
  const CHANCE_WIDTH = 52; // pixels of "0.5 chance" and of half a number beside it
  const brought = new Map();
  const asked = new Map();
  const drawn = new Map();
  const filled = new WeakMap();
  let plotly = null;
  const dark = matchMedia("(prefers-color-scheme: dark)");

  function bring(name, value) {
    brought.set(name, value);
  }

  // Run a script of the atlas once. Rejects with a sentence for people where it is not there.
  function run(file) {
    if (!asked.has(file)) {
      asked.set(file, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = file;
        script.onload = resolve;
        script.onerror = () => {
          asked.delete(file);
          reject(new Error(`${file} cannot be read. Get the atlas again, all of its folder.`));
        };
        document.head.append(script);
      }));
    }
    return asked.get(file);
  }

  // Return what data/NAME.js brings.
  async function load(name) {
    await run(`data/${name}.js`);
    if (!brought.has(name)) throw new Error(`data/${name}.js is damaged. Get the atlas again.`);
    return brought.get(name);
  }

  // Return the bytes in a text: base64 of what deflate made of them.
  function inflated(text) {
    const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
  }

  // Return the 16-bit numbers in a text: all low bytes before all high ones.
  async function numbers(text) {
    const bytes = new Uint8Array(await inflated(text));
    const found = new Uint16Array(bytes.length / 2);
    for (let i = 0; i < found.length; i++) found[i] = bytes[i] | (bytes[found.length + i] << 8);
    return found;
  }

  // Return what a code stands for; NaN for a score that is not there.
  function valueOf(code, [low, high]) {
    return code === MISSING ? NaN : low + (code * (high - low)) / LEVELS;
  }

  // Have plotly.js there: a large script, which is kept deflated.
  function engine() {
    plotly ??= load("plotly").then(async ({ script }) => {
      brought.delete("plotly");
      const place = URL.createObjectURL(new Blob([await inflated(script)], { type: "text/javascript" }));
      await run(place);
      URL.revokeObjectURL(place);
    }).catch((error) => {
      plotly = null;
      throw error;
    });
    return plotly;
  }

  const narrowHeight = (layout) => Math.min((layout.height || 450) + 90, TALLEST_NARROW);

  // Keep the height of a figure free until it is drawn: what stands below does not jump.
  function reserve(element, { layout }) {
    const height = element.clientWidth < NARROW ? narrowHeight(layout) : layout.height;
    if (!element.firstChild) element.style.minHeight = `${height}px`;
  }

  // Let the page answer before the next figure is drawn.
  const pause = () => new Promise((resolve) => setTimeout(resolve));

  // Draw a figure (plotly's data, layout and config) in an element, in the colours of the page; again where these change.
  async function draw(element, figure) {
    drawn.set(element, figure);
    reserve(element, figure);
    await engine();
    await pause();
    element.style.minHeight = "";
    const layout = structuredClone(figure.layout);
    const style = getComputedStyle(document.documentElement);
    const colour = (variable) => style.getPropertyValue(variable).trim();
    layout.font = { family: "system-ui, sans-serif", size: 14, color: colour("--ink") };
    layout.hoverlabel = { ...layout.hoverlabel, bgcolor: colour("--raised"), font: { color: colour("--ink") } };
    layout.autosize = true;
    const width = element.clientWidth;
    if (width < NARROW) narrow(layout, width);
    const data = width < NARROW ? figure.data.map((trace) => withoutSmallText(trace, width)) : figure.data;
    return Plotly.react(element, data, layout, figure.config);
  }

  // Fit a layout that was made for a wide screen into few pixels: bars below, fewer names on axes, no brackets beside it.
  function narrow(layout, width) {
    for (const name of Object.keys(layout).filter((each) => /^coloraxis\d*$/.test(each))) {
      const bar = layout[name].colorbar;
      if (bar) withRoomForChance(bar, layout[name], width);
      if (bar) Object.assign(bar, { orientation: "h", x: 0.5, xanchor: "center", xref: "paper", y: -0.22, yanchor: "top", len: 1, tickangle: 0, tickfont: { size: 10 }, title: { ...bar.title, side: "bottom", font: { size: 11 } } });
    }
    const beside = (each) => each.xsizemode === "pixel" || (each.xref === "paper" && each.x === 1 && each.xshift);
    layout.shapes = (layout.shapes || []).filter((each) => !beside(each));
    layout.annotations = (layout.annotations || []).filter((each) => !beside(each));
    layout.margin = { ...layout.margin, r: 8, b: 110 };
    layout.height = narrowHeight(layout);
    const most = Math.max(3, Math.floor(width / 44));
    const axis = layout.xaxis || {};
    if (axis.tickvals && axis.tickvals.length > most) {
      const every = Math.ceil(axis.tickvals.length / most);
      for (const key of ["tickvals", "ticktext"]) axis[key] = axis[key].filter((_, place) => place % every === 0);
    }
  }

  // Leave out the numbers that the word "chance" would lie on where a bar lies below its figure.
  function withRoomForChance(bar, axis, width) {
    const values = bar.tickvals || [];
    const chance = values[(bar.ticktext || []).findIndex((text) => text.includes("chance"))];
    if (chance === undefined) return;
    const near = ((axis.cmax - axis.cmin) * CHANCE_WIDTH) / width;
    const kept = (_, place) => values[place] === chance || Math.abs(values[place] - chance) > near;
    Object.assign(bar, { tickvals: values.filter(kept), ticktext: bar.ticktext.filter(kept) });
  }

  // Leave numbers out of a heatmap's cells that have no room for them: the hover has them.
  function withoutSmallText(trace, width) {
    const across = trace.z && (trace.z.shape ? String(trace.z.shape).split(",")[1] : (trace.z[0] || []).length);
    return trace.texttemplate && (width - 60) / across < LEAST_CELL ? { ...trace, texttemplate: null } : trace;
  }

  function again() {
    for (const [element, figure] of drawn) draw(element, figure);
  }

  // Fill a select box with names, whose values are their places.
  function options(select, names, value) {
    const listed = names.join("\n");
    if (filled.get(select) !== listed) select.replaceChildren(...names.map((name, place) => new Option(name, place)));
    filled.set(select, listed); // two hundred names are not made anew at every step
    select.value = value === null ? "" : value;
  }

  dark.addEventListener("change", again);
  return { bring, load, numbers, valueOf, draw, reserve, options, NARROW, MISSING };
})();

// The figures of a board: each element names its data, and is drawn when it comes near, the others when nothing else is to do.
addEventListener("DOMContentLoaded", async () => {
  const waiting = new Set(document.querySelectorAll(".figure[data-figure]"));
  let last = Promise.resolve();
  const draw = (element) => {
    if (!waiting.delete(element)) return;
    last = last.then(async () => atlas.draw(element, await atlas.load(element.dataset.figure))).catch((error) => {
      element.textContent = error.message;
    });
  };
  const isNear = (element) => element.getBoundingClientRect().top < 2 * innerHeight;
  [...waiting].filter(isNear).forEach(draw);
  await last;
  const observer = new IntersectionObserver((seen) => seen.filter((each) => each.isIntersecting).forEach(({ target }) => draw(target)), { rootMargin: "100% 0px" });
  waiting.forEach((element) => observer.observe(element));
  const idle = window.requestIdleCallback || ((draws) => setTimeout(draws, 300));
  const next = () => idle(() => waiting.size && (draw([...waiting][0]), last.then(next))); // all are there for who prints
  next();
  if (!document.querySelector(".figure[id]")) document.documentElement.dataset.drawn = "all"; // other pages draw their own
});
