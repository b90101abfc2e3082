// What an alert is measured beside: as many POSTs to the same receivers, one at a time to each, from a process that does
// nothing else. Prints the milliseconds it took.

const plan: { readonly urls: readonly string[]; readonly count: number; readonly body: string } = JSON.parse(
  process.argv[2]!,
);
let left = plan.count;

async function postInTurn(url: string): Promise<void> {
  while (left-- > 0) {
    const answer = await fetch(url, { method: "POST", body: plan.body, keepalive: false });
    await answer.arrayBuffer();
  }
}

const startedAt = performance.now();
await Promise.all(plan.urls.map(postInTurn));
console.log(Math.round(performance.now() - startedAt));
