// The keys of a figure that is alone in the window. The listener goes when the figure does.
const KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Escape", "n"];

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.host ?? parentElement;
  parentElement.querySelector(".hint").textContent = data.hint;
  parentElement.querySelector("button").onclick = () => setTriggerValue("pressed", "Escape");
  const stage = host.closest(".st-key-presented");
  if (stage) stage.style.background = getComputedStyle(host).getPropertyValue("--st-background-color");
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); // else a hidden control hears the keys too
  if (window.isoglossKeys) document.removeEventListener("keydown", window.isoglossKeys, true);
  const keys = (event) => {
    if (!KEYS.includes(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    setTriggerValue("pressed", event.key);
  };
  window.isoglossKeys = keys;
  document.addEventListener("keydown", keys, true);
  return () => document.removeEventListener("keydown", keys, true); // its own: the next one may hear already
}
