// Keeps the browser's tab true when the headline changes: its title, and the colour of its icon.

function follow(): void {
  const headline = document.querySelector<HTMLElement>("[data-title]");
  const { title, icon } = headline?.dataset ?? {};
  if (title !== undefined && document.title !== title) document.title = title;
  const link = document.querySelector<HTMLLinkElement>("#icon");
  if (link !== null && icon !== undefined && link.getAttribute("href") !== icon) link.setAttribute("href", icon);
}

document.addEventListener("htmx:after:swap", follow);
