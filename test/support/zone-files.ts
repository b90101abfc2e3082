// Zone files that are made up, so that a test knows their rules.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A zone whose clocks have always been this many hours ahead of UTC. */
export function zoneFile(hours: number): Buffer {
  const head = Buffer.alloc(44);
  head.write("TZif2");
  head.writeUInt32BE(1, 36);
  head.writeUInt32BE(4, 40);
  const type = Buffer.alloc(6);
  type.writeInt32BE(hours * 3_600);
  const block = Buffer.concat([head, type, Buffer.from("AAA\0")]);
  return Buffer.concat([block, block, Buffer.from(`\n<AAA>${-hours}\n`)]);
}

/** Writes a directory such as /usr/share/zoneinfo; a number is the hours that a zone is ahead of UTC. */
export function writeZones(
  directory: string,
  version: string | null,
  zones: Readonly<Record<string, number | Buffer>>,
): void {
  if (version !== null) writeFileSync(join(directory, "tzdata.zi"), `# version ${version}\n# This is no zone.\n`);
  for (const [name, zone] of Object.entries(zones)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof zone === "number" ? zoneFile(zone) : zone);
  }
}
