// An OpenID provider for tests: it signs people in as the test says, and accepts each code once.

import { createHash } from "node:crypto";

export interface OidcProvider extends AsyncDisposable {
  readonly issuer: string;
  /** What the provider says about every person; the test changes it. */
  claims: Record<string, unknown>;
  /** Claims that only the user info has. */
  userInfo: Record<string, unknown>;
  /** Signs in the person who was sent to `url`, and returns the address to which the provider leads back. */
  signIn(url: string): string;
}

export const CLIENT = { id: "rollcall", secret: "a secret of the client" };

const base64 = (data: Uint8Array | string): string => Buffer.from(data).toString("base64url");

/** The settings by which rollcall knows the provider. */
export const settingsFor = ({ issuer }: OidcProvider, nameClaim = "preferred_username") => ({
  issuer,
  clientId: CLIENT.id,
  clientSecret: CLIENT.secret,
  nameClaim,
  label: "Keycloak",
  publicUrl: "https://cron.example.org",
});

export async function startProvider(): Promise<OidcProvider> {
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const jwk = { ...(await crypto.subtle.exportKey("jwk", pair.publicKey)), kid: "1", alg: "RS256", use: "sig" };
  const codes = new Map<string, URLSearchParams>();

  async function tokenFor(asked: URLSearchParams): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const payload = {
      iss: provider.issuer,
      aud: CLIENT.id,
      sub: "42",
      iat: now,
      exp: now + 60,
      nonce: asked.get("nonce"),
      ...provider.claims,
    };
    const text = `${base64(JSON.stringify({ alg: "RS256", kid: "1" }))}.${base64(JSON.stringify(payload))}`;
    return `${text}.${base64(new Uint8Array(await crypto.subtle.sign(algorithm.name, pair.privateKey, Buffer.from(text))))}`;
  }

  async function exchange(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const asked = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const [id, secret] = atob(request.headers.get("authorization")?.slice("Basic ".length) ?? "")
      .split(":")
      .map((part) => decodeURIComponent(part.replaceAll("+", " ")));
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isGood = asked?.get("code_challenge") === challenge && asked.get("redirect_uri") === form.get("redirect_uri");
    if (!isGood || id !== CLIENT.id || secret !== CLIENT.secret)
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    return Response.json({ access_token: "access", token_type: "bearer", id_token: await tokenFor(asked) });
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: {
      "/.well-known/openid-configuration": () =>
        Response.json({
          issuer: provider.issuer,
          authorization_endpoint: `${provider.issuer}/authorize`,
          token_endpoint: `${provider.issuer}/token`,
          userinfo_endpoint: `${provider.issuer}/userinfo`,
          jwks_uri: `${provider.issuer}/jwks`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
        }),
      "/jwks": () => Response.json({ keys: [jwk] }),
      "/token": exchange,
      "/userinfo": () => Response.json({ sub: "42", ...provider.userInfo }),
    },
  });
  const provider: OidcProvider = {
    issuer: `http://127.0.0.1:${server.port}`,
    claims: {},
    userInfo: {},
    signIn: (url) => {
      const asked = new URL(url).searchParams;
      const code = crypto.randomUUID();
      codes.set(code, asked);
      const back = new URL(asked.get("redirect_uri")!);
      return `${back.pathname}?${new URLSearchParams({ code, state: asked.get("state")! })}`;
    },
    [Symbol.asyncDispose]: async () => void (await server.stop(true)),
  };
  return provider;
}
