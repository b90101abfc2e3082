// Serves the pages of applications and keys, and the forms that make, replace, name, suspend and revoke. A new key is
// shown in the response to its form: so the key is in no address, and no cache keeps it.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { PagesParts } from "../pages-parts.ts";
import { ADDRESSES_PATH, APPLICATIONS_PATH, anchorOf, KEYS_PATH, keyPath } from "../paths.ts";
import { readForm, submitOperationForm } from "../read-form.ts";
import { redirect } from "../response.ts";
import { type Asking, signedIn, withForm } from "../signed-in.ts";
import { viewerMayAs } from "../viewer.ts";
import { keyPage, LABEL_KEY, newKeyPage, ROTATE_KEY } from "./key-page.tsx";
import {
  type ApplicationKeys,
  applicationKeysOf,
  NO_SUCH_ADDRESS,
  NO_SUCH_KEY,
  newestKeyId,
} from "./keys-by-application.tsx";
import { keysPage, MAKE_APPLICATION, MAKE_KEY } from "./keys-page.tsx";
import { revokeAddressPage } from "./old-addresses-part.tsx";
import { revokePage } from "./revoke-page.tsx";
import { SHARE, shareApplicationPage } from "./share-page.tsx";

const ADDRESS_PATH = `${ADDRESSES_PATH}/:id/revoke` as const;

export const keysRoutes = (parts: PagesParts) =>
  new Elysia({ name: "keys" })
    .use(signedIn(parts))
    .get(KEYS_PATH, ({ asking }) => keysPage(asking, parts.statusPages))
    .get(`${KEYS_PATH}/:id`, ({ asking, params: { id } }) => keyPage(asking, Number(id)))
    .get(`${KEYS_PATH}/:id/revoke`, ({ asking, params: { id } }) => revokePage(asking, Number(id)))
    .get(ADDRESS_PATH, ({ asking, params: { id } }) => revokeAddressPage(asking, Number(id)))
    .post(KEYS_PATH, ({ asking }) => withForm(asking, (form) => submitNewKey(asking, parts, form)))
    .post(`${KEYS_PATH}/:id/rotate`, ({ asking, params: { id } }) =>
      withForm(asking, (form) => rotateKey(asking, parts, Number(id), form)),
    )
    .post(`${KEYS_PATH}/:id/label`, ({ asking, params: { id } }) =>
      withForm(asking, (form) => label(asking, Number(id), form)),
    )
    .post(`${KEYS_PATH}/:id/revoke`, ({ asking, params: { id } }) => revoke(asking, "key revoke", Number(id)))
    .post(ADDRESS_PATH, ({ asking, params: { id } }) => revoke(asking, "address revoke", Number(id)))
    .post(APPLICATIONS_PATH, ({ asking }) => withForm(asking, (form) => newApplication(asking, parts, form)))
    .get(`${APPLICATIONS_PATH}/:slug/share`, ({ asking, params: { slug } }) =>
      shareApplicationPage(asking, parts, slug, asking.search),
    )
    .post(`${APPLICATIONS_PATH}/:slug/share`, ({ asking, params: { slug } }) =>
      withForm(asking, (form) => share(asking, parts, slug, form)),
    )
    .post(`${APPLICATIONS_PATH}/:slug/unshare`, ({ asking, params: { slug } }) => {
      const removed = asking.operate("status-page remove", { slug });
      return isRefusal(removed) ? removed : toApplication(slug);
    })
    .post(`${APPLICATIONS_PATH}/:slug/suspend`, ({ asking, params: { slug } }) => setTo("suspend", asking, slug))
    .post(`${APPLICATIONS_PATH}/:slug/resume`, ({ asking, params: { slug } }) => setTo("resume", asking, slug));

const MADE_ALREADY = refuse(
  "INVALID_REQUEST",
  "this form was sent before, or a key was made meanwhile; a key is shown once, and is not shown again. No other was made",
);

/**
 * Makes a key. The form holds the number of the newest key that its page showed; when a newer key exists by now, no key
 * is made. So a browser that sends the form again on a reload makes no second key.
 */
function submitNewKey(asking: Asking, { address, statusPages }: PagesParts, form: URLSearchParams): Response | Refusal {
  const read = readForm(MAKE_KEY, form);
  const application = isRefusal(read) ? null : (read.application ?? null);
  if (isMade(asking, form, ({ slug }) => slug === application)) return MADE_ALREADY;
  return submitOperationForm(asking, MAKE_KEY, form, {
    done: (made) => newKeyPage(asking, address, made),
    again: (refused) => keysPage(asking, statusPages, refused),
    about: application,
  });
}

function rotateKey(asking: Asking, { address }: PagesParts, id: number, form: URLSearchParams): Response | Refusal {
  if (!Number.isSafeInteger(id)) return NO_SUCH_KEY;
  if (isMade(asking, form, ({ live }) => live.some((key) => key.id === id))) return MADE_ALREADY;
  return submitOperationForm(asking, ROTATE_KEY, form, {
    given: () => ({ id }),
    done: (made) => newKeyPage(asking, address, made),
    again: (refused) => keyPage(asking, id, refused),
  });
}

/** Whether a key of this application was made after the form was shown. */
function isMade(
  { engine, viewer }: Asking,
  form: URLSearchParams,
  isMeant: (ring: ApplicationKeys) => boolean,
): boolean {
  const newest = form.get("newest");
  if (newest === null || !viewerMayAs(viewer, "admin")) return false;
  const ring = applicationKeysOf(engine, viewer).find(isMeant);
  return ring !== undefined && newestKeyId(ring) !== Number(newest);
}

const toApplication = (slug: string): Response => redirect(`${KEYS_PATH}#${anchorOf(slug)}`);

function setTo(action: "suspend" | "resume", { operate }: Asking, slug: string): Response | Refusal {
  const done = operate(`app ${action}`, { slug });
  return isRefusal(done) ? done : toApplication(slug);
}

const newApplication = (asking: Asking, { statusPages }: PagesParts, form: URLSearchParams) =>
  submitOperationForm(asking, MAKE_APPLICATION, form, {
    done: ({ slug }) => toApplication(slug),
    again: (refused) => keysPage(asking, statusPages, refused),
  });

/**
 * Shares a status page of an application. When the form is sent twice, the second time changes nothing: the address
 * stays the one that people were given.
 */
function share(asking: Asking, parts: PagesParts, slug: string, form: URLSearchParams) {
  const shared = asking.operate("status-page list", { application: slug });
  if (!isRefusal(shared) && shared.pages.length > 0) return toApplication(slug);
  return submitOperationForm(asking, SHARE, form, {
    given: () => ({ slug }),
    done: () => toApplication(slug),
    again: ({ wrong }) => shareApplicationPage(asking, parts, slug, form, wrong),
  });
}

const label = (asking: Asking, id: number, form: URLSearchParams): Response | Refusal =>
  Number.isSafeInteger(id)
    ? submitOperationForm(asking, LABEL_KEY, form, {
        given: () => ({ id }),
        done: () => redirect(keyPath(id)),
        again: (refused) => keyPage(asking, id, refused),
      })
    : NO_SUCH_KEY;

const NO_SUCH = { "key revoke": NO_SUCH_KEY, "address revoke": NO_SUCH_ADDRESS };

function revoke({ operate }: Asking, name: keyof typeof NO_SUCH, id: number): Response | Refusal {
  const revoked = Number.isSafeInteger(id) ? operate(name, { id }) : NO_SUCH[name];
  return isRefusal(revoked) ? revoked : toApplication(revoked.application);
}
