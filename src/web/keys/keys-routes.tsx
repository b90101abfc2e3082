// Applications and keys: their page, and the forms that make and revoke. A new key is the answer to its form, which no cache
// keeps, so that it stands in no address.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { pageAnswer, redirect } from "../answer.tsx";
import { formOf } from "../form.ts";
import { lookOf } from "../look.ts";
import type { PagesParts } from "../pages-parts.ts";
import { refusalPage } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import { mayAs, type Viewer } from "../viewer.ts";
import type { MakeApplicationProps } from "./forms.tsx";
import { createApplication, makeKey, NO_SUCH_KEY, revokeKey, sentenceOf } from "./keys-acts.ts";
import { KeysPage } from "./keys-page.tsx";
import { NewKeyPage } from "./new-key-page.tsx";
import { APPLICATIONS_PATH, anchorOf, KEYS_PATH } from "./paths.ts";
import { RevokePage } from "./revoke-page.tsx";
import { revokingOf } from "./revoking.ts";
import { ringsOf } from "./rings.ts";

const RAW = { parse: "none" } as const;

const FOR_ADMINISTRATORS = refuse("ACCESS_DENIED", "keys are for administrators");

export function keysRoutes({ engine, viewerOf, address }: PagesParts) {
  const page = (request: Request, viewer: Viewer, refused: MakeApplicationProps | null = null): Response => {
    const { now, timezone } = engine.bearings();
    const props = { rings: ringsOf(engine, viewer), viewer, look: lookOf(request), now, timezone, refused };
    return pageAnswer(request, <KeysPage {...props} />, refused === null ? 200 : 400);
  };

  const revokePage = (request: Request, viewer: Viewer, id: number): Response => {
    if (!mayAs(viewer, "admin")) return refusalPage(request, FOR_ADMINISTRATORS, viewer);
    const revoking = revokingOf(engine, viewer, id);
    if (revoking === null) return refusalPage(request, NO_SUCH_KEY, viewer);
    const { now, timezone } = engine.bearings();
    return pageAnswer(
      request,
      <RevokePage revoking={revoking} viewer={viewer} look={lookOf(request)} now={now} timezone={timezone} />,
    );
  };

  async function newKey(request: Request, viewer: Viewer): Promise<Response> {
    const form = await formOf(request);
    const made = isRefusal(form) ? form : makeKey({ engine, viewer }, form);
    if (isRefusal(made)) return refusalPage(request, made, viewer);
    const { application, scope, key } = made;
    const props = { viewer, look: lookOf(request), address: address ?? new URL(request.url).origin };
    return pageAnswer(request, <NewKeyPage {...props} application={application} scope={scope} secret={key} />);
  }

  async function newApplication(request: Request, viewer: Viewer): Promise<Response> {
    const form = await formOf(request);
    if (isRefusal(form)) return refusalPage(request, form, viewer);
    const slug = (form.get("slug") ?? "").trim();
    const made = createApplication({ engine, viewer }, slug);
    if (!isRefusal(made)) return redirect(`${KEYS_PATH}#${anchorOf(made.slug)}`);
    return isMistyped(made)
      ? page(request, viewer, { slug, wrong: sentenceOf(made) })
      : refusalPage(request, made, viewer);
  }

  return new Elysia({ name: "keys" })
    .use(signedIn(viewerOf))
    .get(KEYS_PATH, ({ request, viewer }) => page(request, viewer))
    .get(`${KEYS_PATH}/:id/revoke`, ({ request, viewer, params: { id } }) => revokePage(request, viewer, Number(id)))
    .post(KEYS_PATH, ({ request, viewer }) => newKey(request, viewer), RAW)
    .post(APPLICATIONS_PATH, ({ request, viewer }) => newApplication(request, viewer), RAW)
    .post(
      `${KEYS_PATH}/:id/revoke`,
      ({ request, viewer, params: { id } }) => {
        const revoked = revokeKey({ engine, viewer }, Number(id));
        return isRefusal(revoked)
          ? refusalPage(request, revoked, viewer)
          : redirect(`${KEYS_PATH}#${anchorOf(revoked.application)}`);
      },
      RAW,
    );
}

/** The person can put it right in the form. */
const isMistyped = ({ refusal }: Refusal): boolean => refusal === "INVALID_REQUEST";
