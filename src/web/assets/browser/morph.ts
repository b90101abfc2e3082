// Makes an element like a newer one and keeps what a person does with it: the focus, what is open, written and chosen.

/** What a person changes by themselves: a menu, a story, a tip. */
const THEIRS = new Set(["open", "style"]);

const focused = (): Element | null => (document.activeElement === document.body ? null : document.activeElement);

/** Puts the newer one in the place of what has its id. */
export function morph(old: Element, fresh: Element): void {
  const active = focused();
  const near = active === null || !old.contains(active) ? null : placeOf(active);
  become(old, fresh);
  if (active === null || focused() === active) return;
  if (active.isConnected) (active as HTMLElement).focus({ preventScroll: true });
  else if (near !== null) nearest(near)?.focus({ preventScroll: true });
}

// Where the focus goes whose element is gone: to what now has its place in what stood around it.

const FOCUSABLE = "a[href], button, input:not([type=hidden]), select, summary, textarea";

interface FocusPlace {
  readonly ids: readonly string[];
  readonly place: number;
}

function placeOf(active: Element): FocusPlace {
  const ids: string[] = [];
  for (let at = active.parentElement; at !== null; at = at.parentElement) if (at.id !== "") ids.push(at.id);
  const around = active.closest(".acts") ?? active.parentElement!;
  return { ids, place: [...around.querySelectorAll(FOCUSABLE)].indexOf(active) };
}

function nearest({ ids, place }: FocusPlace): HTMLElement | null {
  for (const id of ids) {
    const around = document.getElementById(id);
    if (around === null) continue;
    const all = (around.querySelector(".acts") ?? around).querySelectorAll<HTMLElement>(FOCUSABLE);
    const found = [...all].filter((one) => one.checkVisibility())[Math.max(0, place)] ?? all[0];
    if (found !== undefined) return found;
  }
  return null;
}

function become(old: Element, fresh: Element): void {
  if (old.tagName !== fresh.tagName || old.id !== fresh.id) return old.replaceWith(fresh);
  if (old.isEqualNode(fresh)) return;
  const isWritten = old === document.activeElement;
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && !THEIRS.has(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (!THEIRS.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  if (old instanceof HTMLInputElement && !isWritten && old.type !== "checkbox" && old.value !== old.defaultValue)
    old.value = old.defaultValue;
  childrenBecome(old, fresh);
  if (old instanceof HTMLSelectElement && !isWritten) old.value = (fresh as HTMLSelectElement).value;
}

const idOf = (node: Node): string => (node instanceof Element ? node.id : "");

/** Those with an id are found by it, others by their place. */
function childrenBecome(old: Element, fresh: Element): void {
  const byId = new Map([...old.children].filter(({ id }) => id !== "").map((child) => [child.id, child]));
  const wanted = new Set([...fresh.children].map(({ id }) => id));
  let at: ChildNode | null = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    while (at !== null && idOf(at) !== "" && !wanted.has(idOf(at))) at = removed(at);
    const same = byId.get(idOf(child)) ?? null;
    if (same !== null && same !== at) move(old, same, at);
    const found: ChildNode | null = same ?? (at !== null && isAlike(at, child) ? at : null);
    if (found === null) {
      old.insertBefore(child, at);
      continue;
    }
    if (found === at) at = at.nextSibling;
    if (found instanceof Element) become(found, child as Element);
    else if (found.nodeValue !== child.nodeValue) found.nodeValue = child.nodeValue;
  }
  while (at !== null) at = removed(at);
}

function removed(node: ChildNode): ChildNode | null {
  const { nextSibling } = node;
  node.remove();
  return nextSibling;
}

const isAlike = (a: Node, b: Node): boolean => a.nodeName === b.nodeName && idOf(a) === "" && idOf(b) === "";

/** Browsers that can move an element without taking it away leave it the focus. */
function move(parent: Element, child: Element, before: ChildNode | null): void {
  const mover = parent as Element & { moveBefore?: (child: Element, before: ChildNode | null) => void };
  if (mover.moveBefore === undefined) parent.insertBefore(child, before);
  else mover.moveBefore(child, before);
}
