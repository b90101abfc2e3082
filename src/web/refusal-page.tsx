// The page that a browser gets when a request is refused: one sentence says why, and a link leads back.

import { type Refusal, type RefusalCode, STATUS } from "../domain/errors.ts";
import { capitalized } from "../domain/text.ts";
import { pageResponse } from "./document.tsx";
import { pathBack } from "./posted-form.ts";
import type { Viewer } from "./viewer.ts";

/** The headlines for the refusals that a person is likely to meet; any other refusal has the headline `GENERAL`. */
const HEADS: Partial<Readonly<Record<RefusalCode, string>>> = {
  AUTHENTICATION_REQUIRED: "Sign in to see this",
  ACCESS_DENIED: "This is not yours to see or do",
  HTTPS_REQUIRED: "Only over HTTPS",
  NOT_FOUND: "There is no such page",
  MONITOR_NOT_FOUND: "There is no such job",
  METHOD_NOT_ALLOWED: "That does not work here",
  STORAGE_UNAVAILABLE: "rollcall cannot read its database right now",
  INTERNAL_ERROR: "Something went wrong here",
};

const GENERAL = "That could not be done";

/** The path of the page from which a form was sent; `null` when the browser does not say it, or names another site. */
export function pageBefore({ headers }: Request): string | null {
  const url = URL.parse(headers.get("referer") ?? "");
  return url === null || url.host !== headers.get("host") ? null : pathBack(url.pathname + url.search);
}

export function refusalPage(
  request: Request,
  { refusal, message }: Refusal,
  viewer: Viewer | null,
  more: Readonly<Record<string, string>> = {},
): Response {
  const isWriting = request.method === "POST" && refusal === "STORAGE_UNAVAILABLE";
  const head = isWriting ? "rollcall cannot write to its database right now" : (HEADS[refusal] ?? GENERAL);
  const from = request.method === "POST" ? pageBefore(request) : null;
  return pageResponse(
    { request, viewer },
    { title: head, status: STATUS[refusal], headers: more },
    <section class="plain">
      <h1 class="headline is-quiet">{head}.</h1>
      <p>{refusalSentence(message)}</p>
      <p>
        {from === null ? null : (
          <>
            <a href={refusal === "AUTHENTICATION_REQUIRED" ? `/sign-in?to=${encodeURIComponent(from)}` : from}>
              {refusal === "AUTHENTICATION_REQUIRED" ? "Sign in, and go back to it" : "Back to where it was tried"}
            </a>{" "}
            ·{" "}
          </>
        )}
        <a href="/">To all jobs</a>
      </p>
    </section>,
  );
}

export const refusalSentence = (message: string): string =>
  `${capitalized(message)}${/[.!?]$/.test(message) ? "" : "."}`;
