// The keys: `/` searches, `j` and `k` go from job to job, `?` shows them all. None while somebody writes.

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** To the next row in the list, or the one before. */
function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const place = rows.indexOf(document.activeElement as HTMLElement);
  const next = place === -1 ? (by === 1 ? 0 : rows.length - 1) : place + by;
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.querySelector<HTMLInputElement>("input[type=search]");
  if (isWriting(target)) {
    if (key === "Escape" && target === search) search?.blur();
    return;
  }
  if (document.querySelector("dialog[open]") !== null) return;
  if (key === "/" && search !== null) search.select();
  else if (key === "j") step(1);
  else if (key === "k") step(-1);
  else if (key === "?") document.querySelector<HTMLDialogElement>("#help")?.showModal();
  else return;
  event.preventDefault();
});
