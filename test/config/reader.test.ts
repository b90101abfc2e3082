// A configuration is read again only where something has changed of what it was read from: what was checked is what
// comes into force (R31).

import { expect, test } from "bun:test";
import { createReader } from "../../src/config/reader.ts";
import { CWD, systemError } from "../support/config-world.ts";

const SLACK = { name: "destination chat", toml: '[destinations.chat]\ntype = "slack"\nurl_file = "url"\n' };
const PHONE = { name: "destination phone", toml: '[destinations.phone]\ntype = "ntfy"\n' };

/** A reader of files that may change, and the files. */
function openReader() {
  const files: Record<string, string | Error> = {
    [`${CWD}/rollcall.toml`]: '[team]\nname = "Home"\n',
    [`${CWD}/url`]: "https://chat.example\n",
  };
  const readFile = (path: string): string => {
    const found = files[path] ?? systemError("ENOENT");
    if (found instanceof Error) throw found;
    return found;
  };
  return { files, read: createReader({ flags: {}, environment: {}, cwd: CWD, readFile, readFound: readFile }) };
}

test("what was read holds while every file and all that is kept are the same", () => {
  const { read } = openReader();
  const loaded = read([SLACK]);
  expect(loaded).toMatchObject({ config: { team: { name: "Home" } } });
  expect(read([{ ...SLACK }])).toBe(loaded);
});

test.each<[what: string, path: string, now: string | Error]>([
  ["the file", "rollcall.toml", '[team]\nname = "Office"\n'],
  ["the file, which is gone", "rollcall.toml", systemError("ENOENT")],
  ["the file of a secret", "url", "https://other.example\n"],
  ["the right to read it", "url", systemError("EACCES")],
])("it is read again after a change of %s", (_what, path, now) => {
  const { read, files } = openReader();
  const loaded = read([SLACK]);
  files[`${CWD}/${path}`] = now;
  const again = read([SLACK]);
  expect(again).not.toEqual(loaded);
  expect(read([SLACK])).toBe(again);
});

test("a file that was not there when it was looked for is read once it is", () => {
  const { read, files } = openReader();
  delete files[`${CWD}/rollcall.toml`];
  const loaded = read([]);
  files["/etc/rollcall/rollcall.toml"] = '[team]\nname = "Office"\n';
  expect(read([])).toMatchObject({ config: { team: { name: "Office" } } });
  delete files["/etc/rollcall/rollcall.toml"];
  expect(read([])).toEqual(loaded);
});

test("what does not suit and what is left without it are both known", () => {
  const { read } = openReader();
  const faulty = read([SLACK, PHONE]);
  expect(faulty).toHaveProperty("faults");
  const sound = read([SLACK]);
  expect(read([SLACK, PHONE])).toBe(faulty);
  expect(read([SLACK])).toBe(sound);
});
