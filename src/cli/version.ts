// The version of this executable, stamped in from package.json when it is compiled. Nothing else is known here.

import { version } from "../../package.json" with { type: "json" };

export const VERSION: string = version;
