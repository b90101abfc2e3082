// Starts early what the runtime would start with the first message: its thread for HTTP, the certificates it
// trusts, its threads for host names. Without a free descriptor it could not start then, and would end the process.

import { lookup } from "node:dns/promises";

/** Settles when all of it runs. Nothing leaves this computer: `nowhere` is a path at which no socket is. */
export async function warmUp(nowhere: string): Promise<void> {
  const nothing = () => {};
  await Promise.all([
    fetch("https://localhost/", { unix: nowhere }).catch(nothing),
    lookup("localhost").catch(nothing),
  ]);
  // Where an error was thrown is looked up in the executable when it is first asked for.
  void new Error("warm").stack;
}
