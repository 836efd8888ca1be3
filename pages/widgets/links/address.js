// Writes the address, keeps the browser's history to one entry a view or cell, and copies links.
// One script serves all pages: what it must remember between them lies in `window.isogloss`.

function begin() {
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  const known = { push, replace, place: null, url: null };
  // Streamlit writes each change of a parameter at whatever path it finds, which may still be that of the page being left:
  // Back would find nothing there. On the same path this script alone writes.
  const ours = (write) => (state, unused, url) => {
    const to = new URL(url ?? location.href, location.href);
    if (to.pathname !== location.pathname || to.hash !== location.hash) write(state, unused, url);
  };
  history.pushState = ours(push);
  history.replaceState = ours(replace);
  // After Back or Forward the entry is there: what comes next only completes it.
  window.addEventListener("popstate", () => { known.place = null; });
  return known;
}

async function copied(text) {
  if (navigator.clipboard) {
    try { await navigator.clipboard.writeText(text); return true; } catch { /* the older way, below */ }
  }
  const field = document.createElement("textarea"); // a server without TLS has no clipboard of its own
  field.value = text;
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

export default function ({ data, parentElement }) {
  const known = (window.isogloss ??= begin());
  const here = location.pathname.replace(/\/+$/, "");
  const ours = data.path === "" || here.endsWith("/" + data.path);
  if (ours && known.run !== data.run) {
    known.run = data.run;
    const url = location.pathname + (data.query ? "?" + data.query : "");
    const samePage = known.url?.split("?")[0] === location.pathname;
    if (known.place !== null && known.place !== data.place && samePage) {
      known.replace({}, "", known.url); // the control has written itself into the entry that it leaves
      known.push({}, "", url);
    } else if (url !== location.pathname + location.search) {
      known.replace({}, "", url);
    }
    known.place = data.place;
    known.url = url;
  }
  const button = parentElement.querySelector("button");
  button.hidden = data.link === null;
  button.onclick = async () => {
    const said = (await copied(location.origin + location.pathname + "?" + data.link)) ? "Link copied" : "Not copied";
    button.querySelector("span").textContent = said;
    parentElement.querySelector("output").textContent = said;
    setTimeout(() => { button.querySelector("span").textContent = "Copy link"; }, 2000);
  };
}
