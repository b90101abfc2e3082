// Draws the page with the form by which an administrator shares a status page of an application.

import { type Refusal, refuse } from "../../domain/errors.ts";
import { doInPieces } from "../../http/yield.ts";
import { pageResponse } from "../document.tsx";
import { jobsChosen, jobsToTick } from "../jobs-to-tick.ts";
import type { PagesParts } from "../pages-parts.ts";
import { ButtonLink } from "../parts/act.tsx";
import { Form } from "../parts/operation-form.tsx";
import { KEYS_PATH, sharePath } from "../paths.ts";
import type { FormOf } from "../read-form.ts";
import type { Asking } from "../signed-in.ts";
import { viewerMayAs } from "../viewer.ts";
import { applicationKeysOf } from "./keys-by-application.tsx";

export const SHARE = {
  operation: "status-page add",
  fields: ["jobs", "title", "messages"],
} satisfies FormOf<"status-page add">;

const NO_SUCH_APPLICATION = refuse("NOT_FOUND", "there is no such application");
const FOR_ADMINISTRATORS = refuse("ACCESS_DENIED", "only administrators may share a status page");

export async function shareApplicationPage(
  asking: Asking,
  { catchUp }: PagesParts,
  slug: string,
  typed: URLSearchParams,
  wrong: Refusal | null = null,
): Promise<Response | Refusal> {
  const { engine, viewer } = asking;
  if (!viewerMayAs(viewer, "admin")) return FOR_ADMINISTRATORS;
  if (!applicationKeysOf(engine, viewer).some((ring) => ring.slug === slug)) return NO_SUCH_APPLICATION;
  await catchUp();
  const chosen = typed.has("jobs") ? jobsChosen(typed.getAll("jobs")) : null;
  return pageResponse(
    asking,
    { title: `Share ${slug}`, path: KEYS_PATH, status: wrong === null ? 200 : 400 },
    <section class="door">
      <h1 class="headline is-quiet">Share a status page of {slug}.</h1>
      <Form
        of={SHARE}
        form={{ to: sharePath(slug), class: "edit", "data-preview": true }}
        says="For people without an account. Its address is the secret: who knows it sees the page."
        does="Share it"
        beside={
          <ButtonLink to={KEYS_PATH} kind="plain">
            Cancel
          </ButtonLink>
        }
        typed={typed}
        wrong={wrong}
        shown={{
          jobs: {
            value: chosen,
            jobs: await doInPieces(engine.scheduler, jobsToTick(asking, slug, chosen ?? [], typed)),
          },
        }}
      />
    </section>,
  );
}
