// Draws the gallery's figures, in the colours of the page, again when these change.
(function () {
  const figures = document.querySelectorAll(".isogloss-figure");
  if (!figures.length) return;
  function draw() {
    const style = getComputedStyle(document.body);
    const ink = style.color;
    const paper = style.backgroundColor;
    figures.forEach(function (place) {
      const given = JSON.parse(place.querySelector("script").textContent);
      const layout = Object.assign({}, given.figure.layout, {
        autosize: true,
        font: { family: "system-ui, sans-serif", size: 13, color: ink },
        hoverlabel: Object.assign({}, given.figure.layout.hoverlabel, { bgcolor: paper, font: { color: ink } }),
      });
      delete layout.width;
      let drawing = place.querySelector(".drawing");
      if (!drawing) {
        drawing = document.createElement("div");
        drawing.className = "drawing";
        place.appendChild(drawing);
      }
      Plotly.react(drawing, given.figure.data, layout, given.config);
    });
  }
  window.addEventListener("load", function () {
    draw();
    new MutationObserver(draw).observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
  });
})();
