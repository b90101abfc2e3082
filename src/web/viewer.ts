// Who looks at a page, as pages know it. Does not know how people sign in.

import { type Actor, actorOf, type Person, ROLES, type Role } from "../domain/people/person.ts";
import type { Socket } from "../http/handler.ts";

export interface Viewer extends Person {
  /** Null: a proxy has signed them in. */
  readonly sessionId: number | null;
  /** Where they are; with it they act (`actorOf`). */
  readonly address: string;
}

/** Null: no one has signed in. */
export type ViewerOf = (request: Request, socket: Socket) => Viewer | null;

export const mayAs = ({ role }: Viewer, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** The viewer as the table of operations knows who acts. */
export const asActor = (viewer: Viewer): Actor => actorOf(viewer, viewer.address);

export const maySee = ({ applications }: Viewer, application: string): boolean =>
  applications?.includes(application) ?? true;
