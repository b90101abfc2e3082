// Reads a file of this repository while rollcall is compiled, so that the executable contains it. Only the compiler
// runs this.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export const embeddedUnit = (): string =>
  readFileSync(join(import.meta.dir, "../../packaging/rollcall.service"), "utf8");
