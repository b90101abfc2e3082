// Writes the answer of a command into a file, as in `rollcall key rotate 1 > new-key`. The runtime's stream does not
// say when a file takes no more: on a full disk a key, or half a list, would be gone and the command would end with 0.

import { fstatSync, writeSync } from "node:fs";
import { codeOf, orElse } from "../domain/unless-missing.ts";

/**
 * Returns a function that writes a text to stdout, or `null` when stdout is no file: the stream is right for terminals,
 * pipes and sockets. `failed` is called once, when the file takes no more. The command itself goes on to its end.
 */
export function fileOutput(isTerminal: boolean, failed: (code: string) => void): ((text: string) => void) | null {
  const facts = orElse(null, () => fstatSync(1));
  if (facts === null || isTerminal || !(facts.isFile() || facts.isCharacterDevice())) return null;
  let isBroken = false;
  return (text) => {
    let rest = Buffer.from(text);
    try {
      while (!isBroken && rest.length > 0) rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      isBroken = true;
      failed(codeOf(error) ?? String(error));
    }
  };
}
