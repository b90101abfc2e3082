// Menus: `Esc` closes the one that is open and gives the focus back to its button, and so does leaving it by the tab
// key. A click beside closes it without script.

const openMenu = (): HTMLDetailsElement | null => document.querySelector("details.menu[open]");

document.addEventListener("keydown", (event) => {
  const menu = openMenu();
  if (event.key !== "Escape" || menu === null) return;
  event.preventDefault();
  menu.open = false;
  menu.querySelector("summary")?.focus();
});

document.addEventListener("focusout", ({ target, relatedTarget }) => {
  const menu = openMenu();
  if (menu === null || !menu.contains(target as Node) || !(relatedTarget instanceof Node)) return;
  if (!menu.contains(relatedTarget)) menu.open = false;
});
