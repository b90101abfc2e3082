// What the forms of applications and keys ask, as the person who sent them, through the table of operations alone.

import { type Refusal, refuse } from "../../domain/errors.ts";
import type { KeyScope } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import type { RotatedKey } from "../../views/answers/applications.ts";
import { asActor, mayAs, type Viewer } from "../viewer.ts";
import { newestOf, type Ring, ringsOf } from "./rings.ts";

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

export const NO_SUCH_KEY = refuse("NOT_FOUND", "there is no such key that works");
