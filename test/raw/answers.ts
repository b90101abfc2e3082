// Whole answers as they stand on the wire, for the tables beside this file: but for the `Date` line, and with one time
// in the place of all.

/** Every time in an answer is replaced by this one, which is as long. */
export const TIME = "2026-01-01T00:00:00.000Z";

const OURS = "Content-Type: application/json\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n";

const answer = (status: string, body: string, more = ""): string =>
  `HTTP/1.1 ${status}\r\n${OURS}${more}Content-Length: ${Buffer.byteLength(body, "latin1")}\r\n\r\n${body}`;

const ok = (fields: object): string => answer("200 OK", JSON.stringify(fields));

export const error = (status: string, code: string, message: string, more = ""): string =>
  answer(status, JSON.stringify({ error: code, message }), more);

/** What answers a HEAD: the head of the answer to a GET. */
export const headOnly = (whole: string): string =>
  whole.slice(0, whole.indexOf("\r\n\r\n") + 4).replace("Content-Length:", "content-length:");

/** With the end of the connection announced. */
export const closing = (whole: string): string => whole.replace(OURS, `${OURS}Connection: close\r\n`);

/** What the HTTP server says by itself, before a request is ours. */
const byServer = (status: string): string => `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`;
export const MALFORMED = byServer("400 Bad Request");
export const LENGTH_BEYOND_NUMBERS = byServer("413 Request Entity Too Large");
export const HEAD_TOO_LARGE = byServer("431 Request Header Fields Too Large");
export const NO_SUCH_VERSION = byServer("505 HTTP Version Not Supported");
export const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

export const HEALTHY = ok({ status: "ok" });
export const TAKEN = ok({ status: "ok", monitor: "job", pingedAt: TIME, warning: null });
export const STARTED = ok({ status: "started", monitor: "run", startedAt: TIME });
export const COMPLETED = ok({ status: "completed", monitor: "job", completedAt: TIME, duration: null });
export const FAILED = ok({
  status: "failure_recorded",
  monitor: "job",
  recordedAt: TIME,
  message: "The failure was recorded.",
  failureMessage: "exit status 1",
});

export const NO_SUCH_PATH = error("404 Not Found", "NOT_FOUND", "there is no such path");
export const NO_SUCH_OPERATION = error(
  "404 Not Found",
  "NOT_FOUND",
  "there is no such path, write ping/MONITOR/KEY, and behind it start, complete, fail, log or an exit status from 0 to 255",
);
export const noMonitor = (key: string): string =>
  error(
    "404 Not Found",
    "MONITOR_NOT_FOUND",
    `monitor "${key}" does not exist in application "default"; a report that carries a schedule, or every, creates it`,
  );
export const wrongMethod = (method: string, allow = "GET, POST"): string =>
  error(
    "405 Method Not Allowed",
    "METHOD_NOT_ALLOWED",
    `${method} is not taken here, use ${allow.replaceAll(", ", " or ")}`,
    `allow: ${allow}\r\n`,
  );
export const invalid = (message: string): string => error("400 Bad Request", "INVALID_REQUEST", message);
export const invalidSchedule = (message: string): string =>
  error("400 Bad Request", "INVALID_SCHEDULE", `schedule: ${message}`);
export const tooLarge = (most: number): string =>
  error("413 Payload Too Large", "PAYLOAD_TOO_LARGE", `body: it is larger than ${most} bytes, the most it may have`);
export const NO_KEY = error(
  "401 Unauthorized",
  "AUTHENTICATION_REQUIRED",
  "a valid API key is required: in the path behind the monitor key, or as the user name of HTTP Basic",
  'www-authenticate: Basic realm="rollcall"\r\n',
);
export const PREFETCH = error("403 Forbidden", "ACCESS_DENIED", "a prefetch reports nothing, request it for real");
export const NOT_HTTPS = error(
  "403 Forbidden",
  "HTTPS_REQUIRED",
  "plain HTTP is not accepted here, send the request over HTTPS; who runs this rollcall may take it by server.plain_http",
);

export const NOT_UTF8 = invalid("monitor_key: it is not UTF-8, percent-encode it as UTF-8");
export const CONTROL = invalid("monitor_key: it has a control character, which no segment may have");
export const NO_JSON = invalid("body: it is not JSON, a JSON object in UTF-8 is needed");
