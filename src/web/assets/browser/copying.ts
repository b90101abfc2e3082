// Copies a line for whom asks, where the browser lets us.

const hasClipboard = window.isSecureContext && "clipboard" in navigator;

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copies]")) button.hidden = !hasClipboard;

document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>("[data-copies]") : null;
  const text = button?.parentElement?.querySelector("code")?.textContent;
  if (button === null || text === undefined || text === null) return;
  await navigator.clipboard.writeText(text);
  button.textContent = "Copied";
});
