// `rollcall systemd-unit`: prints the unit that the package installs, with the path of this executable.

import { embeddedUnit } from "./embedded.ts" with { type: "macro" };

const INSTALLED = "/usr/bin/rollcall";

export const systemdUnit = (executable: string): string => embeddedUnit().replaceAll(INSTALLED, executable).trimEnd();
