// Shows the forms for passkeys and notifications where this browser supports them. When a person sends such a form, the
// script asks the browser and sends its answer along.

import { allowed, subscribed, whyNotNotified } from "./notify.ts";

type AskedKind = "sign" | "make" | "notify";

const isKnown =
  window.isSecureContext &&
  "credentials" in navigator &&
  "parseRequestOptionsFromJSON" in (window.PublicKeyCredential ?? {});

for (const form of document.querySelectorAll<HTMLFormElement>("form[data-passkey]")) {
  const why = form.dataset["passkey"] === "notify" ? whyNotNotified() : isKnown ? null : undefined;
  const isHere = (form.dataset["origin"] ?? location.origin) === location.origin;
  const aside = form.parentElement;
  form.hidden = why !== null || !isHere;
  const [elsewhere, missing] = ["elsewhere", "missing"].map((word) =>
    aside?.querySelector<HTMLElement>(`[data-passkey-${word}]`),
  );
  if (elsewhere) elsewhere.hidden = isHere;
  if (missing) missing.hidden = why === null || !isHere;
  if (missing && why) missing.textContent = why;
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.dataset["passkey"] === undefined) return;
  event.preventDefault();
  const [button, wrong] = [form.querySelector("button")!, form.querySelector<HTMLElement>("[role=alert]")!];
  button.disabled = true;
  wrong.hidden = true;
  try {
    if (form.dataset["passkey"] === "notify") await allowed();
    const question = await ask(form);
    const answer = await answerTo(form.dataset["passkey"] as AskedKind, question);
    form.querySelector<HTMLInputElement>("[name=answer]")!.value = JSON.stringify(answer);
    form.submit();
  } catch (error) {
    wrong.textContent = inWords(error);
    wrong.hidden = false;
    button.disabled = false;
  }
});

/**
 * Fetches from the server what the browser needs to answer, such as the challenge for a passkey. When the server
 * refuses, throws an error with the server's words.
 */
async function ask(form: HTMLFormElement): Promise<unknown> {
  const fields = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  const answer = await fetch(form.dataset["question"]!, { method: "POST", body: fields });
  const isJson = answer.headers.get("content-type") === "application/json";
  if (!isJson) throw new Error("rollcall could not be asked. Load the page again, and sign in if it says so.");
  const told = await answer.json();
  if (answer.ok) return told;
  throw new Error(told.wrong);
}

async function answerTo(kind: AskedKind, question: unknown): Promise<Credential | PushSubscription | null> {
  if (kind === "notify") return subscribed(question as { publicKey: string });
  if (kind === "make") {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      question as PublicKeyCredentialCreationOptionsJSON,
    );
    return navigator.credentials.create({ publicKey });
  }
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(question as PublicKeyCredentialRequestOptionsJSON);
  return navigator.credentials.get({ publicKey });
}

/** Says an error in words. A browser tells only the name of an error, so that no site learns what a device has. */
function inWords(error: unknown): string {
  const { name, message } = error as Error;
  if (name === "NotAllowedError") return "The browser gave no passkey: it was called off, or took too long.";
  return name === "InvalidStateError" ? "This device has a passkey of yours already." : message;
}
