// Receivers of alerts for a measurement: they take every message at once, and count the alerts in it.

export interface Receivers {
  readonly urls: readonly string[];
  /** How many alerts the messages have reported. */
  told(): number;
  /** How many messages came, and when the first and the last did. */
  taken(): { readonly messages: number; readonly firstAt: number; readonly lastAt: number };
  /** Restarts the counts. */
  forget(): void;
}

export function startReceivers(count: number): Receivers {
  let told = 0;
  let times: number[] = [];
  const receive = async (request: Request): Promise<Response> => {
    const at = Date.now();
    const body = await request.text();
    // A message of the webhook reports one alert; the headline of a digest has the number.
    told += Number(/([\d,]+) jobs did not report/.exec(body)?.[1]?.replaceAll(",", "") ?? 1);
    times.push(at);
    return new Response("ok");
  };
  const servers = Array.from({ length: count }, () => Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: receive }));
  return {
    urls: servers.map(({ port }) => `http://127.0.0.1:${port}/`),
    told: () => told,
    taken: () => ({ messages: times.length, firstAt: times[0] ?? Number.NaN, lastAt: times.at(-1) ?? Number.NaN }),
    forget: () => {
      told = 0;
      times = [];
    },
  };
}
