// Opens the dialog that a button names.

document.addEventListener("click", ({ target }) => {
  const opener = target instanceof Element ? target.closest<HTMLElement>("[data-opens]") : null;
  const dialog = opener === null ? null : document.getElementById(opener.dataset["opens"] ?? "");
  if (dialog instanceof HTMLDialogElement) dialog.showModal();
});
