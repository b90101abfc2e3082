// Asks an OpenID provider which account a visitor has at the provider, by the authorization code flow and PKCE. To
// which person of rollcall the account belongs is decided elsewhere.

import type { Configuration, ServerMetadata } from "openid-client";
import { errorMessage } from "../../domain/errors.ts";
import { onceMap } from "../../domain/maps.ts";
import type { Vouched } from "../../domain/people/person.ts";
import { type ProxyEnvironment, proxyVariableFor, requestFailureInWords } from "../../domain/proxy.ts";
import type { OidcSettings } from "../../domain/settings/oidc-settings.ts";
import { MINUTE, SECOND } from "../../domain/time.ts";
import { codeOf } from "../../domain/unless-missing.ts";
import type { Clock } from "../../engine/api.ts";

export type Oidc = ReturnType<typeof createOidc>;

export const CALLBACK_PATH = "/sign-in/oidc/callback";

export const PROVIDER_STATE_SPAN = 10 * MINUTE;
const JOURNEYS_MAX = 1_000;
const PATIENCE = 10 * SECOND;

type Pending = Readonly<{ verifier: string; nonce: string; to: string }>;

/**
 * Makes the part that sends browsers to the provider and learns from it who came back. `proxies` are the proxies that
 * the environment names. The runtime uses these proxies by itself; here they only help to explain a failure.
 */
export function createOidc(settings: OidcSettings, clock: Pick<Clock, "monotonic">, proxies: ProxyEnvironment) {
  const pending = onceMap<Pending>(PROVIDER_STATE_SPAN, JOURNEYS_MAX);
  const redirectUri = settings.publicUrl + CALLBACK_PATH;
  let known: Promise<Configuration> | null = null;

  function provider(): Promise<Configuration> {
    known ??= discover(settings).catch((error: unknown) => {
      known = null;
      throw explainedProxyFailure(error, settings.issuer, proxies);
    });
    return known;
  }

  return {
    label: settings.label,
    /**
     * Returns the address of the provider's page to which the browser must go, and a random text (`state`). That text
     * must be in a cookie of the browser when the browser comes back. Rejects when the provider cannot be reached.
     */
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
     * Returns the account that the provider vouches for, and the path to go on to. `search` is the query of the address
     * to which the browser came back; anything may be in it. `state` is from the browser's cookie. Returns `null` when
     * this browser was not sent to the provider, or too long ago, or when the provider refused the person. Rejects for
     * faults of the provider.
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
          // The provider has issued no such code, or has issued it for another sign-in.
          if (error instanceof client.ResponseBodyError && error.error === "invalid_grant") return null;
          throw explainedProxyFailure(error, settings.issuer, proxies);
        });
      if (tokens === null) return null;
      const claims = tokens.claims()!;
      // The library has checked that the claims `iss` and `sub` are present, and that the issuer is the configured one.
      const account = { issuer: claims.iss, subject: claims.sub, claim: settings.nameClaim };
      const inToken = nameIn(claims, settings);
      if (inToken !== null) return { vouched: { ...account, name: inToken }, to: journey.to };
      const more = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return { vouched: { ...account, name: nameIn(more, settings) }, to: journey.to };
    },
  };
}

/**
 * Whether this query has a code and may come from the provider. A query has no code when the provider refused the
 * person. Without this check, the library would report a query that someone made up as a fault of the provider.
 */
function hasCode(query: URLSearchParams, state: string, provider: ServerMetadata): boolean {
  const isOnce = (name: string): boolean => query.getAll(name).length === 1;
  const namesProvider = query.has("iss") || provider.authorization_response_iss_parameter_supported === true;
  const isElsewhere = namesProvider && !(isOnce("iss") && query.get("iss") === provider.issuer);
  const isOther = ["error", "response", "id_token", "token"].some((name) => query.has(name));
  const hasState = isOnce("state") && query.get("state") === state;
  return isOnce("code") && query.get("code") !== "" && hasState && !isElsewhere && !isOther;
}

/**
 * The name in the claims; `null` when they have none. A mail address must be verified: some providers let people enter
 * any address and only mark it as unverified.
 */
function nameIn(claims: Readonly<Record<string, unknown>>, { nameClaim }: OidcSettings): string | null {
  const name = claims[nameClaim];
  if (typeof name !== "string" || name === "") return null;
  return nameClaim === "email" && claims["email_verified"] !== true ? null : name;
}

/** If a proxy has failed, returns an error that says so; otherwise returns `error` unchanged. */
function explainedProxyFailure(error: unknown, issuer: string, proxies: ProxyEnvironment): unknown {
  if (proxyVariableFor(issuer, proxies) === null) return error;
  const { cause } = Object(error);
  const code = codeOf(error) ?? codeOf(cause) ?? "";
  const why = requestFailureInWords({ code, message: errorMessage(error) }, issuer, proxies);
  return why === null ? error : new Error(`${issuer} cannot be reached: ${why}`, { cause: error });
}

async function discover(settings: OidcSettings): Promise<Configuration> {
  try {
    return await discoverAt(settings.issuer, settings);
  } catch (error) {
    const named = issuerNamedIn(error);
    if (named === null) throw error;
    // The provider may write the same address with or without a slash at its end.
    if (withoutSlash(named) === withoutSlash(settings.issuer)) return await discoverAt(named, settings);
    throw new Error(
      `web.oidc.issuer is ${JSON.stringify(settings.issuer)}, and the provider there calls itself ${JSON.stringify(named.slice(0, 100))}: set that`,
    );
  }
}

const withoutSlash = (address: string): string => address.replace(/\/$/, "");

/** The issuer that the provider names, if that is not the address at which it was asked; otherwise `null`. */
function issuerNamedIn(error: unknown): string | null {
  const { attribute, body } = Object(error instanceof Error ? error.cause : null);
  const issuer: unknown = Object(body).issuer;
  return attribute === "issuer" && typeof issuer === "string" ? issuer : null;
}

async function discoverAt(issuer: string, { clientId, clientSecret }: OidcSettings): Promise<Configuration> {
  const client = await import("openid-client");
  const address = new URL(issuer);
  // The configuration accepts plain HTTP only for a provider on this machine.
  const execute = address.protocol === "http:" ? [client.allowInsecureRequests] : [];
  const options = { timeout: PATIENCE / SECOND, execute };
  return client.discovery(address, clientId, undefined, client.ClientSecretBasic(clientSecret), options);
}
