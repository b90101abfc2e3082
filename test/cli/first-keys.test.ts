// What a first start shows once: whole on disk, for its owner alone, before the log says where.

import { expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { announce } from "../../src/cli/serving/first-keys.ts";
import { NO_INPUT } from "../support/command-line.ts";

const IO = { out: () => {}, err: () => {}, width: null, color: false, secret: NO_INPUT };

test("R2: the file with the first keys and its name are synced before its path is answered", () => {
  const directory = fs.mkdtempSync(join(tmpdir(), "first-keys-"));
  const synced: [path: string, text: string | null][] = [];
  const sync = fs.fsyncSync;
  const spy = spyOn(fs, "fsyncSync").mockImplementation((descriptor) => {
    const path = fs.readlinkSync(`/proc/self/fd/${descriptor}`);
    synced.push([path, path === directory ? null : fs.readFileSync(path, "utf8")]);
    sync(descriptor);
  });
  try {
    const file = announce(["one", "two"], directory, true, IO);
    expect(file).toBe(join(directory, "first-key"));
    expect(fs.statSync(file!).mode & 0o777).toBe(0o600);
    announce(["three"], directory, true, IO);
    expect(synced).toEqual([
      [file!, "one\ntwo\n"],
      [directory, null],
      [file!, "one\ntwo\nthree\n"],
      [directory, null],
    ]);
  } finally {
    spy.mockRestore();
    fs.rmSync(directory, { recursive: true });
  }
});
