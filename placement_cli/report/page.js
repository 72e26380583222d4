"use strict";
// Draws every chart of the page into its place, one after the other, so that the page answers while it does.
(async () => {
  const { config, specs } = JSON.parse(document.getElementById("charts").textContent);
  const options = {
    mode: "vega-lite",
    renderer: "svg",
    actions: false,
    // Expressions are interpreted: the page's policy lets no text become code.
    ast: true,
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
    config,
  };
  for (const [id, spec] of Object.entries(specs)) {
    const place = document.getElementById(id);
    try {
      await window.vegaEmbed(place, spec, options);
    } catch (error) {
      place.textContent = "This chart could not be drawn. Its data stands in the table below.";
      console.error(id, error);
    }
  }
  document.documentElement.dataset.drawn = String(Object.keys(specs).length);
})();
// In print, what can be opened is open.
(() => {
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const each of closed) each.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const each of closed) each.open = false;
  });
})();
