// Holds one live connection for all windows of a browser. The hub runs in a worker that the windows share; without
// workers, each page has its own.

/**
 * A message to a window: newer parts of its page, or that rollcall has sent something (`heard`), or that the person is
 * no longer signed in.
 */
export type Told = { readonly kind: "parts"; readonly html: string } | { readonly kind: "heard" | "signed out" };

/** The addresses of the pages that a window watches; empty when the window is gone. */
export type Watched = Readonly<{ of: readonly string[] }>;

/**
 * A change of what the windows watch makes a new connection after `TOGETHER` milliseconds, so that windows that open
 * together cause only one. A window that has said nothing for `GONE` milliseconds counts as closed.
 */
const TOGETHER = 200;
const GONE = 180_000;
/**
 * How many milliseconds pass before the next attempt to connect. The time begins at `AGAIN` and doubles up to
 * `AGAIN_MAX`; each time it is varied by up to 30 %.
 */
const AGAIN = 500;
const AGAIN_MAX = 15_000;

export function createBrowserHub() {
  const windows = new Map<(told: Told) => void, { readonly of: readonly string[]; readonly at: number }>();
  let addresses: readonly string[] = [];
  let connection = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tries = 0;

  const tellAll = (told: Told): void => {
    for (const tell of windows.keys()) tell(told);
  };

  function lookAround(): void {
    const old = Date.now() - GONE;
    for (const [tell, { at }] of windows) if (at < old) windows.delete(tell);
    const wanted = [...new Set([...windows.values()].flatMap(({ of }) => of))].sort();
    if (wanted.join(" ") === addresses.join(" ")) return;
    addresses = wanted;
    tries = 0;
    void connect();
  }

  async function connect(): Promise<void> {
    connection.abort();
    if (addresses.length === 0) return;
    const own = new AbortController();
    connection = own;
    try {
      const search = new URLSearchParams(addresses.map((address) => ["of", address]));
      const headers = { accept: "text/event-stream" };
      const answer = await fetch(`/live/windows?${search}`, { headers, signal: own.signal });
      if (answer.status === 401) {
        addresses = [];
        return tellAll({ kind: "signed out" });
      }
      if (answer.ok) await follow(answer, addresses);
    } catch {
      // The code below tries to connect again. Meanwhile each window tells the person for how long nothing has come.
    }
    if (own.signal.aborted) return;
    const wait = Math.min(AGAIN_MAX, AGAIN * 2 ** tries++) * (0.7 + Math.random() * 0.6);
    setTimeout(() => {
      if (connection === own) void connect();
    }, wait);
  }

  async function follow(answer: Response, watched: readonly string[]): Promise<void> {
    for await (const { name, text } of eventsOf(answer)) {
      tries = 0;
      tellAll({ kind: "heard" });
      const address = watched[Number(name)];
      if (name === "here" || address === undefined) continue;
      for (const [tell, { of }] of windows) if (of.includes(address)) tell({ kind: "parts", html: text });
    }
  }

  return (tell: (told: Told) => void, { of }: Watched): void => {
    if (of.length === 0) windows.delete(tell);
    else windows.set(tell, { of, at: Date.now() });
    clearTimeout(timer);
    timer = setTimeout(lookAround, TOGETHER);
  };
}

async function* eventsOf({ body }: Response): AsyncGenerator<{ readonly name: string; readonly text: string }> {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop()!;
    for (const event of events) {
      const lines = event.split("\n");
      const of = (field: string): string[] =>
        lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).trimStart());
      yield { name: of("event")[0] ?? "", text: of("data").join("\n") };
    }
  }
}
