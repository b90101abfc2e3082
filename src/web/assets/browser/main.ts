// What runs in the browser: htmx with its live connection, and our own small helpers. Every page and action works without.

import "htmx.org";
import "htmx.org/dist/ext/hx-sse.js";
import "./copying.ts";
import "./day.ts";
import "./days.ts";
import "./dialogs.ts";
import "./headline.ts";
import "./keys.ts";
import "./live.ts";
import "./passkeys.ts";
import "./times.ts";
import "./zone.ts";
