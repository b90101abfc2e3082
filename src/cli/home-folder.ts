// The home of this process's user.

import { homedir } from "node:os";

/** `/` for a user without one, as systemd gives services users of their own that no list has: their jobs must run. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return "/";
  }
}
