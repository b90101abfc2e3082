// The log: one line a fact, for machines and for people, and no secret in any of them whatever shape it comes in.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { wantsColor } from "../../src/cli/screens/color.ts";
import { createLogger, type LoggerSettings } from "../../src/cli/serving/logger.ts";
import { createLogRedactor } from "../../src/cli/serving/redacting.ts";
import type { LogFields } from "../../src/domain/log.ts";

const AT = Date.UTC(2026, 2, 1, 2, 0, 0);

function logged(fields: LogFields, settings: Partial<LoggerSettings> = {}): string {
  const lines: string[] = [];
  const log = createLogger({
    clock: { now: () => AT, monotonic: () => 0 },
    write: (line) => lines.push(line),
    format: "json",
    color: false,
    redact: createLogRedactor([]),
    ...settings,
  });
  log("info", "something_happened", fields);
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
}

test("a fact is one JSON line that begins with when, how grave and what", () => {
  expect(logged({ monitor: "nightly", tries: 2 })).toBe(
    '{"at":"2026-03-01T02:00:00.000Z","level":"info","event":"something_happened","monitor":"nightly","tries":2}',
  );
});

test("for people a fact is one line of words and name=value pairs", () => {
  const line = logged({ monitor: "nightly", text: "two words", empty: "", sign: "a=b" }, { format: "pretty" });
  expect(line).toBe(
    '2026-03-01T02:00:00.000Z INFO  something_happened monitor=nightly text="two words" empty="" sign="a=b"',
  );
});

test("only the level is coloured, and only when asked for", () => {
  const line = logged({ a: 1 }, { format: "pretty", color: true });
  expect(line).toBe("2026-03-01T02:00:00.000Z \x1b[32mINFO \x1b[0m something_happened a=1");
});

test("colour is for a terminal whose user has not said NO_COLOR", () => {
  expect(wantsColor(true, {})).toBe(true);
  expect(wantsColor(true, { NO_COLOR: "" })).toBe(true);
  expect(wantsColor(true, { NO_COLOR: "1" })).toBe(false);
  expect(wantsColor(false, {})).toBe(false);
});

test("an error is written with its message, its own facts, its stack and its cause", () => {
  const error = Object.assign(new Error("disk full", { cause: new Error("ENOSPC") }), { code: "SQLITE_FULL" });
  const { error: written } = JSON.parse(logged({ error }));
  expect(written).toMatchObject({
    name: "Error",
    message: "disk full",
    code: "SQLITE_FULL",
    cause: { message: "ENOSPC" },
  });
  expect(written.stack).toContain("logger.test.ts");
});

test("values JSON does not know are written as readable text", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const fields = {
    big: 10n,
    nan: Number.NaN,
    none: undefined,
    date: new Date(AT),
    map: new Map([["a", 1]]),
    set: new Set(["b"]),
    circle,
  };
  expect(JSON.parse(logged(fields))).toMatchObject({
    big: "10",
    nan: "NaN",
    date: "2026-03-01T02:00:00.000Z",
    map: { a: 1 },
    set: { "0": "b" },
    circle: { self: "…" },
  });
});

test("a value used twice side by side is written twice", () => {
  const shared = { a: 1 };
  expect(JSON.parse(logged({ first: shared, second: shared }))).toMatchObject({ first: { a: 1 }, second: { a: 1 } });
});

test("very long text is cut after redaction, so that no half of a secret stays", () => {
  const secret = "https://example.com/hook/verysecretindeed";
  const line = logged({ text: "a".repeat(3_970) + secret + "b".repeat(100) }, { redact: createLogRedactor([secret]) });
  expect(line).not.toContain("verysecret");
  expect(line).not.toContain("example.com");
  expect(line.length).toBeLessThan(4_200);
});

test("of two secrets that begin alike the longer is hidden whole", () => {
  expect(
    logged({ text: "pass-word pass-word-tail" }, { redact: createLogRedactor(["pass-word", "pass-word-tail"]) }),
  ).toContain('"*** ***"');
});

const controls = fc.string({
  unit: fc.constantFrom("a", "\n", "\r", "\x1b", "\x7f", "\x85", "\u2028", "\u202e", "\u2066"),
  minLength: 1,
});

test("control characters and direction marks never reach the reader, in names or in values", () => {
  fc.assert(
    fc.property(controls, controls, fc.constantFrom("json", "pretty" as const), (name, text, format) => {
      const line = logged({ [name]: text, error: new Error(text) }, { format });
      expect(line).not.toMatch(/[\p{Cc}\u2028\u202e\u2066]/u);
      if (format === "json") expect(JSON.parse(line)).toMatchObject({ [name]: text });
    }),
  );
});

const secretPart = fc.string({ unit: fc.constantFrom(..."0123456789ABCXYZabcxyz"), minLength: 32, maxLength: 32 });
const slug = fc.stringMatching(/^[a-z0-9-]{1,40}$/);
const percent = (text: string): string => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
const coding = fc.constantFrom<((text: string) => string)[]>(
  (text) => text,
  encodeURIComponent,
  (text) => text.replaceAll("_", "%5F"),
  (text) => text.replaceAll("_", "%255f"),
  percent,
  (text) => encodeURIComponent(percent(text)),
);

/** Everything a reader could undo: percent-encoding, as often as it was applied. */
const decoded = (text: string): string =>
  text.replace(/%(?:25)*([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

test("R2: the secret part of an API key is in no line, however it was encoded and wherever it stood", () => {
  const place = fc.constantFrom<((text: string) => LogFields)[]>(
    (text) => ({ path: `/api/v1/ping/nightly/${text}/fail?message=x` }),
    (text) => ({ deep: { list: [{ text }] } }),
    (text) => ({ [text]: 1 }),
    (text) => ({ error: new Error(`no route for "${text}"`) }),
    (text) => ({ error: new Error("outer", { cause: new Error(text) }) }),
    (text) => ({ body: JSON.stringify({ key: text }) }),
    (text) => ({ map: new Map([[text, text]]) }),
    (text) => ({ url: `http://${text}:@localhost/` }),
  );
  fc.assert(
    fc.property(
      slug,
      secretPart,
      coding,
      place,
      fc.constantFrom("json", "pretty" as const),
      (application, secret, encode, put, format) => {
        const line = logged(put(encode(`ck_app_${application}_${secret}`)), { format });
        expect(decoded(line)).not.toContain(secret);
      },
    ),
  );
});

test("what stands around a key stays readable", () => {
  expect(logged({ path: "/ping/nightly/ck_app_prod_abc123/fail?message=x" })).toContain(
    '"/ping/nightly/ck_app_***/fail?message=x"',
  );
  expect(logged({ text: 'key "ck_app_prod_abc123", again' })).toContain('ck_app_***\\", again');
});

test("HTTP Basic credentials that hold a key are hidden, whatever application it is of", () => {
  fc.assert(
    fc.property(slug, secretPart, (application, secret) => {
      const header = `Basic ${btoa(`ck_app_${application}_${secret}:`)}`;
      expect(logged({ header })).toContain('"Basic ck_app_***"');
    }),
  );
});

const secretText = fc
  .string({ unit: fc.constantFrom(...'abcXYZ019-/?&"\\é +%'), minLength: 8, maxLength: 40 })
  .filter((text) => !text.includes("**"));

test("registered secrets are in no line: as given, percent-encoded, quoted as JSON or in base64", () => {
  const form = fc.constantFrom<((text: string) => string)[]>(
    (text) => text,
    encodeURIComponent,
    (text) => JSON.stringify(text),
    (text) => Buffer.from(text).toString("base64"),
  );
  fc.assert(
    fc.property(fc.array(secretText, { minLength: 1, maxLength: 4 }), form, (secrets, write) => {
      const line = logged({ text: secrets.map(write).join(" | ") }, { redact: createLogRedactor(secrets) });
      const text = String(JSON.parse(line).text);
      for (const secret of secrets) expect(text).not.toContain(write(secret));
    }),
  );
});

test("R40: a destination's URL is hidden when a library normalizes it or names only what stands behind the host", () => {
  const secrets = ["HTTPS://Hooks.Example.com:443/services/T000/B000/Gx7verysecretKq29"];
  const error = new Error(
    'POST /services/T000/B000/Gx7verysecretKq29 failed (https://hooks.example.com/services/T000/B000/Gx7verysecretKq29")',
  );
  expect(logged({ error }, { redact: createLogRedactor(secrets) })).not.toContain("verysecret");
});

test("R40: a path that anyone could have written is hidden behind its own host alone", () => {
  const redact = createLogRedactor(["http://10.0.0.5/rollcall", "https://example.org/data?to=ops"]);
  const rule = "put the newest backup back: sudo rollcall restore /data/rollcall/rollcall.db";
  const line = logged({ error: `${rule}, then look at https://rollcall.example.net/data?to=ops` }, { redact });
  expect(JSON.parse(line).error).toBe(`${rule}, then look at https://rollcall.example.net/data?to=ops`);
  const named = ["POST http://10.0.0.5/rollcall", "10.0.0.5/rollcall", "https://example.org/data?to=ops"];
  for (const error of named) expect(logged({ error }, { redact })).not.toMatch(/rollcall|to=ops/);
});

test("R40: a server without a path is hidden, and a longer address that begins like it is not", () => {
  const redact = createLogRedactor(["http://home.example"]);
  const shown = ["http://home.example.org/", "http://home.example:8443/monitors", "http://home.example-2/"];
  for (const text of shown) expect(JSON.parse(logged({ text }, { redact })).text).toBe(text);
  expect(JSON.parse(logged({ text: "http://home.example: gone. HTTP://HOME.EXAMPLE" }, { redact })).text).toBe(
    "***: gone. HTTP://HOME.EXAMPLE",
  );
});

test("a password that is a word of ours ruins no path, no command and no name of a field", () => {
  const redact = createLogRedactor(["rollcall", "error"]);
  const line = logged(
    { error: "535 rollcall is refused", rule: "run sudo rollcall restore", directory: "/var/lib/rollcall" },
    { redact },
  );
  expect(JSON.parse(line)).toMatchObject({
    error: "535 *** is refused",
    rule: "run sudo rollcall restore",
    directory: "/var/lib/rollcall",
  });
});

test("a secret too short to hide does not blank out ordinary words", () => {
  expect(logged({ text: "banana" }, { redact: createLogRedactor(["a", ""]) })).toContain('"banana"');
});
