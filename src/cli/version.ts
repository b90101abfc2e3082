// The version of this executable, stamped in when it is compiled: a release's, else that of package.json. Nothing else
// is known here.

import { version } from "../../package.json" with { type: "json" };

/** Only `make dist` defines it. */
declare const ROLLCALL_VERSION: string | undefined;

export const VERSION: string = typeof ROLLCALL_VERSION === "string" ? ROLLCALL_VERSION : version;
