// All parts of `make torture`, in the order in which they run.

import { kills } from "./kills.ts";
import type { Part } from "./part.ts";

export const PARTS: readonly Part[] = [kills];
