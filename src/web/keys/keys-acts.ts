// What the forms of applications and keys ask, as the person who sent them, through the table of operations alone.

import { type Refusal, refuse } from "../../domain/errors.ts";
import { actorOf } from "../../domain/people/person.ts";
import type { KeyScope } from "../../engine/api.ts";
import type { Engine } from "../../engine/parts.ts";
import { mayAs, type Viewer } from "../viewer.ts";
import { newestOf, ringsOf } from "./rings.ts";

interface Acting {
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

/** A form that says which key was the newest makes one key, however often it is sent, as a browser does that loads again. */
export function makeKey({ engine, viewer }: Acting, form: URLSearchParams): MadeKey | Refusal {
  const application = form.get("application") ?? "";
  const newest = form.get("newest");
  const isKnown = newest !== null && mayAs(viewer, "admin");
  const ring = isKnown ? ringsOf(engine, viewer).find(({ slug }) => slug === application) : undefined;
  if (ring !== undefined && newestOf(ring) !== Number(newest)) return MADE_ALREADY;
  // The operation says what a scope may be.
  const scope = (form.get("scope") ?? "all") as KeyScope;
  return engine.operateAs(by(viewer), "key create", { application, scope });
}

export function revokeKey({ engine, viewer }: Acting, id: number): { readonly application: string } | Refusal {
  if (!Number.isSafeInteger(id)) return NO_SUCH_KEY;
  return engine.operateAs(by(viewer), "key revoke", { id });
}

export const createApplication = ({ engine, viewer }: Acting, slug: string): { readonly slug: string } | Refusal =>
  engine.operateAs(by(viewer), "app create", { slug });

export const NO_SUCH_KEY = refuse("NOT_FOUND", "there is no such key that works");

const by = (viewer: Viewer) => actorOf(viewer, viewer.address);

/** A refusal's sentence without the name of the field at its beginning. */
export function sentenceOf({ message }: Refusal): string {
  const text = message.replace(/^\w+: /, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
