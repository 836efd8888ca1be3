"use strict";
// Sentences that a layer confuses, of a pair of languages, where they came along: as the dashboard lists them. Texts of data are
// put in as text, never as HTML.
const sentences = (() => {
  const SHOWN = 20; // triplets of a task: the file to download has all
  const OFFERED = 40; // pairs that sentences are there of, to choose from
  const WORDS = {
    meaning: "Each sentence, its translation, and another sentence.",
    language: "Each sentence, a sentence of its own language, and a sentence in the other language.",
  };

  const made = (kind, text, more) => Object.assign(document.createElement(kind), { textContent: text, ...more });

  // Draw them in an element, or what there are: `named` says a view (places of checkpoint, layer and languages), `go` opens one.
  async function draw(element, grid, { number, sentences: credit }, chosen, task, named, go) {
    const views = await atlas.load(`g${number}-sentences`);
    const ends = [chosen.source, chosen.target].sort((one, other) => one - other);
    const here = [chosen.checkpoint, chosen.layer, ...ends].join();
    const place = views.findIndex((view) => view.join() === here);
    const from = made("p", `From ${credit}. `, { className: "quiet" });
    from.append(made("a", "All as CSV", { href: `tables/g${number}-sentences.csv`, download: "" }));
    if (place >= 0) element.replaceChildren(from, ...listed(await atlas.load(`g${number}-s${place}`), grid, chosen, task));
    else element.replaceChildren(from, made("p", "They are here of:"), offered(views, named, go));
  }

  function offered(views, named, go) {
    const list = made("ul", "");
    for (const [checkpoint, layer, source, target] of views.slice(0, OFFERED)) {
      const button = made("button", named({ checkpoint, layer, source, target }), { type: "button" });
      button.addEventListener("click", () => go({ checkpoint, layer, source, target, view: "Pairs" }));
      const item = made("li", "");
      item.append(button);
      list.append(item);
    }
    if (views.length > OFFERED) list.append(made("li", `and ${views.length - OFFERED} more`));
    return list;
  }

  function listed(rows, grid, chosen, task) {
    const source = grid.languages[chosen.source];
    const own = rows.filter((row) => row[0] === task && row[1] === source).sort((one, other) => one[10] - other[10]);
    const wrong = own.filter((row) => row[10] < 0).length;
    const head = made("p", `${WORDS[task]} Margin: similarity to the first − similarity to the second; below 0 is an error: ${wrong} of ${own.length}.`);
    const list = made("ol", "", { className: "triplets" });
    list.append(...own.slice(0, SHOWN).map((row) => triplet(row, task)));
    return [head, list];
  }

  // How near the one lies that should be farther: the most confused are not all errors.
  const lies = (margin) => (margin < 0 ? "is nearer" : margin > 0 ? "is farther" : "is as near");

  function triplet([, source, target, , , anchor, right, wrong, near, far, margin], task) {
    const item = made("li", "");
    item.append(
      line(anchor, source, ""),
      line(right, task === "meaning" ? target : source, `should be nearer · ${cells.number(near, 3)}`),
      line(wrong, target, `${lies(margin)} · ${cells.number(far, 3)} · margin ${margin > 0 ? "+" : ""}${cells.number(margin, 3)}`),
    );
    return item;
  }

  // A sentence in its language, in the direction that it is written in, with what is said of it.
  function line(text, lang, said) {
    const row = made("p", "");
    row.append(made("bdi", text, { lang, dir: "auto" }));
    if (said) row.append(" ", made("span", said, { className: "quiet" }));
    return row;
  }

  return { draw };
})();
