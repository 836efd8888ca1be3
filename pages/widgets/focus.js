// Of many lines that cross, the one under the pointer is seen and the others are faint, its name at the end too.
(() => {
  const FEW = 3, FAINT = 0.15, known = new WeakSet();
  const lines = (plot) => new Set(
    (plot._fullData ?? []).filter((trace) => trace.mode?.includes("lines") && trace.hoverinfo !== "skip").map((trace) => trace.legendgroup),
  );
  const seen = (plot, group) => {
    for (const each of plot.querySelectorAll(".scatterlayer .trace")) {
      const trace = each.__data__?.[0]?.trace;
      if (trace) each.style.opacity = group === null || trace.legendgroup === group ? trace.opacity ?? 1 : FAINT;
    }
    for (const each of plot.querySelectorAll(".annotation")) {
      const name = plot._fullLayout?.annotations?.[each.dataset.index]?.name;
      if (name) each.style.opacity = group === null || name === group ? "" : FAINT;
    }
  };
  document.addEventListener("pointerover", (event) => {
    const plot = event.target.closest?.(".js-plotly-plot");
    if (!plot?.on || !plot._ev || known.has(plot._ev)) return;
    known.add(plot._ev); // a figure drawn anew has another
    plot.on("plotly_hover", ({ points }) => {
      const group = points[0]?.fullData?.legendgroup;
      if (group && points[0].fullData.mode?.includes("lines") && lines(plot).size > FEW) seen(plot, group);
    });
    plot.on("plotly_unhover", () => seen(plot, null));
  });
})();
