// What a first start shows once: whole on disk, for its owner alone, before the log says where; and gone when it is
// used.

import { expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { announce, createFirstKeyFile, firstKeyLines, firstLinkLines } from "../../src/cli/serving/first-keys.ts";
import { NO_INPUT } from "../support/command-line.ts";

const IO = { out: () => {}, err: () => {}, width: null, color: false, input: NO_INPUT };
const KEY = "ck_app_default_0123456789abcdefghijABCDEFGHIJ01";
const OTHER = "ck_app_shop_0123456789abcdefghijABCDEFGHIJ02";
const TOKEN = "0123456789abcdefghijABCDEFGHIJ01234567890ab";
const NEVER = { key: () => false, link: () => false };

function folder(): Disposable & { readonly path: string } {
  const path = fs.mkdtempSync(join(tmpdir(), "first-keys-"));
  return { path, [Symbol.dispose]: () => fs.rmSync(path, { recursive: true }) };
}

const keyLines = (application: string, key: string) => firstKeyLines([{ application, key }], "http://127.0.0.1:8787");
const linkLines = firstLinkLines({ path: `/sign-in/link/${TOKEN}`, expiresAt: 0 }, "http://127.0.0.1:8787");

test("R2: the file with the first keys and its name are synced before its path is answered", () => {
  using directory = folder();
  const synced: [path: string, text: string | null][] = [];
  const sync = fs.fsyncSync;
  const spy = spyOn(fs, "fsyncSync").mockImplementation((descriptor) => {
    const path = fs.readlinkSync(`/proc/self/fd/${descriptor}`);
    synced.push([path, path === directory.path ? null : fs.readFileSync(path, "utf8")]);
    sync(descriptor);
  });
  try {
    const firstKeys = createFirstKeyFile(directory.path, NEVER);
    const file = announce(["one", "two"], firstKeys, true, IO);
    expect(file).toBe(join(directory.path, "first-key"));
    expect(fs.statSync(file!).mode & 0o777).toBe(0o600);
    announce(["three"], firstKeys, true, IO);
    expect(synced).toEqual([
      [`${file}.new`, "one\ntwo\n"],
      [directory.path, null],
      [`${file}.new`, "one\ntwo\nthree\n"],
      [directory.path, null],
    ]);
  } finally {
    spy.mockRestore();
  }
});

test("R2: a link that lies where the first key is written is not followed, and nothing is read through it", () => {
  using directory = folder();
  const victim = join(directory.path, "victim");
  fs.writeFileSync(victim, "mine\n");
  const file = join(directory.path, "first-key");
  for (const name of [file, `${file}.new`]) fs.symlinkSync(victim, name);
  createFirstKeyFile(directory.path, NEVER).add(["one"]);
  expect(fs.readFileSync(victim, "utf8")).toBe("mine\n");
  expect(fs.lstatSync(file).isFile()).toBe(true);
  expect(fs.readFileSync(file, "utf8")).toBe("one\n");
});

test("R2: each key goes with its first report, the link with the first sign-in, and the file with the last of them", () => {
  using directory = folder();
  const spent = new Set<string>();
  const asked = { key: (key: string) => spent.has(key), link: (token: string) => spent.has(token) };
  const file = join(directory.path, "first-key");
  const text = (): string => fs.readFileSync(file, "utf8");
  const first = createFirstKeyFile(directory.path, asked);
  first.add([...keyLines("default", KEY), "Schedules are read in UTC.", "", ...linkLines]);
  // Another application, after a reload.
  first.add(keyLines("shop", OTHER));
  first.sweep();
  for (const secret of [KEY, TOKEN, OTHER]) expect(text()).toContain(secret);

  spent.add(KEY);
  first.sweep();
  expect(text()).toBe(`${[...linkLines, ...keyLines("shop", OTHER)].join("\n")}\n`);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);

  // After a start it is known from the file alone.
  const second = createFirstKeyFile(directory.path, asked);
  spent.add(TOKEN);
  second.sweep();
  expect(text()).toBe(`${keyLines("shop", OTHER).join("\n")}\n`);
  spent.add(OTHER);
  second.sweep();
  expect(fs.readdirSync(directory.path)).toEqual([]);
  second.sweep();
});
