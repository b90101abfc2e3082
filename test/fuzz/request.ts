// A request as it is drawn, and its bytes on the wire. Whoever draws it decides what it asks for.

export interface HttpRequest {
  readonly method: string;
  readonly target: string;
  /** Header lines without those that frame the body. */
  readonly head: readonly string[];
  readonly body: string;
  readonly isChunked: boolean;
  /** Which monitor an answer 200 has to name; null: any, or none. */
  readonly monitor: string | null;
}

/** The bytes of a request, one letter each; a body always has its length or its chunks with it. */
export function render({ method, target, head, body, isChunked }: HttpRequest): string {
  const lines = [`${method} ${target} HTTP/1.1`, ...head];
  if (body !== "" && isChunked) lines.push("Transfer-Encoding: chunked");
  else if (body !== "") lines.push(`Content-Length: ${body.length}`);
  return `${lines.join("\r\n")}\r\n\r\n${isChunked ? chunks(body) : body}`;
}

/** In at most three chunks. */
function chunks(body: string): string {
  if (body === "") return "";
  const size = Math.ceil(body.length / 3);
  const parts = [body.slice(0, size), body.slice(size, 2 * size), body.slice(2 * size)].filter((part) => part !== "");
  return [...parts, ""].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("");
}
