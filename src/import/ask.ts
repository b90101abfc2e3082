// Asks another service's API over HTTP. It follows no redirect, so the key goes only to the address that a person gave.

import { errorMessage } from "../domain/errors.ts";
import { type ProxyEnvironment, proxyStatusInWords, requestFailureInWords } from "../domain/proxy.ts";
import { codeOf, orElse } from "../domain/unless-missing.ts";
import { isJsonFields, type JsonFields } from "./values.ts";

export interface RemoteApi {
  /** The origin and path where the API's paths begin, without a slash at the end. */
  readonly url: string;
  readonly key: string;
  /** The certificate of the operator's own authority, as PEM; `null` when only the usual authorities count. */
  readonly authority: string | null;
  /**
   * The environment that names the proxies. With it an error message can say that a proxy failed and not the service.
   */
  readonly environment: ProxyEnvironment;
  /** Called with a sentence about how much has been read so far. */
  readonly progress: (text: string) => void;
}

/** How many milliseconds a response may take. */
const RESPONSE_WITHIN = 30_000;
const RESPONSE_BYTES_MAX = 64 * 1_024 * 1_024;

/** Asks for a JSON object; `null` when the server has no such path (404). Throws a sentence for people. */
export async function askJson(
  { url, authority, environment }: RemoteApi,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<JsonFields | null> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url + path, {
      redirect: "manual",
      signal: AbortSignal.timeout(RESPONSE_WITHIN),
      headers: { accept: "application/json", ...headers },
      ...(authority === null ? {} : { tls: { ca: authority } }),
    });
    text = await limitedText(response);
  } catch (error) {
    const known = { code: codeOf(error) ?? "", message: errorMessage(error) };
    throw new Error(`${url} gives no answer: ${requestFailureInWords(known, url, environment) ?? known.message}`);
  }
  const { status } = response;
  if (status === 404) return null;
  const byProxy = proxyStatusInWords(status, url, environment);
  if (byProxy !== null) throw new Error(`${url} answered ${status}, ${byProxy}`);
  if (status === 401 || status === 403)
    throw new Error(`${url} refuses the key (${status}); is it one for this service?`);
  if (status >= 300 && status < 400)
    throw new Error(`${url} sends us on to ${response.headers.get("location")}: name the address that answers`);
  if (!response.ok) throw new Error(`${url} answered ${status} to ${path.replace(/\?.*/, "")}`);
  const read: unknown = orElse(null, () => JSON.parse(text));
  if (!isJsonFields(read))
    throw new Error(`${url} answered ${path.replace(/\?.*/, "")} with something that is no JSON object`);
  return read;
}

async function limitedText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > RESPONSE_BYTES_MAX) throw new Error(`its answer is longer than ${RESPONSE_BYTES_MAX} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** The header for Basic authentication: the key is the user name, and there is no password. */
export const asBasic = (key: string): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
});
