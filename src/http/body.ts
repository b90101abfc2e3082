// Request bodies: counts them while they come in, so that none is held for longer than its limit allows (R9). It must
// not know what a body is for.

import { type Refusal, refuse } from "../domain/errors.ts";

const tooLarge = (bytes: number): Refusal =>
  refuse("PAYLOAD_TOO_LARGE", `body: it is larger than ${bytes} bytes, the most it may have`);

const BROKEN_OFF = refuse("INVALID_REQUEST", "body: it broke off before its end, send it whole");

/** A body nobody looks at: null when it is within the limit, else 413. One of a stated length is not even awaited. */
export function checkIgnoredBody(request: Request, limit: number): Refusal | null | Promise<Refusal | null> {
  const length = request.headers.get("content-length");
  if (length !== null) return Number(length) > limit ? tooLarge(limit) : null;
  return drain(request, limit, () => {});
}

/** A body's bytes; 413 beyond the limit. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array | Refusal> {
  if (Number(request.headers.get("content-length")) > limit) return tooLarge(limit);
  const chunks: Uint8Array[] = [];
  const refusal = await drain(request, limit, (chunk) => chunks.push(chunk));
  return refusal ?? Buffer.concat(chunks);
}

/** Hands on every chunk up to the limit; the rest of a larger body is left to the server, which drops it. */
async function drain(request: Request, limit: number, take: (chunk: Uint8Array) => void): Promise<Refusal | null> {
  if (request.body === null) return null;
  const reader = request.body.getReader();
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return null;
      bytes += value.length;
      if (bytes > limit) {
        await reader.cancel();
        return tooLarge(limit);
      }
      take(value);
    }
  } catch {
    // The sender went away: no fault of ours, and nobody is left to hear of it.
    return BROKEN_OFF;
  }
}
