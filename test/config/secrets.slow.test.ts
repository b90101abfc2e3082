// Secrets come from the key, a file or a credential, and whatever goes wrong, no fault repeats one.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CWD, configIn, faultsIn, loadIn, systemError, type World, withToml } from "../support/config-world.ts";
import { propertyRuns } from "../support/property-runs.ts";

const WEBHOOK_SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz";
const SMTP = '[smtp]\nhost = "mail.example.org"\nfrom = "a@example.org"\nusername = "ada"\n';
const HOOK = '[destinations.ops]\ntype = "webhook"\n';

const passwordIn = (toml: string, world?: World) => configIn(withToml(SMTP + toml, world)).smtp?.login?.password;

describe("a secret", () => {
  test("may stand in a file, whose last line end is not part of it", () => {
    const files = { [`${CWD}/password`]: " hunter2 \n", "/run/secret": "hunter3\r\n" };
    expect(passwordIn('password_file = "password"\n', { files })).toBe(" hunter2 ");
    expect(passwordIn('password_file = "/run/secret"\n', { files })).toBe("hunter3");
  });

  test("may stand in a file that begins with the mark of UTF-8, which is not part of it", () => {
    const files = { [`${CWD}/password`]: "\uFEFFhunter2\r\n" };
    expect(passwordIn('password_file = "password"\n', { files })).toBe("hunter2");
  });

  test("with bytes that are not UTF-8 is refused, in a file and as a credential", () => {
    const latin1 = Buffer.from("geheim\xe4\n", "latin1").toString("utf8");
    const files = { [`${CWD}/password`]: latin1, "/c/smtp.password": latin1 };
    expect(faultsIn(withToml(`${SMTP}password_file = "password"\n`, { files }))).toEqual([
      "rollcall.toml:5: smtp.password_file: names a file that has bytes that are not UTF-8, must be saved as UTF-8",
    ]);
    expect(faultsIn(withToml(SMTP, { files, environment: { CREDENTIALS_DIRECTORY: "/c" } }))).toEqual([
      "credential smtp.password: smtp.password: has bytes that are not UTF-8, must be saved as UTF-8",
    ]);
  });

  test("may be a systemd credential named after its key", () => {
    const world = {
      environment: { CREDENTIALS_DIRECTORY: "/run/credentials/rollcall.service" },
      files: {
        "/run/credentials/rollcall.service/smtp.password": "hunter2\n",
        "/run/credentials/rollcall.service/destinations.ops.url": "https://example.org/x\n",
        "/run/credentials/rollcall.service/destinations.ops.secret": WEBHOOK_SECRET,
      },
    };
    const loaded = loadIn(withToml(SMTP + HOOK, world));
    if ("faults" in loaded) throw new Error("faults");
    expect(loaded.config.smtp?.login?.password).toBe("hunter2");
    expect(loaded.config.destinations.get("ops")).toEqual({
      type: "webhook",
      name: "ops",
      url: "https://example.org/x",
      secret: WEBHOOK_SECRET,
    });
    expect(loaded.sources).toEqual([
      "rollcall.toml",
      "credential smtp.password",
      "credential destinations.ops.url",
      "credential destinations.ops.secret",
    ]);
  });

  test("that is written wins over a credential, and the environment over both", () => {
    const files = { "/c/smtp.password": "credential", [`${CWD}/other`]: "other" };
    const environment = { CREDENTIALS_DIRECTORY: "/c" };
    expect(passwordIn("", { files, environment })).toBe("credential");
    expect(passwordIn('password = "written"\n', { files, environment })).toBe("written");
    const fromFile = { ...environment, ROLLCALL_SMTP__PASSWORD_FILE: "other" };
    expect(passwordIn('password = "written"\n', { files, environment: fromFile })).toBe("other");
    const direct = { ...environment, ROLLCALL_SMTP__PASSWORD: "direct" };
    expect(passwordIn('password_file = "other"\n', { files, environment: direct })).toBe("direct");
    const hook = { ROLLCALL_DESTINATIONS: `{"ops":{"url":"https://example.org/x","secret":"${WEBHOOK_SECRET}"}}` };
    const toml = `${HOOK}url_file = "gone"\nsecret_file = "gone"\n`;
    expect(configIn(withToml(toml, { environment: hook })).destinations.get("ops")).toMatchObject({
      url: "https://example.org/x",
      secret: WEBHOOK_SECRET,
    });
  });

  test("in a credential that cannot be read or is wrong is told by the credential's name", () => {
    const files = {
      "/c/smtp.password": systemError("EACCES"),
      "/c/destinations.ops.url": "hunter2",
      "/c/destinations.ops.secret": "",
    };
    expect(faultsIn(withToml(SMTP + HOOK, { files, environment: { CREDENTIALS_DIRECTORY: "/c" } }))).toEqual([
      'credential destinations.ops.secret: destinations.ops.secret: is not a webhook secret, must be "whsec_" and the base64 of 24 to 64 random bytes',
      "credential destinations.ops.url: destinations.ops.url: is not an http(s) URL, must begin with http:// or https:// and hold no user name or password",
      "credential smtp.password: smtp.password: cannot be read (EACCES), must be readable by this process",
    ]);
  });

  test("is among the secrets of the configuration, so that logs can hide it (R40)", () => {
    const hook = `${HOOK}url = "https://example.org/x"\nsecret = "${WEBHOOK_SECRET}"\n`;
    const config = configIn(withToml(`${SMTP}password = "hunter2"\n${hook}`));
    expect(config.secrets).toEqual(new Set(["hunter2", "https://example.org/x", WEBHOOK_SECRET]));
  });
});

/** Texts that a fault would show if it showed what it read. */
const MARKER = "m4rk3r";
const markers = fc
  .tuple(
    fc.constantFrom("", "https://", "https://ada:", "whsec_", "ftp://", "ck_app_", " ", "\n", "a, ", "<"),
    fc.constantFrom("", "@example.org", "/x", "=", "\n", ">", " b", "\u0000"),
  )
  .map(([before, after]) => before + MARKER + after);

/** Wrong values of every shape around the marker. */
const values = markers.chain((text) =>
  fc.constantFrom<unknown>(text, [text], { [`x`]: text }, [[text]], { password: { deep: text } }),
);

const SECRET_KEYS = ["smtp.password", "destinations.ops.url", "destinations.ops.secret"] as const;

const toToml = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(toToml).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, item]) => `${name} = ${toToml(item)}`);
  return `{ ${entries.join(", ")} }`;
};

/** The marker in one secret place: written, spoilt, by file, by environment, by credential. */
const worlds = fc
  .record({ key: fc.constantFrom(...SECRET_KEYS), value: values, place: fc.nat(7) })
  .map(({ key, value, place }): World => {
    const [table = "", name = ""] = /^(.*)\.(\w+)$/.exec(key)?.slice(1) ?? [];
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const toml = `${SMTP}[destinations.ops]\ntype = "webhook"\n`;
    const variable = `ROLLCALL_${key.toUpperCase().replaceAll(".", "__")}`;
    const written = (line: string) => withToml(toml.replace(`[${table}]\n`, `[${table}]\n${line}\n`));
    switch (place) {
      case 0:
        return written(`${name} = ${toToml(value)}`);
      case 1:
        return written(`${name}_file = ${toToml(value)}`);
      case 2:
        return written(`${name} = "${text.replace(/["\\\n]/g, "")}`);
      case 3:
        return withToml(toml, { environment: { [variable]: text } });
      case 4:
        return withToml(toml, { environment: { [`${variable}_FILE`]: text } });
      case 5:
        return withToml(toml, { environment: { ROLLCALL_DESTINATIONS: `{"ops":{"url":"${text}` } });
      case 6: {
        const files = { [`${CWD}/x.env`]: `${MARKER} ${variable}\n${variable}='${text}\n` };
        return withToml(toml, { flags: { envFile: "x.env" }, files });
      }
      default:
        return withToml(toml, { environment: { CREDENTIALS_DIRECTORY: "/c" }, files: { [`/c/${key}`]: text } });
    }
  });

test("R40: no fault ever repeats what stands in a secret's place, whatever is wrong with it", () => {
  let faulty = 0;
  fc.assert(
    fc.property(worlds, (world) => {
      const faults = faultsIn(world);
      faulty += faults.length;
      expect(faults.join("\n")).not.toContain(MARKER);
    }),
    propertyRuns(1_000),
  );
  expect(faulty).toBeGreaterThan(0);
});
