// Starts early what the runtime would start with the first message: its HTTP thread, the trusted certificates, its
// threads for host names. Without a free descriptor that start would fail then and end the process.

import { lookup } from "node:dns/promises";

/** Settles when all of it runs. Nothing leaves this computer: no socket exists at the path `nowhere`. */
export async function warmUp(nowhere: string): Promise<void> {
  const nothing = () => {};
  await Promise.all([
    fetch("https://localhost/", { unix: nowhere }).catch(nothing),
    lookup("localhost").catch(nothing),
  ]);
  // The runtime reads an error's origin from the executable when it is first asked for it.
  void new Error("warm").stack;
}
