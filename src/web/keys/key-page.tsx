// Draws the page of a key: which jobs use it, its label, and the form that replaces it. It never shows the key itself.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { capitalized } from "../../domain/text.ts";
import { firstReportLine } from "../../domain/wording/job-lines.ts";
import { keyFacts, keyName, scopeInWords } from "../../views/rows/key-rows.ts";
import type { KeySummary } from "../../views/schemas/application-schemas.ts";
import { pageResponse } from "../document.tsx";
import { ButtonLink, CopyLine } from "../parts/act.tsx";
import type { FormChoice } from "../parts/field.tsx";
import { Until } from "../parts/moment.tsx";
import { Form } from "../parts/operation-form.tsx";
import { FactRows } from "../parts/row-parts.tsx";
import { KEYS_PATH, keyPath, revokePath } from "../paths.ts";
import { type FormOf, type RefusedForm, refusedIn } from "../read-form.ts";
import type { Asking } from "../signed-in.ts";
import { liveKey, newestKeyId } from "./keys-by-application.tsx";

const OVERLAPS: readonly FormChoice[] = [
  ["7d", "for 7 days more"],
  ["1d", "for 1 day more"],
  ["30d", "for 30 days more"],
  ["0s", "not any more"],
];

export const LABEL_KEY = { operation: "key label", fields: ["label"] } satisfies FormOf<"key label">;

export const ROTATE_KEY = { operation: "key rotate", fields: ["overlapSeconds"] } satisfies FormOf<"key rotate">;

export function keyPage(asking: Asking, id: number, refused: RefusedForm | null = null): Response | Refusal {
  const found = liveKey(asking, id);
  if (isRefusal(found)) return found;
  const { ring, key } = found;
  const { application, label, worksUntil } = key;
  return pageResponse(
    asking,
    { title: capitalized(keyName(key)), path: KEYS_PATH, status: refused === null ? 200 : 400 },
    <>
      <section class="plain">
        <h1 class="headline is-quiet">
          {capitalized(keyName(key))} of {application}.
        </h1>
        <FactRows facts={keyFacts(key)} {...asking.engine.views.viewContext()} />
      </section>
      <section class="own">
        <h2>What it is called</h2>
        <Form
          of={LABEL_KEY}
          form={{ class: "make is-bare", to: `${keyPath(id)}/label` }}
          does="Keep the name"
          kind="plain"
          shown={{ label: { value: label } }}
          {...refusedIn(refused, "key label")}
        />
      </section>
      {worksUntil === null ? (
        <section class="own">
          <h2>Replace it</h2>
          <p class="note">
            A new key is made for the same use and shown once. Put it where the old one is; this page shows which jobs
            still use the old one.
          </p>
          <Form
            of={ROTATE_KEY}
            form={{ class: "make", to: `${keyPath(id)}/rotate` }}
            does="Make the new key"
            kind="plain"
            hidden={{ newest: String(newestKeyId(ring)) }}
            shown={{ overlapSeconds: { choices: OVERLAPS } }}
            {...refusedIn(refused, "key rotate")}
          />
        </section>
      ) : null}
      <section class="own">
        <p class="acts">
          <ButtonLink to={revokePath(id)} kind="danger">
            Revoke key {id}…
          </ButtonLink>
          <ButtonLink to={KEYS_PATH} kind="plain">
            To all keys
          </ButtonLink>
        </p>
      </section>
    </>,
  );
}

type MadeKey = Readonly<{ key: string; application: string; scope: KeySummary["scope"]; replaces?: KeySummary }>;

/**
 * The only page that ever shows the key. `given` is the address at which jobs reach rollcall; when it is `null`, the
 * page shows the address at which it was asked for.
 */
export function newKeyPage(asking: Asking, given: string | null, made: MadeKey): Response {
  const { key: secret, application, scope, replaces = null } = made;
  const address = given ?? new URL(asking.request.url).origin;
  return pageResponse(
    asking,
    { title: "A new key" },
    <section class="plain">
      <h1 class="headline is-quiet">A new key for {application}.</h1>
      <p>It is shown this once: rollcall keeps no copy of it. It may be used for {scopeInWords(scope)}.</p>
      <CopyLine text={secret} />
      {replaces === null ? null : (
        <p>
          It replaces key {replaces.id}, which{" "}
          {replaces.worksUntil === null ? (
            "works no more."
          ) : (
            <>
              still works; that ends <Until at={replaces.worksUntil} {...asking.engine.views.viewContext()} />.{" "}
              <a href={keyPath(replaces.id)}>Its page</a> shows which jobs still use it.
            </>
          )}
        </p>
      )}
      {replaces !== null ? null : scope === "sync" ? (
        <>
          <p>This line asks what rollcall knows of the jobs of {application}:</p>
          <CopyLine text={`curl -fsS -u '${secret}:' '${address}/api/v1/sync/status'`} />
        </>
      ) : (
        <>
          <p>This line reports a first job, which appears among the others:</p>
          <CopyLine text={firstReportLine(address, secret)} />
        </>
      )}
      <p class="acts">
        <ButtonLink to="/" kind="strong">
          To all jobs
        </ButtonLink>
        <ButtonLink to={KEYS_PATH}>To all keys</ButtonLink>
      </p>
    </section>,
  );
}
