// Reads fails where the operator wants the job's output kept, or parts of the message hidden (R46). It also reads logs
// that are sent with a fail to an address of another service (R45).

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { IGNORED_BODY_BYTES } from "../../domain/limits.ts";
import {
  LOOKED_AT_BYTES,
  lastOutput,
  type OutputRules,
  saidInMessage,
  saidWith,
} from "../../domain/output/kept-output.ts";
import { createTail, isTextOutput, type Tail } from "../../domain/output/lines.ts";
import type { Ping } from "../../engine/api.ts";
import { beforeParameters, readPieces, readUpTo } from "../body.ts";
import { createPingReader, type ReadPing } from "./read-ping.ts";
import type { Version } from "./versions.ts";

export type ReadFail = (rules: OutputRules, ...asked: Parameters<ReadPing>) => Ping | Refusal;

export function createFailReader(version: Version): ReadFail {
  const readers = { keep: createPingReader(version, "output"), hide: createPingReader(version, "hiding") };
  return (rules, ...asked) => {
    const ping = (rules.keep ? readers.keep : readers.hide)(...asked);
    return isRefusal(ping) ? ping : withOutputRules(rules, ping);
  };
}

export const withOutputRules = (rules: OutputRules, ping: Ping): Ping => ({
  ...ping,
  ...saidInMessage(ping.message, rules),
});

/**
 * Whether the body is the job's output: only plain text is. A body of another type is not stored: a framework may have
 * put into it whatever it knows of the job.
 */
export const bringsOutput = ({ keep }: OutputRules, { headers }: Request): boolean =>
  keep && beforeParameters(headers.get("content-type") ?? "") === "text/plain" && !isPacked(headers);

/**
 * Whether the body is compressed. A compressed body is not unpacked, because a few bytes may become more than there is
 * memory.
 */
const isPacked = (headers: Headers): boolean => headers.get("content-encoding") !== null;

/** Returns the fail with the end of its body as output, or 413 when the body is too large even to be ignored (R9). */
export async function withBody(ping: Ping, rules: OutputRules, request: Request): Promise<Ping | Refusal> {
  const tail = createTail(LOOKED_AT_BYTES);
  return (await readPieces(request, IGNORED_BODY_BYTES, tail.add)) ?? withOutputEnd(ping, rules, tail);
}

/**
 * How many bytes of a log are read; the end of a longer log is lost. Only the last lines are kept in memory meanwhile.
 */
const LOG_BYTES = 64 * IGNORED_BODY_BYTES;

/**
 * Returns the fail with the end of its log, which may have any length and media type. The last line becomes the
 * message, or is added to an exit status: `exit status 1: disk full`. The end is kept as output where the operator
 * wants that. The fail stays as it is when the body is no text, is compressed or has several parts (R45, R46).
 */
export async function withLog(ping: Ping, rules: OutputRules | null, request: Request): Promise<Ping> {
  if (!mayBeLog(request.headers)) return ping;
  const tail = createTail(LOOKED_AT_BYTES);
  await readUpTo(request, { enough: IGNORED_BODY_BYTES, most: LOG_BYTES }, tail.add);
  if (!isTextOutput(tail.bytes())) return ping;
  const { message, output } = saidWith(null, lastOutput(tail, rules?.hide ?? asItIs));
  if (message === null) return ping;
  return {
    ...ping,
    message: ping.message === null ? message : `${ping.message}: ${message}`,
    ...(rules?.keep && output !== null && { output }),
  };
}

const asItIs = (line: string): string => line;

const mayBeLog = (headers: Headers): boolean =>
  !isPacked(headers) && !beforeParameters(headers.get("content-type") ?? "").startsWith("multipart/");

export function withOutputEnd(ping: Ping, { hide }: OutputRules, tail: Tail): Ping {
  const output = lastOutput(tail, hide);
  return output === "" ? ping : { ...ping, ...saidWith(ping.message, output) };
}
