// Makes and checks passkeys by the WebAuthn protocol. The library for it is loaded at its first use.

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { onceMap } from "../../domain/maps.ts";
import { CHALLENGE_SPAN, type PasskeySite } from "../../domain/people/sign-in.ts";
import type { Clock } from "../../engine/api.ts";
import type { KnownPasskey, ListedPasskey, MadePasskey } from "../../engine/people/passkeys.ts";
import type { Session } from "../../engine/people/sessions-and-links.ts";

/**
 * Asks browsers to make passkeys or to sign with them, and checks their answers. These answers are JSON in which
 * anything may be forged.
 */
export type WebAuthn = ReturnType<typeof createWebAuthn>;

const CHALLENGES_KEPT = 5_000;

const SIGN_IN = "sign in";
const toMake = ({ id }: Session): string => `make ${id}`;

export function createWebAuthn(
  site: PasskeySite,
  clock: Pick<Clock, "monotonic">,
  find: (credentialId: string) => KnownPasskey | null,
) {
  /**
   * The challenges that browsers have not answered yet, each with its purpose: signing in, or making a passkey in a
   * certain session. A response that comes for another purpose does not count.
   */
  const challenges = onceMap<string>(CHALLENGE_SPAN, CHALLENGES_KEPT);
  const isResponse = (challenge: string, purpose: string): boolean =>
    challenges.take(challenge, clock.monotonic()) === purpose;
  const expected = () => ({ expectedOrigin: site.origin, expectedRPID: site.id, requireUserVerification: true });

  return {
    site,
    askToMake: async (session: Session, own: readonly ListedPasskey[]) => {
      const { generateRegistrationOptions } = await library();
      const { person } = session;
      const options = await generateRegistrationOptions({
        rpName: "rollcall",
        rpID: site.id,
        userName: person.name,
        userDisplayName: person.name,
        userID: handleOf(person.id),
        timeout: CHALLENGE_SPAN,
        attestationType: "none",
        excludeCredentials: own.map(({ credentialId }) => ({ id: credentialId })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
      });
      challenges.give(options.challenge, toMake(session), clock.monotonic());
      return options;
    },
    /**
     * Returns the passkey that a browser made. Returns `null` when the response is wrong, too late, or answers a
     * challenge of another session.
     */
    made: async (session: Session, answer: string): Promise<Omit<MadePasskey, "name"> | null> => {
      const { read: response, challenge } = readResponse<RegistrationResponseJSON>(answer);
      if (response === null || !isResponse(challenge, toMake(session))) return null;
      const { verifyRegistrationResponse } = await library();
      const verified = await verifyRegistrationResponse({
        response,
        expectedChallenge: challenge,
        ...expected(),
      }).catch(() => null);
      if (!verified?.verified) return null;
      const { id, publicKey, counter } = verified.registrationInfo.credential;
      return { credentialId: id, publicKey: Buffer.from(publicKey), counter, host: site.id };
    },
    askToSign: async () => {
      const { generateAuthenticationOptions } = await library();
      const options = await generateAuthenticationOptions({
        rpID: site.id,
        timeout: CHALLENGE_SPAN,
        userVerification: "required",
      });
      challenges.give(options.challenge, SIGN_IN, clock.monotonic());
      return options;
    },
    /**
     * Returns the passkey that signed, and how often its device says that the passkey was used. Returns `null` when the
     * response is wrong or too late, or when the passkey is unknown.
     */
    signed: async (answer: string) => {
      const { read: response, challenge } = readResponse<AuthenticationResponseJSON>(answer);
      if (response === null || !isResponse(challenge, SIGN_IN)) return null;
      const passkey = find(response.id);
      if (passkey === null || !isOf(passkey, response.response.userHandle)) return null;
      const { verifyAuthenticationResponse } = await library();
      const { credentialId, publicKey, counter } = passkey;
      const credential = { id: credentialId, publicKey: Uint8Array.from(publicKey), counter };
      const verified = await verifyAuthenticationResponse({
        response,
        expectedChallenge: challenge,
        credential,
        ...expected(),
      }).catch(() => null);
      return verified?.verified ? { passkey, counter: verified.authenticationInfo.newCounter } : null;
    },
  };
}

async function library() {
  // The library imports this package, too, but in the executable that would be too late: so it is imported here first.
  await import("reflect-metadata");
  return import("@simplewebauthn/server");
}

/** The id by which a device knows a person. The id tells no one else who the person is. */
const handleOf = (personId: number) => Uint8Array.from(Buffer.from(`rollcall person ${personId}`));

const isOf = ({ personId }: KnownPasskey, handle: unknown): boolean =>
  handle === Buffer.from(handleOf(personId)).toString("base64url");

const ANSWER_LENGTH_MAX = 20_000;

/**
 * Reads the browser's answer: the response as the library takes it, and the challenge that the response claims to
 * answer. The library checks whether that is true.
 */
function readResponse<ToRead extends { response: { clientDataJSON: string } }>(
  text: string,
): { readonly read: ToRead | null; readonly challenge: string } {
  try {
    const read = JSON.parse(text.slice(0, ANSWER_LENGTH_MAX)) as ToRead;
    const client = JSON.parse(Buffer.from(read.response.clientDataJSON, "base64url").toString("utf8"));
    if (typeof (read as { id?: unknown }).id === "string" && typeof client.challenge === "string")
      return { read, challenge: client.challenge };
  } catch {
    // The text is no response of our script.
  }
  return { read: null, challenge: "" };
}
