// A push service on this machine, and the browser's side of it: it decrypts messages as RFC 8291 says, with none of the
// code that encrypts them.

import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";

export interface Pushed {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface PushService extends AsyncDisposable {
  readonly url: string;
  readonly pushed: readonly Pushed[];
}

/** Answers each request to a path with `answer`. */
export function startPushService(
  answer: (path: string) => Response = () => new Response(null, { status: 201 }),
): PushService {
  const pushed: Pushed[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname: path } = new URL(request.url);
      const body = Buffer.from(await request.arrayBuffer());
      pushed.push({ path, headers: Object.fromEntries(request.headers), body });
      return answer(path);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    pushed,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** The browser's part of its subscription, and a reader of the messages that come. */
export function subscriptionAt(endpoint: string) {
  const own = createECDH("prime256v1");
  const point = own.generateKeys();
  const secret = randomBytes(16);
  const derive = (key: Uint8Array, salt: Uint8Array, info: string | Uint8Array, length: number): Buffer =>
    Buffer.from(hkdfSync("sha256", key, salt, info, length));
  const keys = { p256dh: point.toString("base64url"), auth: secret.toString("base64url") };
  return {
    endpoint,
    keys,
    text: JSON.stringify({ endpoint, expirationTime: null, keys }),
    read: ({ body }: Pushed): { title: string; body: string; tag: string; url: string } => {
      const idLength = body.readUInt8(20);
      const [salt, theirs] = [body.subarray(0, 16), body.subarray(21, 21 + idLength)];
      const info = Buffer.concat([Buffer.from("WebPush: info\0"), point, theirs]);
      const key = derive(own.computeSecret(theirs), secret, info, 32);
      const cipher = createDecipheriv(
        "aes-128-gcm",
        derive(key, salt, "Content-Encoding: aes128gcm\0", 16),
        derive(key, salt, "Content-Encoding: nonce\0", 12),
      );
      const sealed = body.subarray(21 + idLength);
      cipher.setAuthTag(sealed.subarray(-16));
      const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
      return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString("utf8"));
    },
  };
}

/** The sender that the request names (RFC 8292); its signature is checked. */
export function senderOf({ headers }: Pushed) {
  const [, token = "", key = ""] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers["authorization"] ?? "") ?? [];
  const [head = "", claims = "", signature = ""] = token.split(".");
  const point = Buffer.from(key, "base64url");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  const isSigned = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  const { aud, sub } = JSON.parse(Buffer.from(claims, "base64url").toString("utf8"));
  return { isSigned, key, aud, sub };
}
