// R46: what is kept of a failing job's last lines: readable, bounded, and without secrets.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MESSAGE_LENGTH } from "../../src/domain/limits.ts";
import {
  LINE_LENGTH,
  LOOKED_AT_BYTES,
  lastOutput,
  OUTPUT_BYTES,
  saidInMessage,
  saidWith,
} from "../../src/domain/output/kept-output.ts";
import { createTail } from "../../src/domain/output/lines.ts";
import { hiderOf, outputPatternProblem, PATTERN_LENGTH } from "../../src/domain/output/patterns.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function kept(text: string | Uint8Array, patterns: readonly string[] = [], pieces = 1): string {
  const bytes = typeof text === "string" ? bytesOf(text) : text;
  const tail = createTail(LOOKED_AT_BYTES);
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  for (let at = 0; at < bytes.length; at += size) tail.add(bytes.subarray(at, at + size));
  return lastOutput(tail, hiderOf(patterns));
}

const KEEPING = { keep: true, hide: (line: string) => line };

describe("R46: an output is readable", () => {
  test("the lines are those that a terminal would show at the end", () => {
    expect(kept("one\r\ntwo\n\n\n\nthree  \n\n")).toBe("one\ntwo\n\nthree");
    expect(kept("copy 1%\rcopy 50%\rcopy 100%\r\ndone")).toBe("copy 100%\ndone");
    expect(kept("copy 1%\rcopy 50%\r")).toBe("copy 50%");
    expect(kept("\u001b[31;1mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007")).toBe("red link");
    expect(kept("N\bNA\bAM\bME\bE says\ta\u0000b\u0007")).toBe("NAME says\tab");
    expect(kept("a\u202eb\u200bc")).toBe("abc");
  });

  test("a sequence that never ends takes its own line and no other", () => {
    expect(kept("first\n\u001b]0;title\nlast")).toBe("first\n\nlast");
  });

  test("bytes that are no text become one mark", () => {
    expect(kept(Uint8Array.of(0x61, 0xff, 0xfe, 0xfd, 0x62))).toBe("a\uFFFDb");
    expect(kept("")).toBe("");
    expect(kept("\n \r\n\u0000")).toBe("");
  });
});

describe("R46: an output is bounded, and its end counts", () => {
  test("the last whole lines fit into 10,000 bytes behind a mark", () => {
    const text = Array.from({ length: 5_000 }, (_, place) => `line ${place} ü`).join("\n");
    const shown = kept(text);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(OUTPUT_BYTES);
    expect(Buffer.byteLength(shown)).toBeGreaterThan(OUTPUT_BYTES - 20);
    expect(shown).toStartWith("…\nline ");
    expect(shown).toEndWith("\nline 4999 ü");
  });

  test("one line that is too long is cut at its beginning, between two letters", () => {
    const shown = kept(`${"ü".repeat(7_000)}!`);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(OUTPUT_BYTES);
    expect(shown).toMatch(/^…ü+!$/);
  });

  test("a line that nobody can read is named, and what follows stays", () => {
    expect(kept(`${"x".repeat(17_000)}\nlast`)).toBe("(a line of 17000 characters is left out)\nlast");
    expect(kept("x".repeat(1_000_000))).toBe("");
    expect(kept(`${"x".repeat(1_000_000)}\nlast`)).toBe("…\nlast");
  });
});

/** Each with the part that must never be seen. */
const SECRETS: readonly ((secret: string) => string)[] = [
  (secret) => `ck_app_prod_${secret}`,
  (secret) => `ck_adm_${secret}`,
  (secret) => `https://cron.example.org/ping/job/ck%5Fapp_prod_${secret}/fail`,
  (secret) => `whsec_${secret}`,
  (secret) => `> Authorization: Basic ${btoa(`${secret}:`)} ${secret}`,
  (secret) => `"authorization": "Bearer ${secret}"`,
  (secret) => `curl -H 'Proxy-Authorization: Digest username="a", response="${secret}"'`,
  (secret) => `> X-Api-Key: ${secret}`,
  (secret) => `< set-cookie: session=${secret}; Path=/`,
  (secret) => `"X-Auth-Token": "${secret}"`,
  (secret) => `sent bearer ${secret} to it`,
  (secret) => `Basic ${secret}`,
  (secret) => `postgres://backup:${secret}@db.example.org:5432/shop`,
  (secret) => `amqp://user:a/b#${secret}?@mq:5672`,
  (secret) => `https://${secret}@git.example.org/jobs.git`,
  (secret) => `PGPASSWORD=${secret} pg_dump`,
  (secret) => `mysql --password="${secret} with spaces"`,
  (secret) => `{"api_key": "${secret}", "user": "ada"}`,
  (secret) => `{"password": "a\\"${secret}", "user": "ada"}`,
  (secret) => `{"body": "{\\"token\\": \\"${secret}\\"}"}`,
  (secret) => `:password  =>  '${secret}'`,
  (secret) => `secret   =   ${secret}`,
  (secret) => `GET /?access_key=${secret}&page=2`,
  (secret) => `+ PGPASSWORD=a,b;${secret} pg_dump`,
  (secret) => `connect(user=ada, password=a)${secret}, host=db)`,
  (secret) => `postgres://ada:${"x".repeat(900)}${secret}@db/shop`,
  (secret) => `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${secret}\n=${secret}\n-----END PGP PRIVATE KEY BLOCK-----`,
  (secret) =>
    `-----BEGIN PRIVATE KEY-----\nMIIE${secret}\n-----END PRIVATE KEY----------BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
  (secret) => `-----BEGIN RSA PRIVATE KEY-----\nMIIE${secret}\n${secret}\n-----END RSA PRIVATE KEY-----`,
  (secret) => `remote: ghp_${secret} has no access`,
  (secret) => `GITHUB ghs_${secret}`,
  (secret) => `github_pat_${secret}_${secret}`,
  (secret) => `glpat-${secret.slice(0, 16)}-${secret.slice(16)}`,
  (secret) => `slack: xoxb-1234-${secret}`,
  (secret) => `sk_live_${secret} or rk_live_${secret}`,
  (secret) => `expired: eyJ${secret}.${secret}.${secret}`,
  (secret) => `AKIA${secret}`,
  (secret) => `mysql --password ${secret} shop`,
  (secret) => `tool --db-password='${secret} and more' --token=a,${secret}`,
  (secret) => `sshpass -v -p ${secret} ssh ada@db`,
  (secret) => `+ mysqldump -u root -p${secret} shop`,
  (secret) => `mariadb -P 3306 -p'a ${secret}' shop`,
  (secret) => `curl -u ada:${secret} https://db.example.org`,
  (secret) => `RESTIC_PASSWORD="abc ${secret}"`,
  (secret) => `+ export 'RESTIC_PASSWORD=abc ${secret}'`,
  (secret) => `of customer-${secret} himself`,
];
const PATTERNS = ["customer-\\w+"];

describe("R46: no secret stays in an output", () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9]{32}$/);
  const noise = fc.string({ unit: "binary", maxLength: 300 });
  const parts = fc.array(fc.tuple(noise, fc.nat({ max: SECRETS.length - 1 })), { minLength: 1, maxLength: 60 });

  test("wherever it stands, however the bytes come in pieces, and wherever they are cut", () => {
    fc.assert(
      fc.property(secret, parts, fc.nat({ max: 3 }), fc.integer({ min: 1, max: 400 }), (hidden, all, times, pieces) => {
        // On a line of its own: noise may be an escape that hides what follows, or turn into part of a name.
        const text = all.map(([before, which]) => `${before}\n${SECRETS[which]!(hidden)}\n`).join("");
        const shown = kept(text.repeat(1 + times * 12), PATTERNS, pieces);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(OUTPUT_BYTES);
        // Not even a piece of it, which a cut might leave.
        for (let at = 0; at + 8 <= hidden.length; at++) expect(shown).not.toContain(hidden.slice(at, at + 8));
      }),
      { numRuns: 300 },
    );
  });

  test("at every place where a cut can be", () => {
    const hidden = "Xl6rmyiJniyjGCUvOKUQenleAFfAlBmP";
    for (const secretOf of SECRETS) {
      const line = secretOf(hidden);
      for (const room of [LOOKED_AT_BYTES, OUTPUT_BYTES]) {
        for (let behind = room - line.length - 4; behind <= room + 2; behind += 3) {
          const shown = kept(
            `before ${line}\n${"y".repeat(60)}\n${`${"z".repeat(99)}\n`.repeat(Math.floor(behind / 100))}${"z".repeat(Math.max(0, (behind % 100) - 62))}`,
            PATTERNS,
          );
          for (let at = 0; at + 8 <= hidden.length; at++) expect(shown).not.toContain(hidden.slice(at, at + 8));
        }
      }
    }
  });

  test("where all behind a cut is hidden, and what the cut goes through comes into view", () => {
    const hidden = "Xl6rmyiJniyjGCUvOKUQenleAFfAlBmP";
    for (const secretOf of SECRETS.slice(0, -2)) {
      const line = secretOf(hidden);
      for (let through = 0; through <= line.length; through++) {
        const begin = "\n-----BEGIN PRIVATE KEY-----\n";
        const end = "\n-----END PRIVATE KEY-----\nlast";
        const size = LOOKED_AT_BYTES - through - begin.length - end.length;
        const shown = kept(`before ${line}${begin}${"M".repeat(size)}${end}`);
        expect(shown).toEndWith("***\nlast");
        for (let at = 0; at + 8 <= hidden.length; at++) expect(shown).not.toContain(hidden.slice(at, at + 8));
      }
    }
  });

  test("a private key is hidden also where its beginning or its end is missing", () => {
    expect(kept("MIIEabc\nMIIEdef\n-----END PRIVATE KEY-----\nlast")).toBe("***\nlast");
    expect(kept("first\nx -----BEGIN OPENSSH PRIVATE KEY-----\nMIIEabc")).toBe("first\nx ***");
    expect(kept("-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----")).toContain("MIIE");
  });

  test("what is no secret stays", () => {
    for (const line of [
      "fatal: password authentication failed for user ada",
      "token: expired",
      "GET http://localhost:8080/users/bob@example.org 404",
      "basic configuration failed",
      "no secret here",
      "mail to ada@example.org bounced",
      "restic --password-file /etc/restic.key backup",
      "mysqldump -P 3306 -p shop",
      "tar -pxf jobs.tar",
      "asked --password --user ada",
      "the glpat- prefix and eyJ.a",
    ])
      expect(kept(line)).toBe(line);
  });

  test("of a command with a password the rest stays readable", () => {
    for (const [line, hidden] of [
      ["sshpass -p geheim ssh ada@db", "sshpass -p *** ssh ada@db"],
      ["mysqldump -u root -pS3cret shop", "mysqldump -u root -p*** shop"],
      ["run --password geheim --fast", "run --password *** --fast"],
      ['RESTIC_PASSWORD="abc def" restic', "RESTIC_PASSWORD=*** restic"],
      ["+ export 'RESTIC_PASSWORD=abc def' HOME=/", "+ export 'RESTIC_PASSWORD=***' HOME=/"],
      ["AKIAIOSFODNN7EXAMPLE is unknown", "AKIA*** is unknown"],
      ["host=db password=a,b sslmode=require", "host=db password=*** sslmode=require"],
      ["Server=db;Password=a;Database=shop", "Server=db;Password=***;Database=shop"],
      ["/login?token=a&page=2 404", "/login?token=***&page=2 404"],
      ['"/login?token=a", 404', '"/login?token=***", 404'],
      ["(user=ada, password=a, host=db)", "(user=ada, password=***, host=db)"],
    ] as const)
      expect(kept(line)).toBe(hidden);
  });

  test("what looks like the beginning of many secrets takes time that grows with the line alone", () => {
    // What goes back for each letter would take 10^8 steps and more for these lines; the test would take minutes.
    const text = ["eyJ-", "--a-", "mysql x ", "sshpass ", "-u a:", '"password', "'password=", "a-"]
      .map((piece) => piece.repeat(Math.floor(16_000 / piece.length)))
      .join("\n");
    expect(kept(`${text}\nlast`)).toEndWith("\nlast");
  });
});

describe("R46: a message beside an output", () => {
  test("a message that is short enough stays the message; of a longer one the last line tells, and all is the output", () => {
    expect(saidInMessage("disk full", KEEPING)).toEqual({ message: "disk full", output: null });
    expect(saidInMessage(null, KEEPING)).toEqual({ message: null, output: null });
    const long = `${"a line\n".repeat(200)}disk full`;
    expect(saidInMessage(long, KEEPING)).toEqual({ message: "disk full", output: long });
    const one = "x".repeat(5_000);
    expect(saidInMessage(one, KEEPING)).toEqual({ message: "x".repeat(LINE_LENGTH), output: one });
  });

  test("where no output is kept, a message that grew by what hides secrets is cut", () => {
    const { message, output } = saidInMessage("x-".repeat(MESSAGE_LENGTH / 2), { keep: false, hide: hiderOf(["x"]) });
    expect([message!.length, output]).toEqual([MESSAGE_LENGTH, null]);
  });

  test("the message that was sent stands; without one the last line is it, and says no more than an output of one line", () => {
    expect(saidWith("exit status 1", "a\nb")).toEqual({ message: "exit status 1", output: "a\nb" });
    expect(saidWith(null, "a\nb")).toEqual({ message: "b", output: "a\nb" });
    expect(saidWith(null, "b")).toEqual({ message: "b", output: null });
    expect(saidWith(null, "")).toEqual({ message: null, output: null });
  });
});

describe("R46: patterns of an operator", () => {
  test("what they match is hidden, and nothing else", () => {
    expect(hiderOf(["customer [0-9]+", "(?i)pin \\d{4}"])("customer 12 with PIN 9999, pin 12")).toBe(
      "*** with ***, pin 12",
    );
    expect(hiderOf(["\\b"])("a b")).toBe("a b");
    expect(hiderOf(["€+"])("10 €€ und 漢字")).toBe("10 *** und 漢字");
  });

  test("one that would be slow, match everywhere or is none is refused", () => {
    expect(outputPatternProblem("password=\\S+")).toBeNull();
    expect(outputPatternProblem("(")).toBe("is not a regular expression of RE2: missing closing )");
    expect(outputPatternProblem("(a)\\1")).toStartWith("is not a regular expression of RE2");
    expect(outputPatternProblem("(?<=x)y")).toStartWith("is not a regular expression of RE2");
    expect(outputPatternProblem("x*")).toBe("matches where there is nothing");
    expect(outputPatternProblem("")).toBe("matches where there is nothing");
    expect(outputPatternProblem("(\\w{1,30}){1,30}!")).toBe("repeats too much");
    expect(outputPatternProblem("(a?){60}b")).toBe("repeats too much");
    expect(outputPatternProblem("a".repeat(PATTERN_LENGTH + 1))).toBe("is too long");
  });

  test("a pattern that other engines would never finish is done with a long line", () => {
    // (a+)+$ takes a backtracking engine 2^16384 steps here; the test would never end.
    expect(hiderOf(["(a+)+$", "(a|aa)+$"])(`${"a".repeat(16_000)}!`)).toEndWith("a!");
  });

  test("matches beside each other are hidden as one", () => {
    expect(hiderOf(["\\d"])("pin 1234, of 7")).toBe("pin ***, of ***");
    expect(hiderOf(["\\*"])("*".repeat(9_000))).toBe("***");
  });

  test("where a pattern matches so often that all would take long, the rest of the line is hidden", () => {
    // To look behind each letter for what is not there would take minutes.
    const patterns = Array.from({ length: 10 }, () => "a.*b|a");
    const line = "a ".repeat(8_000);
    const shown = kept(`${line}\n${line}\nlast a`, patterns);
    expect(shown).toMatch(/^\*\*\*( \*\*\*)*\n\*\*\*( \*\*\*)+\nl\*\*\*st \*\*\*$/);
  });

  test("a line has many matches before the rest of it is hidden", () => {
    const numbers = Array.from({ length: 40 }, (_, place) => `n${place}`).join(" ");
    const hide = hiderOf(["\\d+"]);
    for (let lines = 0; lines < 250; lines++) expect(hide(numbers)).toBe(numbers.replace(/\d+/g, "***"));
  });
});
