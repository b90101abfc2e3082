// Runs only in the compiler: it reads files of this repository, so that the executable holds what is installed beside
// it.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export const readUnit = (): string => readFileSync(join(import.meta.dir, "../../packaging/rollcall.service"), "utf8");
