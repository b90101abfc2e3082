// What a form of ours sent: its fields, counted while they come in.

import type { Refusal } from "../domain/errors.ts";
import { isRefusal } from "../domain/errors.ts";
import { readBody } from "../http/api/body.ts";

const FORM_BYTES_MAX = 64 * 1024;

/** 413 beyond the limit. */
export async function formOf(request: Request): Promise<URLSearchParams | Refusal> {
  const body = await readBody(request, FORM_BYTES_MAX);
  return isRefusal(body) ? body : new URLSearchParams(Buffer.from(body).toString("utf8"));
}

/** A path of ours to go back to, as a header can have it, and never another site's. */
export function pathBack(path: string | null): string {
  const isOurs = path !== null && /^\/(?![/\\])[^\s\p{Cc}]*$/u.test(path);
  return isOurs ? path.replace(/[^!-~]+/g, encodeURIComponent) : "/";
}
