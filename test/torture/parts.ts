// All parts of `test/task torture`, in the order in which they run.

import { cuts } from "./cuts.ts";
import { failovers } from "./failovers.ts";
import { kills } from "./kills.ts";
import { memory } from "./memory.ts";
import { notifier } from "./notifier.ts";
import type { Part } from "./part.ts";
import { pages, requests } from "./requests.ts";
import { slowClients } from "./slow-clients.ts";
import { soak } from "./soak.ts";
import { spool } from "./spool.ts";
import { storage } from "./storage.ts";

export const PARTS: readonly Part[] = [
  kills,
  failovers,
  cuts,
  spool,
  storage,
  notifier,
  memory,
  requests,
  pages,
  slowClients,
  soak,
];
