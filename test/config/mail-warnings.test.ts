// What `config check` and the log say of mail settings that are no fault, and still hardly what was meant.

import { expect, test } from "bun:test";
import { formatFault } from "../../src/config/fault.ts";
import { loadIn, withToml } from "../support/config-world.ts";

function warningsOf(smtp: string, host = "mail.example.org"): string[] {
  const loaded = loadIn(withToml(`[smtp]\nhost = "${host}"\nfrom = "a@example.org"\n${smtp}`));
  if ("faults" in loaded) throw new Error(loaded.faults.map(formatFault).join("\n"));
  return loaded.warnings.map(formatFault);
}

test.each([
  [
    'port = 465\nsecurity = "starttls"',
    'rollcall.toml:5: smtp.security: "starttls" hardly works on port 465, "tls" is usual on port 465, and port 587 for "starttls"',
  ],
  [
    'port = 465\nsecurity = "none"',
    'rollcall.toml:5: smtp.security: "none" hardly works on port 465, "tls" is usual on port 465',
  ],
  [
    'port = 587\nsecurity = "none"',
    'rollcall.toml:5: smtp.security: "none" hardly works on port 587, "starttls" is usual on port 587',
  ],
  [
    'port = 587\nsecurity = "tls"',
    'rollcall.toml:5: smtp.security: "tls" hardly works on port 587, "starttls" is usual on port 587, and port 465 for "tls"',
  ],
  [
    "port = 587",
    'rollcall.toml:4: smtp.port: "tls" hardly works on port 587, "starttls" is usual on port 587, and port 465 for "tls"',
  ],
  [
    'port = 25\nsecurity = "tls"',
    'rollcall.toml:5: smtp.security: "tls" hardly works on port 25, "starttls" is usual on port 25, and port 465 for "tls"',
  ],
])("a port and a security that hardly go together: %p", (smtp, warning) => {
  expect(warningsOf(smtp)).toEqual([warning]);
});

test.each([
  "",
  "port = 465",
  'security = "starttls"',
  'port = 25\nsecurity = "starttls"',
  'security = "none"',
  'port = 2525\nsecurity = "tls"',
])("what may well be meant is not warned of: %p", (smtp) => expect(warningsOf(smtp)).toEqual([]));

test("a password that would travel unencrypted is told, except on this machine", () => {
  const smtp = 'security = "none"\nusername = "ada"\npassword = "hunter2"';
  expect(warningsOf(smtp)).toEqual([
    'rollcall.toml:5: smtp.username: is sent unencrypted, with its password, security should be "tls" or "starttls"',
  ]);
  expect(warningsOf(smtp, "localhost")).toEqual([]);
  expect(warningsOf('port = 587\nsecurity = "none"', "127.0.0.1")).toEqual([]);
});
