// Runs tables of faulty configuration files through the real loader; every printed line must be the expected one.

import { expect, test } from "bun:test";
import { CWD, faultsIn, withToml } from "./config-world.ts";

export interface FaultyFile {
  readonly title: string;
  readonly toml: string;
  /** Every printed line, in order. */
  readonly faults: readonly string[];
}

/** Files that the faulty configurations may name. */
const FILES = {
  [`${CWD}/cert.pem`]: "-----BEGIN CERTIFICATE-----",
  [`${CWD}/text`]: "text",
  [`${CWD}/empty`]: "\n",
  [`${CWD}/secret`]: "s3cret",
};

export function testFaultyFiles(cases: readonly FaultyFile[]): void {
  for (const { title, toml, faults } of cases) {
    test(`a faulty file is told: ${title}`, () => {
      expect(faultsIn(withToml(toml, { files: FILES }))).toEqual([...faults]);
    });
  }
}
