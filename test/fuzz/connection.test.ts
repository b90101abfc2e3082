// The fuzz reads off a connection what was sent. If it did not, it would report faults of its own, or miss real ones.

import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { converse } from "./connection.ts";
import type { Conversation } from "./conversations.ts";

const HEAD = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n`;
const SIZED = `${HEAD}Content-Length: 2\r\n\r\n{}`;

const GET = { method: "GET", monitor: null };

test("answers in chunks are read whole, also cut anywhere and with another answer behind them", async () => {
  const text = CHUNKED + SIZED;
  for (const cut of [
    1,
    HEAD.length + 3,
    CHUNKED.length - 30,
    CHUNKED.length - 8,
    CHUNKED.length - 1,
    text.length - 1,
  ]) {
    const { answers, rest, end } = await hear([text.slice(0, cut), text.slice(cut)], [GET, GET]);
    expect({ bodies: answers[0]?.map(({ body }) => body), rest, end }).toEqual({
      bodies: ['{"a":1}', "{}"],
      rest: "",
      end: "answered",
    });
  }
});

test("an answer whose chunks break off is no answer", async () => {
  for (const broken of [CHUNKED.slice(0, -5), CHUNKED.replace("\r\n2\r\n", "\r\nx\r\n")]) {
    const { answers, end } = await hear([broken], [GET]);
    expect({ answers, end }).toEqual({ answers: [[]], end: "closed" });
  }
});

/** What comes of a conversation of one turn with a server that sends these pieces and then goes away. */
async function hear(pieces: readonly string[], requests: Conversation["turns"][number]["requests"]) {
  const server = createServer(async (socket) => {
    socket.on("error", () => {});
    for (const piece of pieces) {
      socket.write(Buffer.from(piece, "latin1"));
      await Bun.sleep(20);
    }
    socket.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as { port: number };
    return await converse(port, { kind: "sound", turns: [{ bytes: "GET / HTTP/1.1\r\n\r\n", requests }] });
  } finally {
    server.close();
  }
}
