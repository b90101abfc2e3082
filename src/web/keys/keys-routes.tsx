// Applications and keys: their pages, and the forms that make, replace, name, suspend and revoke. A new key is the
// answer to its form, which no cache keeps, so that it stands in no address.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { pageAnswer, redirect } from "../answer.tsx";
import { RAW } from "../form.ts";
import type { PagesParts } from "../pages-parts.ts";
import { ADDRESSES_PATH, APPLICATIONS_PATH, anchorOf, KEYS_PATH, keyPath } from "../paths.ts";
import { answerForm, refusalPage, sentenceOf } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import { asActor, mayAs, seenBy } from "../viewer.ts";
import {
  createApplication,
  type KeysAsking,
  keyPage,
  keysPage,
  labelKey,
  makeKey,
  newKeyPage,
  revokeKey,
  revokePage,
  rotateKey,
  suspend,
} from "./keys-answers.tsx";
import { RevokeAddressPage } from "./old-addresses.tsx";
import { addressesOf } from "./rings.tsx";

export function keysRoutes({ engine, address, ...parts }: PagesParts) {
  const withForm = ({ request, viewer }: KeysAsking, act: (form: URLSearchParams) => Response) =>
    answerForm(request, viewer, act);

  const setSuspended = (asking: KeysAsking, slug: string, action: "suspend" | "resume"): Response => {
    const done = suspend(asking, slug, action);
    return isRefusal(done)
      ? refusalPage(asking.request, done, asking.viewer)
      : redirect(`${KEYS_PATH}#${anchorOf(slug)}`);
  };

  return new Elysia({ name: "keys" })
    .use(signedIn(parts))
    .resolve(({ request, viewer }) => ({ asking: { engine, request, viewer } }))
    .get(KEYS_PATH, ({ asking }) => keysPage(asking))
    .get(`${KEYS_PATH}/:id`, ({ asking, params: { id } }) => keyPage(asking, Number(id)))
    .get(`${KEYS_PATH}/:id/revoke`, ({ asking, params: { id } }) => revokePage(asking, Number(id)))
    .post(
      KEYS_PATH,
      ({ asking }) => withForm(asking, (form) => newKeyPage(asking, address, makeKey(asking, form))),
      RAW,
    )
    .post(
      `${KEYS_PATH}/:id/rotate`,
      ({ asking, params: { id } }) =>
        withForm(asking, (form) => newKeyPage(asking, address, rotateKey(asking, Number(id), form))),
      RAW,
    )
    .post(
      `${KEYS_PATH}/:id/label`,
      ({ asking, params: { id } }) => withForm(asking, (form) => label(asking, Number(id), form)),
      RAW,
    )
    .post(`${KEYS_PATH}/:id/revoke`, ({ asking, params: { id } }) => revoke(asking, Number(id)), RAW)
    .post(APPLICATIONS_PATH, ({ asking }) => withForm(asking, (form) => newApplication(asking, form)), RAW)
    .post(
      `${APPLICATIONS_PATH}/:slug/suspend`,
      ({ asking, params: { slug } }) => setSuspended(asking, slug, "suspend"),
      RAW,
    )
    .post(
      `${APPLICATIONS_PATH}/:slug/resume`,
      ({ asking, params: { slug } }) => setSuspended(asking, slug, "resume"),
      RAW,
    );
}

function newApplication(asking: KeysAsking, form: URLSearchParams): Response {
  const slug = (form.get("slug") ?? "").trim();
  const made = createApplication(asking, slug);
  if (!isRefusal(made)) return redirect(`${KEYS_PATH}#${anchorOf(made.slug)}`);
  return isMistyped(made)
    ? keysPage(asking, { slug, wrong: sentenceOf(made) })
    : refusalPage(asking.request, made, asking.viewer);
}

function label(asking: KeysAsking, id: number, form: URLSearchParams): Response {
  const done = labelKey(asking, id, form);
  if (!isRefusal(done)) return redirect(keyPath(id));
  return isMistyped(done) ? keyPage(asking, id, sentenceOf(done)) : refusalPage(asking.request, done, asking.viewer);
}

function revoke(asking: KeysAsking, id: number): Response {
  const revoked = revokeKey(asking, id);
  return isRefusal(revoked)
    ? refusalPage(asking.request, revoked, asking.viewer)
    : redirect(`${KEYS_PATH}#${anchorOf(revoked.application)}`);
}

/** The person can put it right in the form. */
const isMistyped = ({ refusal }: Refusal): boolean => refusal === "INVALID_REQUEST";

// The form that revokes an address of another service, and the page that asks before (R45).

const ADDRESSES_FOR_ADMINISTRATORS = refuse("ACCESS_DENIED", "addresses are for administrators");
const NO_SUCH_ADDRESS = refuse("NOT_FOUND", "there is no such address that works");

const ADDRESS_PATH = `${ADDRESSES_PATH}/:id/revoke` as const;

export const addressRoutes = ({ engine, ...parts }: PagesParts) =>
  new Elysia({ name: "addresses" })
    .use(signedIn(parts))
    .resolve(({ request, viewer }) => ({ asking: { engine, request, viewer } }))
    .get(ADDRESS_PATH, ({ asking, params: { id } }) => askFirst(asking, Number(id)))
    .post(ADDRESS_PATH, ({ asking, params: { id } }) => revokeAddress(asking, Number(id)), RAW);

function askFirst({ engine, request, viewer }: KeysAsking, id: number): Response {
  const no = (refusal: Refusal): Response => refusalPage(request, refusal, viewer);
  if (!mayAs(viewer, "admin")) return no(ADDRESSES_FOR_ADMINISTRATORS);
  const found = addressesOf(engine, viewer).find((one) => one.id === id && one.revokedAt === null);
  if (found === undefined) return no(NO_SUCH_ADDRESS);
  return pageAnswer(request, <RevokeAddressPage of={found} {...seenBy(engine, request, viewer)} />);
}

function revokeAddress({ engine, request, viewer }: KeysAsking, id: number): Response {
  const revoked = Number.isSafeInteger(id)
    ? engine.as(asActor(viewer)).operate("address revoke", { id })
    : NO_SUCH_ADDRESS;
  return isRefusal(revoked)
    ? refusalPage(request, revoked, viewer)
    : redirect(`${KEYS_PATH}#${anchorOf(revoked.application)}`);
}
