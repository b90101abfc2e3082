// Scrolls the bar to the link of the present page, where the bar is too narrow for all links.

const current = document.querySelector<HTMLElement>(".bar nav [aria-current]");
const places = current?.parentElement;
if (current && places)
  places.scrollLeft = current.offsetLeft - places.offsetLeft - (places.clientWidth - current.offsetWidth) / 2;

// Closes the open menu: by `Esc`, which gives the focus back to its button, or when the tab key leaves the menu.

const openMenu = (): HTMLDetailsElement | null => document.querySelector("details.menu[open]");

document.addEventListener("keydown", (event) => {
  const menu = openMenu();
  if (event.key !== "Escape" || menu === null || document.querySelector("dialog[open]") !== null) return;
  event.preventDefault();
  menu.open = false;
  menu.querySelector("summary")?.focus();
});

document.addEventListener("focusout", ({ target, relatedTarget }) => {
  const menu = openMenu();
  if (menu === null || !menu.contains(target as Node) || !(relatedTarget instanceof Element)) return;
  if (!menu.contains(relatedTarget) && relatedTarget.closest("dialog") === null) menu.open = false;
});
