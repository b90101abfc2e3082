// Walks the days of a calendar by arrow keys: it is one stop of the tab key, as a grid is.

function cells(table: HTMLTableElement): (HTMLAnchorElement | null)[][] {
  return [...table.tBodies[0]!.rows].map((row) => [...row.cells].slice(1).map((cell) => cell.querySelector("a")));
}

/** The tab key reaches the day that has the focus, or today. */
function settle(table: HTMLTableElement): void {
  const all = [...table.querySelectorAll<HTMLAnchorElement>("a.square-link")];
  const today = cells(table)
    .flatMap((row) => row.at(-1) ?? [])
    .at(-1);
  const reached = all.find((day) => day === document.activeElement) ?? today;
  for (const day of all) day.tabIndex = day === reached ? 0 : -1;
}

const STEPS: Readonly<Record<string, readonly [row: number, column: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

document.addEventListener("keydown", (event) => {
  const step = STEPS[event.key];
  const day = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a.square-link") : null;
  const table = day?.closest<HTMLTableElement>("[data-weeks]");
  if (step === undefined || day === null || table === null || table === undefined) return;
  event.preventDefault();
  const grid = cells(table);
  const row = grid.findIndex((days) => days.includes(day));
  const next = grid[row + step[0]]?.[grid[row]!.indexOf(day) + step[1]];
  if (next === null || next === undefined) return;
  next.focus();
  settle(table);
});

function settleAll(): void {
  for (const table of document.querySelectorAll<HTMLTableElement>("[data-weeks]")) settle(table);
}

settleAll();
document.addEventListener("htmx:after:swap", settleAll);
