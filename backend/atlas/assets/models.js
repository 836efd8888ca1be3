"use strict";
// Models by one measure, as backend/atlas/related.py has them: a figure, and its numbers to read.
addEventListener("DOMContentLoaded", async () => {
  const at = (id) => document.getElementById(id);
  const cell = (kind, text, name) => Object.assign(document.createElement(kind), { textContent: text, className: name || "" });

  function row(...cells) {
    const made = document.createElement("tr");
    made.append(...cells);
    return made;
  }

  async function show(measures, place) {
    const { label, axis, figure, rows } = measures[place];
    at("measure").value = place;
    at("said").textContent = axis;
    const head = row(...["Model", "Checkpoint", "Mean, 95% interval", "Rank, 95% interval", "Not told apart", "Over"].map((name) => cell("th", name)));
    at("ranks").replaceChildren(head, ...rows.map((each) => row(...each.map((text, i) => cell("td", text, i > 1 ? "number" : "")))));
    at("figure").setAttribute("aria-label", `Models by ${label}`);
    atlas.reserve(at("figure"), figure);
    history.replaceState(null, "", `#${new URLSearchParams({ measure: label })}`);
    await atlas.draw(at("figure"), figure);
    document.documentElement.dataset.shown = label;
  }

  try {
    const measures = await atlas.load("models");
    const asked = () => Math.max(0, measures.findIndex(({ label }) => label === new URLSearchParams(location.hash.slice(1)).get("measure")));
    atlas.options(at("measure"), measures.map(({ label }) => label), 0);
    at("measure").addEventListener("change", () => show(measures, Number(at("measure").value)));
    addEventListener("hashchange", () => show(measures, asked()));
    await show(measures, asked());
  } catch (error) {
    at("problem").textContent = error.message;
  }
  document.documentElement.dataset.drawn = "all";
});
