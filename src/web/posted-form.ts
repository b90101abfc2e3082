// Reads the fields that a form of ours sent; the bytes of its body are counted while they come in.

import { Elysia } from "elysia";
import { isRefusal, type Refusal } from "../domain/errors.ts";
import { readBody } from "../http/body.ts";

/**
 * Keeps Elysia from reading the body of a form, because `formOf` reads it and counts its bytes. Plugins whose routes
 * take a form use this.
 */
export const FORMS = new Elysia({ name: "forms" }).onParse({ as: "scoped" }, () => null);

export const FORM_BYTES_MAX = 64 * 1024;

/** Returns the form's fields, or 413 when the body is larger than `FORM_BYTES_MAX`. */
export async function formOf(request: Request): Promise<URLSearchParams | Refusal> {
  const body = await readBody(request, FORM_BYTES_MAX);
  return isRefusal(body) ? body : new URLSearchParams(Buffer.from(body).toString("utf8"));
}

/**
 * Returns the path of a page of ours to go back to, encoded as a header needs it. When `path` leads to another site or
 * is `null`, returns `/`.
 */
export function pathBack(path: string | null): string {
  const isOurs = path !== null && /^\/(?![/\\])[^\s\p{Cc}]*$/u.test(path);
  return isOurs ? path.replace(/[^!-~]+/g, encodeURIComponent) : "/";
}
