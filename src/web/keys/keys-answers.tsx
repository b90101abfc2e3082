// What the addresses of keys answer with: their pages. Changes nothing.

import { type Refusal, refuse } from "../../domain/errors.ts";
import type { KeyScope } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import type { KeySummary } from "../../views/answers/applications.ts";
import { pageAnswer } from "../answer.tsx";
import { refusalPage } from "../refusal-page.tsx";
import { mayAs, seenBy, type Viewer } from "../viewer.ts";
import { KeyPage, NewKeyPage } from "./key-page.tsx";
import { NO_SUCH_KEY } from "./keys-acts.ts";
import { KeysPage, type MakeApplicationProps } from "./keys-page.tsx";
import { RevokePage, revokingOf, usersOf } from "./revoke-page.tsx";
import { newestOf, type Ring, ringsOf } from "./rings.ts";

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
