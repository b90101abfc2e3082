// Webhook receivers that note when each alert first arrived, and the configuration for them: each has an application,
// so that its monitors' alerts go to this receiver alone.

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

export interface Arrival {
  /** The time of the slot's close, as the message says it. */
  readonly close: number;
  /** When the first attempt to deliver the message arrived. */
  readonly at: number;
}

export interface Receivers {
  readonly urls: readonly string[];
  readonly configuration: string;
  /** The arrivals by delivery. */
  readonly arrivals: ReadonlyMap<string, Arrival>;
  /** The body that came last, and the number of all that came. */
  readonly last: { body: string; attempts: number };
}

export function startReceivers(count: number): Receivers {
  const arrivals = new Map<string, Arrival>();
  const last = { body: "", attempts: 0 };
  const receive = async (request: Request): Promise<Response> => {
    const at = Date.now();
    const id = request.headers.get("webhook-id");
    const body = await request.text();
    if (id === null) return new Response();
    last.attempts += 1;
    last.body = body;
    if (!arrivals.has(id)) arrivals.set(id, { at, close: Date.parse(/"openedAt":"([^"]+)"/.exec(body)![1]!) });
    return new Response();
  };
  const servers = Array.from({ length: count }, () => Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: receive }));
  const urls = servers.map(({ port }) => `http://127.0.0.1:${port}/`);
  return { urls, configuration: configurationFor(urls), arrivals, last };
}

const configurationFor = (urls: readonly string[]): string =>
  urls
    .map((url, index) =>
      [
        `[destinations.hook-${index}]\ntype = "webhook"\nurl = "${url}"\nsecret = "${SECRET}"`,
        `[applications.app-${index}]\ndestinations = ["hook-${index}"]\n`,
      ].join("\n"),
    )
    .join("\n");

/**
 * How many milliseconds `count` bare POSTs to these receivers take, from a process that does nothing else; see
 * posts.ts.
 */
export async function bareMilliseconds({ urls, last }: Receivers, count: number): Promise<number> {
  const plan = JSON.stringify({ urls, count, body: last.body });
  const posts = Bun.spawn([process.execPath, `${import.meta.dir}/posts.ts`, plan], { stdout: "pipe" });
  return Number(await new Response(posts.stdout).text());
}
