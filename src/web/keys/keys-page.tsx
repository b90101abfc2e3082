// Draws `/keys`, which lists each application with its number of jobs. Administrators also see the application's keys
// and the forms that make new keys.

import { SLUG_LENGTH } from "../../domain/api-key.ts";
import { capitalized } from "../../domain/text.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import {
  APPLICATION_COLUMNS,
  KEY_COLUMNS,
  keyName,
  SCOPES,
  scopeInWords,
  suspendedInWords,
} from "../../views/rows/key-rows.ts";
import { pageResponse } from "../document.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { Act, ButtonLink, MenuName } from "../parts/act.tsx";
import type { FormChoice } from "../parts/field.tsx";
import { Head, SectionGroup } from "../parts/headline.tsx";
import type { Clocked } from "../parts/moment.tsx";
import { Form } from "../parts/operation-form.tsx";
import { Cells } from "../parts/row-parts.tsx";
import { Shape } from "../parts/shapes.tsx";
import {
  APPLICATIONS_PATH,
  anchorOf,
  applicationPath,
  KEYS_PATH,
  keyPath,
  MAINTENANCE_PATH,
  revokePath,
} from "../paths.ts";
import { type FormOf, type RefusedForm, refusedIn } from "../read-form.ts";
import type { Asking } from "../signed-in.ts";
import { viewerMayAs } from "../viewer.ts";
import { type ApplicationKeys, applicationKeysOf, newestKeyId } from "./keys-by-application.tsx";
import { OldAddresses } from "./old-addresses-part.tsx";
import { StatusPagePart } from "./status-page-part.tsx";

/**
 * Draws the page `/keys`. `statusPagesHere` has the status pages that are served at the address of the pages for
 * people; other ones are served only at the address where jobs report.
 */
export function keysPage(
  asking: Asking,
  statusPagesHere: PagesParts["statusPages"],
  refused: RefusedForm | null = null,
): Response {
  const { engine, viewer } = asking;
  const isAdmin = viewerMayAs(viewer, "admin");
  const rings = applicationKeysOf(engine, viewer);
  return pageResponse(
    asking,
    {
      title: isAdmin ? "Keys" : "Applications",
      path: KEYS_PATH,
      status: refused === null ? 200 : 400,
    },
    <>
      <Head says={headlineOf(rings, isAdmin)} />
      <p class="note lead">
        {isAdmin
          ? "Jobs report with a key of their application. rollcall keeps no copy of one, so a key is known by its number."
          : "Jobs report with a key of their application. Keys are for administrators to see and to make."}
      </p>
      {rings.map((ring) => (
        <ApplicationPart
          key={ring.slug}
          ring={ring}
          isAdmin={isAdmin}
          home={
            statusPagesHere.some(({ application }) => application === ring.slug)
              ? new URL(asking.request.url).origin
              : null
          }
          refused={refused}
          {...engine.views.viewContext()}
        />
      ))}
      {isAdmin && viewer.applications === null ? <MakeApplication refused={refused} /> : null}
    </>,
  );
}

function headlineOf(rings: readonly ApplicationKeys[], isAdmin: boolean): string {
  if (rings.length === 0) return "No application yet.";
  const applications = counted(rings.length, "application");
  if (!isAdmin) return `${applications}.`;
  const keys = rings.reduce((sum, { live }) => sum + live.length, 0);
  return keys === 0 ? `${applications}, and no key that works.` : `${counted(keys, "key")} for ${applications}.`;
}

type ApplicationPartProps = Clocked &
  Parameters<typeof StatusPagePart>[0] & { readonly isAdmin: boolean; readonly refused: RefusedForm | null };

const ApplicationPart = ({ ring, isAdmin, home, refused, ...shown }: ApplicationPartProps) => (
  <section class="group" id={anchorOf(ring.slug)} aria-labelledby={`${anchorOf(ring.slug)}-name`}>
    <h2 class="group-head" id={`${anchorOf(ring.slug)}-name`}>
      <span class="ring-name">
        {ring.slug}
        <small>
          <Cells columns={APPLICATION_COLUMNS} of={ring} {...shown} />
        </small>
      </span>
      {isAdmin ? (
        <span class="ring-acts">
          <ButtonLink to={`${MAINTENANCE_PATH}?application=${ring.slug}&monitors=*#plan-box`} kind="plain">
            Maintenance… <span class="unseen">of {ring.slug}</span>
          </ButtonLink>
          <Suspending {...ring} />
        </span>
      ) : null}
    </h2>
    {ring.suspendedAt === null ? null : (
      <p class="trouble">
        <Shape health="paused" />
        <span>Suspended: {suspendedInWords(ring)}.</span>
      </p>
    )}
    {isAdmin ? <Keys ring={ring} refused={refused} {...shown} /> : null}
    {isAdmin ? <StatusPagePart ring={ring} home={home} /> : null}
  </section>
);

const Suspending = ({ slug, suspendedAt }: Pick<ApplicationKeys, "slug" | "suspendedAt">) =>
  suspendedAt === null ? (
    <details class="menu" name="menu">
      <MenuName of={slug}>Suspend</MenuName>
      <div class="menu-body">
        <p class="note">Its keys are refused and its jobs paused, until you resume it. Nothing is deleted.</p>
        <Act to={`${applicationPath(slug)}/suspend`} back={KEYS_PATH}>
          Suspend {slug}
        </Act>
      </div>
    </details>
  ) : (
    <Act to={`${applicationPath(slug)}/resume`} back={KEYS_PATH} kind="strong">
      Resume {slug}
    </Act>
  );

const Keys = ({ ring, refused, ...shown }: Clocked & Pick<ApplicationPartProps, "ring" | "refused">) => (
  <>
    {ring.live.length === 0 ? (
      <p class="nothing">
        No key works for {ring.slug}:{" "}
        {ring.addresses.length === 0 ? "no job of it can report" : "its jobs report at old addresses alone"}.
      </p>
    ) : (
      <ul class="keys">
        {ring.live.map((key) => (
          <li key={key.id} class="key">
            <a class="key-name" href={keyPath(key.id)}>
              {capitalized(keyName(key))}
            </a>
            <Cells columns={KEY_COLUMNS} of={key} {...shown} />
            {key.worksUntil === null ? (
              <a class="button is-plain" href={revokePath(key.id)} aria-label={`Revoke key ${key.id}…`}>
                Revoke…
              </a>
            ) : null}
          </li>
        ))}
      </ul>
    )}
    <Form
      of={MAKE_KEY}
      form={{ class: "make is-bare", to: KEYS_PATH }}
      id={`${anchorOf(ring.slug)}-`}
      does="Make a key"
      kind="plain"
      hidden={{ newest: String(newestKeyId(ring)) }}
      shown={{
        application: { value: ring.slug },
        scope: { label: `What the new key of ${ring.slug} is for`, choices: SCOPE_CHOICES },
      }}
      {...refusedIn(refused, "key create", ring.slug)}
    />
    <OldAddresses ring={ring} {...shown} />
    {ring.revoked.length === 0 ? null : (
      <details class="revoked">
        <summary>{counted(ring.revoked.length, "revoked key")}</summary>
        <ul class="keys">
          {ring.revoked.map((key) => (
            <li key={key.id} class="key">
              <span class="key-name">{capitalized(keyName(key))}</span>
              <Cells columns={KEY_COLUMNS} of={key} {...shown} />
            </li>
          ))}
        </ul>
      </details>
    )}
  </>
);

export const MAKE_KEY = {
  operation: "key create",
  fields: ["scope", "label"],
  hidden: ["application"],
} satisfies FormOf<"key create">;

const SCOPE_CHOICES = SCOPES.map((scope): FormChoice => [scope, `for ${scopeInWords(scope)}`]);

export const MAKE_APPLICATION = { operation: "app create", fields: ["slug"] } satisfies FormOf<"app create">;

const MakeApplication = ({ refused }: Pick<ApplicationPartProps, "refused">) => (
  <SectionGroup id="new-application" name="A new application">
    <Form
      of={MAKE_APPLICATION}
      form={{ class: "make", to: APPLICATIONS_PATH }}
      does="Create it"
      kind="plain"
      shown={{ slug: { help: WHAT_A_SLUG_IS } }}
      {...refusedIn(refused, "app create")}
    />
  </SectionGroup>
);

const WHAT_A_SLUG_IS = (
  <>
    At most {counted(SLUG_LENGTH, "character")}: a to z, 0 to 9 and "-". It groups jobs that share keys, and stays as it
    is; <code>rollcall app rename</code> gives it another name for people.
  </>
);
