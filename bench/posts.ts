// The program with which sending is compared: it sends the same number of POSTs to the same receivers, one at a time to
// each, and does nothing else. It prints how many milliseconds they took.

import { argv } from "node:process";

interface Plan {
  readonly urls: readonly string[];
  readonly count: number;
  readonly body: string;
}

const { urls, count, body }: Plan = JSON.parse(argv[2]!);
let left = count;

async function postInTurn(url: string): Promise<void> {
  while (left-- > 0) {
    const answer = await fetch(url, { method: "POST", body });
    await answer.arrayBuffer();
  }
}

const startedAt = performance.now();
await Promise.all(urls.map(postInTurn));
console.log(Math.round(performance.now() - startedAt));
