// The form that revokes an address of another service, and the page that asks before (R45).

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { pageAnswer, redirect } from "../answer.tsx";
import { RAW } from "../form.ts";
import type { PagesParts } from "../pages-parts.ts";
import { ADDRESSES_PATH, anchorOf, KEYS_PATH } from "../paths.ts";
import { refusalPage } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import { asActor, mayAs, seenBy } from "../viewer.ts";
import type { KeysAsking } from "./keys-answers.tsx";
import { RevokeAddressPage } from "./old-addresses.tsx";
import { addressesOf } from "./rings.ts";

const FOR_ADMINISTRATORS = refuse("ACCESS_DENIED", "addresses are for administrators");
const NO_SUCH_ADDRESS = refuse("NOT_FOUND", "there is no such address that works");

const PATH = `${ADDRESSES_PATH}/:id/revoke` as const;

export const addressRoutes = ({ engine, ...parts }: PagesParts) =>
  new Elysia({ name: "addresses" })
    .use(signedIn(parts))
    .resolve(({ request, viewer }) => ({ asking: { engine, request, viewer } }))
    .get(PATH, ({ asking, params: { id } }) => askFirst(asking, Number(id)))
    .post(PATH, ({ asking, params: { id } }) => revoke(asking, Number(id)), RAW);

function askFirst({ engine, request, viewer }: KeysAsking, id: number): Response {
  const no = (refusal: Refusal): Response => refusalPage(request, refusal, viewer);
  if (!mayAs(viewer, "admin")) return no(FOR_ADMINISTRATORS);
  const found = addressesOf(engine, viewer).find((one) => one.id === id && one.revokedAt === null);
  if (found === undefined) return no(NO_SUCH_ADDRESS);
  return pageAnswer(request, <RevokeAddressPage of={found} {...seenBy(engine, request, viewer)} />);
}

function revoke({ engine, request, viewer }: KeysAsking, id: number): Response {
  const revoked = Number.isSafeInteger(id)
    ? engine.as(asActor(viewer)).operate("address revoke", { id })
    : NO_SUCH_ADDRESS;
  return isRefusal(revoked)
    ? refusalPage(request, revoked, viewer)
    : redirect(`${KEYS_PATH}#${anchorOf(revoked.application)}`);
}
