// Reads the bodies of requests. It counts the bytes while they come in, so that a body that is too large is refused
// early (R9). It parses JSON itself, because no library may change values before they are checked.

import { type Refusal, refuseField } from "../domain/errors.ts";
import { orElse } from "../domain/unless-missing.ts";

const tooLarge = (bytes: number): Refusal =>
  refuseField("body", `it is larger than ${bytes} bytes, the most it may have`, "PAYLOAD_TOO_LARGE");

/**
 * Checks the length of a body that is ignored. Returns `null` when it is within the limit, else 413. If a header states
 * the length, the body is not even asked for, because Bun would then keep it in memory.
 */
export function checkIgnoredBody(request: Request, limit: number): Refusal | null | Promise<Refusal | null> {
  const length = request.headers.get("content-length");
  if (length !== null) return Number(length) > limit ? tooLarge(limit) : null;
  return request.body === null ? null : drain(request, limit, () => {});
}

export async function readBody(request: Request, limit: number): Promise<Uint8Array | Refusal> {
  const chunks: Uint8Array[] = [];
  const refusal = await readPieces(request, limit, (chunk) => chunks.push(chunk));
  return refusal ?? Buffer.concat(chunks);
}

export async function readPieces(
  request: Request,
  limit: number,
  take: (piece: Uint8Array) => void,
): Promise<Refusal | null> {
  if (Number(request.headers.get("content-length")) > limit) return tooLarge(limit);
  return drain(request, limit, take);
}

/**
 * Gives a body of any length to `take`, piece by piece. It stops after `most` bytes and drops the rest. If the sender
 * goes away after more than `enough` bytes, that counts as the end; if earlier, the promise rejects.
 */
export async function readUpTo(
  request: Request,
  { enough, most }: { readonly enough: number; readonly most: number },
  take: (piece: Uint8Array) => void,
): Promise<void> {
  let bytes = 0;
  const count = (piece: Uint8Array): void => {
    bytes += piece.length;
    take(piece);
  };
  try {
    await drain(request, most, count);
  } catch (error) {
    if (bytes <= enough) throw error;
  }
}

/**
 * Gives the body to `take`, piece by piece; returns 413 once it exceeds the limit, `null` at its end. The promise
 * rejects when the sender goes away, because no response can then reach it.
 */
async function drain(request: Request, limit: number, take: (chunk: Uint8Array) => void): Promise<Refusal | null> {
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > limit) return tooLarge(limit);
    take(chunk);
  }
  return null;
}

/** Whether this media type is JSON (R9). Parameters such as a charset do not matter. */
export const isJson = (contentType: string | null): boolean =>
  contentType !== null && beforeParameters(contentType) === "application/json";

type JsonObject = Readonly<Record<string, unknown>>;

export function readJsonObject(bytes: Uint8Array): JsonObject | Refusal {
  // `undefined` stands for a text that is no JSON, because no JSON has this value.
  const body: unknown = orElse(undefined, () => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  if (body === undefined) return refuseField("body", "it is not JSON, a JSON object in UTF-8 is needed");
  return isJsonObject(body) ? body : refuseField("body", "it is not a JSON object, which it must be");
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const beforeParameters = (value: string): string => value.split(";", 1)[0]!.trim().toLowerCase();
