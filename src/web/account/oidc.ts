// Sign-on by an OpenID provider, by the authorization code flow with PKCE. Does not know who that is here.

import type { Configuration, ServerMetadata } from "openid-client";
import { errorMessage } from "../../domain/errors.ts";
import { onceMap } from "../../domain/maps.ts";
import type { OidcSettings } from "../../domain/people/oidc-settings.ts";
import type { Vouched } from "../../domain/people/person.ts";
import { failureOnTheWay, type ProxyEnvironment, proxyFor } from "../../domain/proxy.ts";
import { MINUTE, SECOND } from "../../domain/time.ts";
import { codeOf } from "../../domain/unless-missing.ts";
import type { Clock } from "../../engine/api.ts";

export type Oidc = ReturnType<typeof createOidc>;

export const CALLBACK_PATH = "/sign-in/oidc/callback";

export const JOURNEY_SPAN = 10 * MINUTE;
const JOURNEYS_MAX = 1_000;
const PATIENCE = 10 * SECOND;

type Pending = Readonly<{ verifier: string; nonce: string; to: string }>;

/** `proxies`: of the environment, which the runtime asks by itself. */
export function createOidc(settings: OidcSettings, clock: Pick<Clock, "monotonic">, proxies: ProxyEnvironment) {
  const pending = onceMap<Pending>(JOURNEY_SPAN, JOURNEYS_MAX);
  const redirectUri = settings.publicUrl + CALLBACK_PATH;
  let known: Promise<Configuration> | null = null;

  function provider(): Promise<Configuration> {
    known ??= discover(settings).catch((error: unknown) => {
      known = null;
      throw onTheWay(error, settings.issuer, proxies);
    });
    return known;
  }

  return {
    label: settings.label,
    /** The provider's page, and what a cookie of this browser has too. Rejects when the provider is out of reach. */
    begin: async (to: string) => {
      const client = await import("openid-client");
      const configuration = await provider();
      const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: settings.nameClaim === "email" ? "openid email" : "openid profile",
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      pending.give(state, { verifier, nonce, to }, clock.monotonic());
      return { url: url.href, state };
    },
    /**
     * Whom the provider vouches for, and the path to go on to. `search`: of the address that the browser came back to;
     * anything may be in it. `state`: of the browser's cookie. Null: this browser was not sent off, or too long ago, or
     * the provider did not let the person in. Rejects for what is wrong with the provider.
     */
    arrive: async (search: string, state: string | null): Promise<{ vouched: Vouched; to: string } | null> => {
      const journey = state === null ? null : pending.take(state, clock.monotonic());
      if (state === null || journey === null) return null;
      const client = await import("openid-client");
      const configuration = await provider();
      if (!hasCode(new URLSearchParams(search), state, configuration.serverMetadata())) return null;
      const checks = { pkceCodeVerifier: journey.verifier, expectedState: state, expectedNonce: journey.nonce };
      const tokens = await client
        .authorizationCodeGrant(configuration, new URL(redirectUri + search), { ...checks, idTokenExpected: true })
        .catch((error: unknown) => {
          // The provider has not given this code, or not for this journey.
          if (error instanceof client.ResponseBodyError && error.error === "invalid_grant") return null;
          throw onTheWay(error, settings.issuer, proxies);
        });
      if (tokens === null) return null;
      const claims = tokens.claims()!;
      // The library has made sure that both are there, and that the issuer is the one of the configuration.
      const account = { issuer: claims.iss, subject: claims.sub, claim: settings.nameClaim };
      const inToken = nameIn(claims, settings);
      if (inToken !== null) return { vouched: { ...account, name: inToken }, to: journey.to };
      const more = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return { vouched: { ...account, name: nameIn(more, settings) }, to: journey.to };
    },
  };
}

/**
 * Whether the provider could have led the browser back so, with a code. What a browser brings must not look like a
 * fault of the provider, which the library would make of it. Where the person was not let in, there is no code.
 */
function hasCode(query: URLSearchParams, state: string, provider: ServerMetadata): boolean {
  const isOnce = (name: string): boolean => query.getAll(name).length === 1;
  const namesProvider = query.has("iss") || provider.authorization_response_iss_parameter_supported === true;
  const isElsewhere = namesProvider && !(isOnce("iss") && query.get("iss") === provider.issuer);
  const isOther = ["error", "response", "id_token", "token"].some((name) => query.has(name));
  const hasState = isOnce("state") && query.get("state") === state;
  return isOnce("code") && query.get("code") !== "" && hasState && !isElsewhere && !isOther;
}

/** Some providers let people write any address they like, and say only then that it is not verified. */
function nameIn(claims: Readonly<Record<string, unknown>>, { nameClaim }: OidcSettings): string | null {
  const name = claims[nameClaim];
  if (typeof name !== "string" || name === "") return null;
  return nameClaim === "email" && claims["email_verified"] !== true ? null : name;
}

/** A proxy's failure as that; any other error as it is. */
function onTheWay(error: unknown, issuer: string, proxies: ProxyEnvironment): unknown {
  if (proxyFor(issuer, proxies) === null) return error;
  const { cause } = Object(error);
  const code = codeOf(error) ?? codeOf(cause) ?? "";
  const why = failureOnTheWay({ code, message: errorMessage(error) }, issuer, proxies);
  return why === null ? error : new Error(`${issuer} cannot be reached: ${why}`, { cause: error });
}

async function discover(settings: OidcSettings): Promise<Configuration> {
  try {
    return await discoverAt(settings.issuer, settings);
  } catch (error) {
    const named = issuerNamedIn(error);
    if (named === null) throw error;
    // The same address, which the provider writes with a slash at its end, or without.
    if (withoutSlash(named) === withoutSlash(settings.issuer)) return await discoverAt(named, settings);
    throw new Error(
      `web.oidc.issuer is ${JSON.stringify(settings.issuer)}, and the provider there calls itself ${JSON.stringify(named.slice(0, 100))}: set that`,
    );
  }
}

const withoutSlash = (address: string): string => address.replace(/\/$/, "");

/** What the provider calls itself, where that is not what it was asked as. */
function issuerNamedIn(error: unknown): string | null {
  const { attribute, body } = Object(error instanceof Error ? error.cause : null);
  const issuer: unknown = Object(body).issuer;
  return attribute === "issuer" && typeof issuer === "string" ? issuer : null;
}

async function discoverAt(issuer: string, { clientId, clientSecret }: OidcSettings): Promise<Configuration> {
  const client = await import("openid-client");
  const address = new URL(issuer);
  // Plain HTTP only to a provider on this machine, which the configuration has made sure of.
  const execute = address.protocol === "http:" ? [client.allowInsecureRequests] : [];
  const options = { timeout: PATIENCE / SECOND, execute };
  return client.discovery(address, clientId, undefined, client.ClientSecretBasic(clientSecret), options);
}
