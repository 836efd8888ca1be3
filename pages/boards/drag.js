// Pins are dragged by their titles: the one dropped takes the place of the one under the pointer. The listeners go with the board.
const AT = "[class*=st-key-pin-], [class*=st-key-text-]";

export default function ({ data, setTriggerValue }) {
  const board = document.querySelector(".st-key-board-pins");
  if (!board) return;
  const boxes = new Map(); // each pin's own box, not its parts, whose keys begin as its own does
  for (const id of data.ids) {
    const box = board.querySelector(`.st-key-pin-${id}, .st-key-text-${id}`);
    if (box) boxes.set(box, id);
  }
  const pinAt = (element) => {
    let box = element?.closest(AT);
    while (box && !boxes.has(box)) box = box.parentElement?.closest(AT);
    return box;
  };
  const heads = [...boxes.keys()].map((box) => box.querySelector("[data-testid=stMarkdown]")).filter(Boolean);
  let dragged = null;
  let onto = null;
  const mark = (box) => {
    if (onto) onto.style.outline = "";
    onto = box && box !== dragged ? box : null;
    if (onto) onto.style.outline = "3px solid var(--primary-color, #0b6572)";
  };
  const move = (event) => mark(pinAt(document.elementFromPoint(event.clientX, event.clientY)));
  const end = (event) => {
    const target = event.type === "pointerup" ? onto : null;
    mark(null);
    if (dragged) dragged.style.opacity = "";
    if (dragged && target) setTriggerValue("moved", [boxes.get(dragged), boxes.get(target)]);
    dragged = null;
    document.removeEventListener("pointermove", move);
    document.removeEventListener("pointerup", end);
    document.removeEventListener("pointercancel", end);
  };
  const begin = (event) => {
    if (event.button !== 0 || event.target.closest("a, button")) return;
    event.preventDefault(); // else its text is selected
    dragged = pinAt(event.currentTarget);
    dragged.style.opacity = ".5";
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", end);
    document.addEventListener("pointercancel", end);
  };
  for (const head of heads) {
    Object.assign(head.style, { cursor: "grab", touchAction: "none" });
    head.title = "Drag to another place";
    head.addEventListener("pointerdown", begin);
  }
  return () => {
    for (const head of heads) head.removeEventListener("pointerdown", begin);
  };
}
