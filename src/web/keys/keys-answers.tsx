// What the forms of applications and keys ask, as the person who sent them, through the table of operations alone.

import { type Refusal, refuse } from "../../domain/errors.ts";
import type { KeyScope } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import type { KeySummary, RotatedKey } from "../../views/answers/applications.ts";
import { pageAnswer } from "../answer.tsx";
import { refusalPage } from "../refusal-page.tsx";
import { asActor, mayAs, seenBy, type Viewer } from "../viewer.ts";
import { KeyPage, NewKeyPage } from "./key-page.tsx";
import { KeysPage, type MakeApplicationProps } from "./keys-page.tsx";
import { RevokePage, revokingOf, usersOf } from "./revoke-page.tsx";
import { newestOf, type Ring, ringsOf } from "./rings.tsx";

interface KeysActing {
  readonly engine: Engine;
  readonly viewer: Viewer;
}

/** The only time that the key is seen whole. */
export interface MadeKey {
  readonly key: string;
  readonly application: string;
  readonly scope: KeyScope;
}

const MADE_ALREADY = refuse(
  "INVALID_REQUEST",
  "this form was sent before, or a key was made meanwhile; a key is shown once, and is not shown again. No other was made",
);

/**
 * A form that says which key was the newest makes one key, however often it is sent, as a browser does that loads
 * again.
 */
export function makeKey({ engine, viewer }: KeysActing, form: URLSearchParams): MadeKey | Refusal {
  const application = form.get("application") ?? "";
  if (isMade({ engine, viewer }, form, ({ slug }) => slug === application)) return MADE_ALREADY;
  // The operation says what a scope may be.
  const scope = (form.get("scope") ?? "all") as KeyScope;
  return engine.as(asActor(viewer)).operate("key create", { application, scope, label: labelIn(form) });
}

/** The same of a key in place of another. */
export function rotateKey({ engine, viewer }: KeysActing, id: number, form: URLSearchParams): RotatedKey | Refusal {
  if (!Number.isSafeInteger(id)) return NO_SUCH_KEY;
  if (isMade({ engine, viewer }, form, ({ live }) => live.some((key) => key.id === id))) return MADE_ALREADY;
  const overlap = form.get("overlap");
  const asked = overlap === null ? { id } : { id, overlapSeconds: Number(overlap) };
  return engine.as(asActor(viewer)).operate("key rotate", asked);
}

export const labelKey = ({ engine, viewer }: KeysActing, id: number, form: URLSearchParams): object | Refusal =>
  Number.isSafeInteger(id)
    ? engine.as(asActor(viewer)).operate("key label", { id, label: labelIn(form) })
    : NO_SUCH_KEY;

export const suspend = ({ engine, viewer }: KeysActing, slug: string, action: "suspend" | "resume"): object | Refusal =>
  engine.as(asActor(viewer)).operate(`app ${action}`, { slug });

const labelIn = (form: URLSearchParams): string | null => (form.get("label") ?? "").trim() || null;

/** Whether a key of this ring was made since the form was shown. */
function isMade({ engine, viewer }: KeysActing, form: URLSearchParams, isMeant: (ring: Ring) => boolean): boolean {
  const newest = form.get("newest");
  if (newest === null || !mayAs(viewer, "admin")) return false;
  const ring = ringsOf(engine, viewer).find(isMeant);
  return ring !== undefined && newestOf(ring) !== Number(newest);
}

export function revokeKey({ engine, viewer }: KeysActing, id: number): { readonly application: string } | Refusal {
  if (!Number.isSafeInteger(id)) return NO_SUCH_KEY;
  return engine.as(asActor(viewer)).operate("key revoke", { id });
}

export const createApplication = ({ engine, viewer }: KeysActing, slug: string): { readonly slug: string } | Refusal =>
  engine.as(asActor(viewer)).operate("app create", { slug });

const NO_SUCH_KEY = refuse("NOT_FOUND", "there is no such key that works");

// What the addresses of keys answer with: their pages. Changes nothing.

/** A request for a page of keys. */
export interface KeysAsking {
  readonly engine: Engine;
  readonly request: Request;
  readonly viewer: Viewer;
}

const FOR_ADMINISTRATORS = refuse("ACCESS_DENIED", "keys are for administrators");

const shown = ({ engine, request, viewer }: KeysAsking) => seenBy(engine, request, viewer);

export function keysPage(asking: KeysAsking, refused: MakeApplicationProps | null = null): Response {
  const page = <KeysPage rings={ringsOf(asking.engine, asking.viewer)} refused={refused} {...shown(asking)} />;
  return pageAnswer(asking.request, page, refused === null ? 200 : 400);
}

/** `wrong`: why what was asked was not done. */
export function keyPage(asking: KeysAsking, id: number, wrong: string | null = null): Response {
  const { engine, request, viewer } = asking;
  if (!mayAs(viewer, "admin")) return refusalPage(request, FOR_ADMINISTRATORS, viewer);
  const found = liveKey(ringsOf(engine, viewer), id);
  if (found === null) return refusalPage(request, NO_SUCH_KEY, viewer);
  const { ring, key } = found;
  const users = usersOf(engine, viewer, ring.slug, id);
  const page = <KeyPage of={key} users={users} newest={newestOf(ring)} wrong={wrong} {...shown(asking)} />;
  return pageAnswer(request, page, wrong === null ? 200 : 400);
}

function liveKey(rings: readonly Ring[], id: number): { readonly ring: Ring; readonly key: KeySummary } | null {
  for (const ring of rings)
    for (const key of ring.live) {
      if (key.id === id) return { ring, key };
    }
  return null;
}

export function revokePage(asking: KeysAsking, id: number): Response {
  const { engine, request, viewer } = asking;
  if (!mayAs(viewer, "admin")) return refusalPage(request, FOR_ADMINISTRATORS, viewer);
  const revoking = revokingOf(engine, viewer, id);
  if (revoking === null) return refusalPage(request, NO_SUCH_KEY, viewer);
  return pageAnswer(request, <RevokePage revoking={revoking} {...shown(asking)} />);
}

interface Made {
  readonly key: string;
  readonly application: string;
  readonly scope: KeyScope;
  readonly replaces?: KeySummary;
}

/** The one page that ever shows the key. `address`: where jobs reach us; null: where the page was asked for. */
export function newKeyPage(asking: KeysAsking, address: string | null, made: Made | Refusal): Response {
  const { request, viewer } = asking;
  if ("refusal" in made) return refusalPage(request, made, viewer);
  const { key, application, scope, replaces = null } = made;
  const props = { application, scope, replaces, secret: key, address: address ?? new URL(request.url).origin };
  return pageAnswer(request, <NewKeyPage {...props} {...shown(asking)} />);
}
