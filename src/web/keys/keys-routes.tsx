// Applications and keys: their pages, and the forms that make, replace, name, suspend and revoke. A new key is the
// answer to its form, which no cache keeps, so that it stands in no address.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { KeyScope } from "../../engine/api.ts";
import { redirect } from "../answer.ts";
import type { PagesParts } from "../pages-parts.ts";
import { ADDRESSES_PATH, APPLICATIONS_PATH, anchorOf, KEYS_PATH, keyPath } from "../paths.ts";
import { isMistyped, sentenceOf } from "../refusal-page.tsx";
import { type Asking, signedIn, withForm } from "../signed-in.ts";
import { mayAs } from "../viewer.ts";
import { keyPage, newKeyPage } from "./key-page.tsx";
import { keysPage } from "./keys-page.tsx";
import { revokeAddressPage } from "./old-addresses.tsx";
import { revokePage } from "./revoke-page.tsx";
import { NO_SUCH_ADDRESS, NO_SUCH_KEY, newestOf, type Ring, ringsOf } from "./rings.tsx";
import { share } from "./status-page-part.tsx";

const ADDRESS_PATH = `${ADDRESSES_PATH}/:id/revoke` as const;

export const keysRoutes = (parts: PagesParts) =>
  new Elysia({ name: "keys" })
    .use(signedIn(parts))
    .get(KEYS_PATH, ({ asking }) => keysPage(asking, parts.statusPages))
    .get(`${KEYS_PATH}/:id`, ({ asking, params: { id } }) => keyPage(asking, Number(id)))
    .get(`${KEYS_PATH}/:id/revoke`, ({ asking, params: { id } }) => revokePage(asking, Number(id)))
    .get(ADDRESS_PATH, ({ asking, params: { id } }) => revokeAddressPage(asking, Number(id)))
    .post(KEYS_PATH, ({ asking }) =>
      withForm(asking, (form) => newKeyPage(asking, parts.address, makeKey(asking, form))),
    )
    .post(`${KEYS_PATH}/:id/rotate`, ({ asking, params: { id } }) =>
      withForm(asking, (form) => newKeyPage(asking, parts.address, rotateKey(asking, Number(id), form))),
    )
    .post(`${KEYS_PATH}/:id/label`, ({ asking, params: { id } }) =>
      withForm(asking, (form) => label(asking, Number(id), form)),
    )
    .post(`${KEYS_PATH}/:id/revoke`, ({ asking, params: { id } }) => revoke(asking, "key revoke", Number(id)))
    .post(ADDRESS_PATH, ({ asking, params: { id } }) => revoke(asking, "address revoke", Number(id)))
    .post(APPLICATIONS_PATH, ({ asking }) =>
      withForm(asking, (form) => newApplication(asking, parts.statusPages, form)),
    )
    .post(`${APPLICATIONS_PATH}/:slug/share`, ({ asking, params: { slug } }) =>
      withForm(asking, (form) => {
        const refused = share(asking, slug, form);
        if (refused === null) return toRing(slug);
        return isRefusal(refused) ? refused : keysPage(asking, parts.statusPages, { page: refused });
      }),
    )
    .post(`${APPLICATIONS_PATH}/:slug/unshare`, ({ asking, params: { slug } }) => {
      const removed = asking.operate("status-page remove", { slug });
      return isRefusal(removed) ? removed : toRing(slug);
    })
    .post(`${APPLICATIONS_PATH}/:slug/suspend`, ({ asking, params: { slug } }) => setTo("suspend", asking, slug))
    .post(`${APPLICATIONS_PATH}/:slug/resume`, ({ asking, params: { slug } }) => setTo("resume", asking, slug));

const MADE_ALREADY = refuse(
  "INVALID_REQUEST",
  "this form was sent before, or a key was made meanwhile; a key is shown once, and is not shown again. No other was made",
);

/** A form that says which key was the newest makes one key, even when a browser sends it again on a reload. */
function makeKey(asking: Asking, form: URLSearchParams) {
  const application = form.get("application") ?? "";
  if (isMade(asking, form, ({ slug }) => slug === application)) return MADE_ALREADY;
  // The operation says what a scope may be.
  const scope = (form.get("scope") ?? "all") as KeyScope;
  return asking.operate("key create", { application, scope, label: labelIn(form) });
}

function rotateKey(asking: Asking, id: number, form: URLSearchParams) {
  if (!Number.isSafeInteger(id)) return NO_SUCH_KEY;
  if (isMade(asking, form, ({ live }) => live.some((key) => key.id === id))) return MADE_ALREADY;
  const overlap = form.get("overlap");
  return asking.operate("key rotate", overlap === null ? { id } : { id, overlapSeconds: Number(overlap) });
}

/** Whether a key of this ring was made since the form was shown. */
function isMade({ engine, viewer }: Asking, form: URLSearchParams, isMeant: (ring: Ring) => boolean): boolean {
  const newest = form.get("newest");
  if (newest === null || !mayAs(viewer, "admin")) return false;
  const ring = ringsOf(engine, viewer).find(isMeant);
  return ring !== undefined && newestOf(ring) !== Number(newest);
}

const labelIn = (form: URLSearchParams): string | null => (form.get("label") ?? "").trim() || null;

const toRing = (slug: string): Response => redirect(`${KEYS_PATH}#${anchorOf(slug)}`);

function setTo(action: "suspend" | "resume", { operate }: Asking, slug: string): Response | Refusal {
  const done = operate(`app ${action}`, { slug });
  return isRefusal(done) ? done : toRing(slug);
}

function newApplication(asking: Asking, here: PagesParts["statusPages"], form: URLSearchParams): Response | Refusal {
  const slug = (form.get("slug") ?? "").trim();
  const made = asking.operate("app create", { slug });
  if (!isRefusal(made)) return toRing(made.slug);
  return isMistyped(made) ? keysPage(asking, here, { application: { slug, wrong: sentenceOf(made) } }) : made;
}

function label(asking: Asking, id: number, form: URLSearchParams): Response | Refusal {
  const done = Number.isSafeInteger(id) ? asking.operate("key label", { id, label: labelIn(form) }) : NO_SUCH_KEY;
  if (!isRefusal(done)) return redirect(keyPath(id));
  return isMistyped(done) ? keyPage(asking, id, sentenceOf(done)) : done;
}

const NO_SUCH = { "key revoke": NO_SUCH_KEY, "address revoke": NO_SUCH_ADDRESS };

function revoke({ operate }: Asking, name: keyof typeof NO_SUCH, id: number): Response | Refusal {
  const revoked = Number.isSafeInteger(id) ? operate(name, { id }) : NO_SUCH[name];
  return isRefusal(revoked) ? revoked : toRing(revoked.application);
}
