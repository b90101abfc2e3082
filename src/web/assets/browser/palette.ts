// Drives the palette, a box that finds anything. It opens by Ctrl K, or by `/` on a page without a search. While a
// person types, it shows the results of `/find`.

const WRITTEN = 120;

const palette = document.querySelector<HTMLDialogElement>("#palette");
const field = palette?.querySelector("input") ?? null;
let written: ReturnType<typeof setTimeout> | undefined;
let under = new AbortController();

export function openPalette(): void {
  if (palette === null || field === null || palette.open) return;
  palette.showModal();
  field.select();
  void find();
}

async function find(): Promise<void> {
  under.abort();
  under = new AbortController();
  try {
    const answer = await fetch(`/find?${new URLSearchParams({ q: field!.value })}`, { signal: under.signal });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.querySelector("#found") ?? page.querySelector("main p");
    const reached = entries().indexOf(document.activeElement as HTMLElement);
    palette!.querySelector("div")!.replaceChildren(...(found === null ? [] : [document.importNode(found, true)]));
    // The person may have moved into the earlier results by keys before these came.
    if (reached !== -1) (entries()[reached] ?? field)?.focus();
  } catch {
    // Another letter was typed, or rollcall does not answer. The earlier results stay.
  }
}

const entries = (): HTMLElement[] => [...palette!.querySelectorAll<HTMLElement>("div a, div button")];

palette?.addEventListener("input", () => {
  clearTimeout(written);
  written = setTimeout(find, WRITTEN);
});

/** Opens the first result for the text as it is now: results for an earlier text may still be shown. */
palette?.addEventListener("submit", async (event) => {
  if (!(event.target instanceof HTMLFormElement) || event.target.classList.contains("act")) return;
  event.preventDefault();
  clearTimeout(written);
  await find();
  entries()[0]?.click();
});

palette?.addEventListener("click", ({ target }) => {
  if (target === palette) palette.close();
});

palette?.addEventListener("keydown", (event) => {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (by === 0) return;
  event.preventDefault();
  const all: HTMLElement[] = [field!, ...entries()];
  all[(all.indexOf(document.activeElement as HTMLElement) + by + all.length) % all.length]?.focus();
});

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
  event.preventDefault();
  openPalette();
});
