// The day while it stands open: the line of now moves with the clock, the figure begins where now is, and pointing at a
// row shows the story of what is nearest. Everything that is shown so stands in the page in words.

function figureOf(): { figure: HTMLElement; from: number; to: number } | null {
  const figure = document.querySelector<HTMLElement>("#day-figure");
  if (figure === null) return null;
  return { figure, from: Number(figure.dataset["from"]), to: Number(figure.dataset["to"]) };
}

function moveNow(): void {
  const found = figureOf();
  if (found === null) return;
  const share = Math.min(1, (Date.now() - found.from) / (found.to - found.from));
  const place = `${Math.round(share * 10_000) / 100}%`;
  for (const mark of found.figure.querySelectorAll("[data-now]"))
    for (const name of mark.tagName === "line" ? ["x1", "x2"] : ["x"])
      if (mark.getAttribute(name) !== place) mark.setAttribute(name, place);
}

/** On a narrow screen the figure is wider than the window: what is of interest is around now. */
function scrollToNow(): void {
  const scroll = document.querySelector("#day-scroll");
  const now = scroll?.querySelector(".day-now");
  if (scroll == null || now == null || scroll.scrollWidth <= scroll.clientWidth) return;
  const { left, width } = scroll.getBoundingClientRect();
  scroll.scrollLeft += now.getBoundingClientRect().left - left - width * 0.7;
}

/** The line of the row's story that is nearest to a place, in thousandths of its width. */
function nearest(row: Element, place: number): HTMLElement | null {
  let [found, least] = [null as HTMLElement | null, 40];
  for (const line of row.querySelectorAll<HTMLElement>("[data-x]")) {
    const [from = 0, to = 0] = (line.dataset["x"] ?? "").split(" ").map(Number);
    const distance = place < from ? from - place : Math.max(0, place - to);
    if (distance < least) [found, least] = [line, distance];
  }
  return found;
}

function point({ target, clientX }: PointerEvent): void {
  const tip = document.querySelector<HTMLElement>("#day-tip");
  if (tip === null) return;
  const plot = target instanceof Element ? target.closest(".day-row-plot") : null;
  const row = plot?.closest(".day-row");
  if (plot == null || row == null) {
    tip.hidden = true;
    return;
  }
  const { left, width, bottom } = plot.getBoundingClientRect();
  const line = nearest(row, ((clientX - left) / width) * 1_000);
  tip.hidden = line === null;
  if (line === null) return;
  tip.textContent = line.textContent;
  const figure = tip.parentElement!.getBoundingClientRect();
  const room = figure.width - tip.offsetWidth;
  tip.style.left = `${Math.max(0, Math.min(room, clientX - figure.left - tip.offsetWidth / 2))}px`;
  tip.style.top = `${bottom - figure.top + 2}px`;
}

moveNow();
scrollToNow();
setInterval(moveNow, 10_000);
document.addEventListener("pointermove", point);
document.addEventListener("pointerdown", point);
document.addEventListener("htmx:after:swap", moveNow);
