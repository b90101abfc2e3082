// `/keys`: each application with how many jobs it has and, for administrators, its keys and the forms that make more.

import { KEY_LABEL_LENGTH } from "../../domain/limits.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { pageAnswer } from "../document.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { Act, ButtonLink, Submit } from "../parts/act.tsx";
import { Wrong } from "../parts/field.tsx";
import { Group, Head } from "../parts/headline.tsx";
import { Ago, type Clocked, Until } from "../parts/moment.tsx";
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
import type { Asking } from "../signed-in.ts";
import { mayAs } from "../viewer.ts";
import { OldAddresses } from "./old-addresses.tsx";
import { nameOf, newestOf, type Ring, ringsOf, SCOPES, scopeInWords, Used } from "./rings.tsx";
import { type RefusedStatusPage, StatusPagePart } from "./status-page-part.tsx";

/** `application`, `page`: what was wrong with the one that was just to be created or shared. */
type RefusedForms = Readonly<{ application?: MakeApplicationProps; page?: RefusedStatusPage }>;

/** `here`: the status pages that are at the address of this page. */
export function keysPage(asking: Asking, here: PagesParts["statusPages"], refused: RefusedForms = {}): Response {
  const { engine, viewer } = asking;
  const isAdmin = mayAs(viewer, "admin");
  const rings = ringsOf(engine, viewer);
  return pageAnswer(
    asking,
    {
      title: isAdmin ? "Keys" : "Applications",
      path: KEYS_PATH,
      status: refused.application === undefined && refused.page === undefined ? 200 : 400,
    },
    <>
      <Head says={headlineOf(rings, isAdmin)} />
      <p class="note lead">
        {isAdmin
          ? "Jobs report with a key of their application. rollcall keeps no copy of one, so a key is known by its number."
          : "Jobs report with a key of their application. Keys are for administrators to see and to make."}
      </p>
      {rings.map((ring) => (
        <RingPart
          key={ring.slug}
          ring={ring}
          isAdmin={isAdmin}
          home={here.some(({ application }) => application === ring.slug) ? new URL(asking.request.url).origin : null}
          refused={refused.page ?? null}
          {...engine.views.viewContext()}
        />
      ))}
      {isAdmin && viewer.applications === null ? (
        <MakeApplication {...(refused.application ?? { slug: "", wrong: null })} />
      ) : null}
    </>,
  );
}

function headlineOf(rings: readonly Ring[], isAdmin: boolean): string {
  if (rings.length === 0) return "No application yet.";
  const applications = counted(rings.length, "application");
  if (!isAdmin) return `${applications}.`;
  const keys = rings.reduce((sum, { live }) => sum + live.length, 0);
  return keys === 0 ? `${applications}, and no key that works.` : `${counted(keys, "key")} for ${applications}.`;
}

type RingProps = Clocked & Parameters<typeof StatusPagePart>[0] & { readonly isAdmin: boolean };

const RingPart = ({ ring, isAdmin, home, refused, ...shown }: RingProps) => (
  <section class="group" id={anchorOf(ring.slug)} aria-labelledby={`${anchorOf(ring.slug)}-name`}>
    <h2 class="group-head" id={`${anchorOf(ring.slug)}-name`}>
      <span class="ring-name">
        {ring.name ?? ring.slug}
        <small>
          {ring.name === null ? "" : `${ring.slug} · `}
          {ring.monitors === 0 ? "no jobs yet" : counted(ring.monitors, "job")}
        </small>
      </span>
      {isAdmin ? (
        <span class="ring-acts">
          <ButtonLink to={`${MAINTENANCE_PATH}?application=${ring.slug}#plan-box`} kind="plain">
            Maintenance… <span class="unseen">of {ring.slug}</span>
          </ButtonLink>
          <Suspending {...ring} />
        </span>
      ) : null}
    </h2>
    {ring.suspendedAt === null ? null : (
      <p class="trouble">
        <Shape health="paused" />
        <span>
          Suspended <Ago at={ring.suspendedAt} {...shown} />: its reports are refused, and no job of it raises an alarm.
        </span>
      </p>
    )}
    {isAdmin ? <Keys ring={ring} {...shown} /> : null}
    {isAdmin ? <StatusPagePart ring={ring} home={home} refused={refused} /> : null}
  </section>
);

const Suspending = ({ slug, suspendedAt }: Pick<Ring, "slug" | "suspendedAt">) =>
  suspendedAt === null ? (
    <details class="menu" name="menu">
      <summary class="button is-plain" aria-label={`Suspend ${slug}…`}>
        Suspend…
      </summary>
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

const Keys = ({ ring, ...shown }: Clocked & { readonly ring: Ring }) => (
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
              {nameOf(key)}
            </a>
            <span class="key-scope">{scopeInWords(key.scope)}</span>
            <span class="key-made">
              made <Ago at={key.createdAt} {...shown} />
            </span>
            <span class="key-used">
              <Used of={key} {...shown} />
            </span>
            {key.worksUntil === null ? (
              <a class="button is-plain" href={revokePath(key.id)} aria-label={`Revoke key ${key.id}…`}>
                Revoke…
              </a>
            ) : (
              <span class="key-until">
                replaced; ends <Until at={key.worksUntil} {...shown} />
              </span>
            )}
          </li>
        ))}
      </ul>
    )}
    <MakeKey application={ring.slug} newest={newestOf(ring)} />
    <OldAddresses ring={ring} {...shown} />
    {ring.revoked.length === 0 ? null : (
      <details class="revoked">
        <summary>{counted(ring.revoked.length, "revoked key")}</summary>
        <ul class="keys">
          {ring.revoked.map((key) => (
            <li key={key.id} class="key">
              <span class="key-name">{nameOf(key)}</span>
              <span class="key-scope">{scopeInWords(key.scope)}</span>
              <span class="key-made">
                revoked <Ago at={key.revokedAt!} {...shown} />
              </span>
              <span class="key-used">
                <Used of={key} {...shown} />
              </span>
            </li>
          ))}
        </ul>
      </details>
    )}
  </>
);

/** `newest`: the newest key that the page shows: a form that is sent twice makes one key. */
const MakeKey = ({ application, newest }: { readonly application: string; readonly newest: number }) => (
  <form class="make" method="post" action={KEYS_PATH}>
    <input type="hidden" name="application" value={application} />
    <input type="hidden" name="newest" value={String(newest)} />
    <label>
      <span class="unseen">What the new key of {application} is for</span>
      <select name="scope">
        {SCOPES.map((scope) => (
          <option key={scope} value={scope}>
            for {scopeInWords(scope)}
          </option>
        ))}
      </select>
    </label>
    <LabelField value="" />
    <Submit kind="plain">Make a key</Submit>
  </form>
);

export const LabelField = ({ value }: { readonly value: string }) => (
  <label>
    <span class="unseen">What people call the key</span>
    <input
      name="label"
      value={value}
      maxlength={KEY_LABEL_LENGTH}
      placeholder="its name, such as web-1"
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
    />
  </label>
);

type MakeApplicationProps = Readonly<{ slug: string; wrong: string | null }>;

const SLUG_MAX = 40;

const MakeApplication = ({ slug, wrong }: MakeApplicationProps) => (
  <Group id="new-application" name="A new application">
    <form class="make" method="post" action={APPLICATIONS_PATH}>
      <label for="slug">Name in keys</label>
      <input
        id="slug"
        name="slug"
        value={slug}
        required
        maxlength={SLUG_MAX}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        aria-describedby="slug-hint"
        {...(wrong === null ? {} : { "aria-invalid": "true" })}
      />
      <Submit kind="plain">Create it</Submit>
      <Wrong text={wrong} />
      <p class="note" id="slug-hint">
        At most {counted(SLUG_MAX, "character")}: a to z, 0 to 9 and "-". It groups jobs that share keys, and stays as
        it is; <code>rollcall app rename</code> gives it another name for people.
      </p>
    </form>
  </Group>
);
