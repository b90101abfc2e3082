// Runs the hub in a worker that all windows of a browser share, so that they have one live connection.

import { createBrowserHub, type Told, type Watched } from "./hub.ts";

const watch = createBrowserHub();

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  const tell = (told: Told): void => port?.postMessage(told);
  port?.addEventListener("message", ({ data }) => watch(tell, data as Watched));
  port?.start();
});
