// Limits how many pages may stay open: of a session, of a person, and in all. Each open page costs memory, and time to
// update it.

import { type Refusal, refuse } from "../../domain/errors.ts";
import type { Viewer } from "../viewer.ts";

/** How many pages may stay open for one session, for one person and in all. A person reads fewer. */
const OF_SESSION = 20;
const OF_PERSON = 100;
const IN_ALL = 1_000;

export type Seats = ReturnType<typeof createSeats>;

/** The name of the viewer's session, by which its connections are counted. */
export const seatSessionOf = ({ id, sessionId, address }: Viewer): string =>
  sessionId === null ? `${id} by a proxy, at ${address}` : `session ${sessionId}`;

export function createSeats() {
  const taken = new Map<string, number>();
  const of = (key: string): number => taken.get(key) ?? 0;
  const add = (key: string, more: number): void => {
    const now = of(key) + more;
    if (now === 0) taken.delete(key);
    else taken.set(key, now);
  };
  const keysOf = (viewer: Viewer) => [seatSessionOf(viewer), `person ${viewer.id}`, "all"] as const;

  return {
    /** Returns why no further page of this viewer may stay open, or `null` when one may. */
    refuse: (viewer: Viewer): Refusal | null => {
      const [session, person, all] = keysOf(viewer);
      if (of(session) >= OF_SESSION) return tooMany(`${OF_SESSION} pages of this session are open already`);
      if (of(person) >= OF_PERSON) return tooMany(`${OF_PERSON} pages of ${viewer.name} are open already`);
      return of(all) >= IN_ALL ? tooMany(`${IN_ALL} pages are open already`) : null;
    },
    /**
     * Counts one more open page, without checking the limits. Returns the function that takes the page out of the
     * count.
     */
    take: (viewer: Viewer) => {
      const keys = keysOf(viewer);
      for (const key of keys) add(key, 1);
      let isTaken = true;
      return () => {
        if (isTaken) for (const key of keys) add(key, -1);
        isTaken = false;
      };
    },
  };
}

const tooMany = (why: string): Refusal =>
  refuse("RATE_LIMIT_EXCEEDED", `${why}; close one, and this page keeps itself true again`);
