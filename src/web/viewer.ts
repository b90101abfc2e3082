// Defines the viewer, who is the person that asks for a page, and what a viewer may do and see.

import { type Actor, actorOf, type Person, ROLES, type Role } from "../domain/people/person.ts";
import type { Socket } from "../http/handler.ts";

export interface Viewer extends Person {
  /** The number of the viewer's session; `null` when a proxy has signed the person in. */
  readonly sessionId: number | null;
  /** The client's address; it is recorded with what the person does (`actorOf`). */
  readonly address: string;
}

/** Finds out who asks; `null` when whoever sent the request has not signed in. */
export type ViewerOf = (request: Request, socket: Socket) => Viewer | null;

export const viewerMayAs = ({ role }: Viewer, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

export const asActor = (viewer: Viewer): Actor => actorOf(viewer, viewer.address);

export const viewerMaySee = ({ applications }: Viewer, application: string): boolean =>
  applications?.includes(application) ?? true;
