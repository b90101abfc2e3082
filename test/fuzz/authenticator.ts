// A device that makes passkeys and signs with them, as browsers pass on its answers. Random requests send these
// answers, as they are and damaged.

import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** What a device answers, as JSON; `response` holds the parts that are encoded. */
export interface DeviceAnswer {
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly clientExtensionResults: object;
  readonly response: Readonly<Record<string, unknown>>;
}

export interface Authenticator {
  /** A passkey for this question. */
  made(challenge: string): DeviceAnswer;
  /** A signature by the passkey, of the person whom the handle names. */
  signed(challenge: string, personId: number): DeviceAnswer;
}

const PRESENT_AND_VERIFIED = 0x05;
const WITH_CREDENTIAL = 0x40;

const base64 = (data: Buffer | string): string => Buffer.from(data).toString("base64url");

/** A device with one key, for the site at `origin`. */
export function createAuthenticator(origin: string): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x, y } = publicKey.export({ format: "jwk" });
  const id = randomBytes(16);
  const site = createHash("sha256").update(new URL(origin).hostname).digest();

  const clientData = (type: string, challenge: string): string =>
    JSON.stringify({ type, challenge, origin, crossOrigin: false });

  const answer = (response: DeviceAnswer["response"]): DeviceAnswer => ({
    id: base64(id),
    rawId: base64(id),
    type: "public-key",
    clientExtensionResults: {},
    response,
  });

  return {
    made: (challenge) => {
      // CBOR: an EC2 key for ES256 on P-256.
      const key = Buffer.concat([
        Buffer.from("a5010203262001215820", "hex"),
        Buffer.from(x!, "base64url"),
        Buffer.from("225820", "hex"),
        Buffer.from(y!, "base64url"),
      ]);
      const flags = Buffer.from([PRESENT_AND_VERIFIED | WITH_CREDENTIAL, 0, 0, 0, 0]);
      const data = Buffer.concat([site, flags, Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
      // CBOR: {fmt: "none", attStmt: {}, authData: data}.
      const attestation = Buffer.concat([
        Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex"),
        Buffer.from([data.length]),
        data,
      ]);
      return answer({
        clientDataJSON: base64(clientData("webauthn.create", challenge)),
        attestationObject: base64(attestation),
        transports: ["internal"],
      });
    },
    signed: (challenge, personId) => {
      const client = clientData("webauthn.get", challenge);
      const data = Buffer.concat([site, Buffer.from([PRESENT_AND_VERIFIED, 0, 0, 0, 0])]);
      const signature = sign("sha256", Buffer.concat([data, createHash("sha256").update(client).digest()]), privateKey);
      return answer({
        clientDataJSON: base64(client),
        authenticatorData: base64(data),
        signature: base64(signature),
        userHandle: base64(`rollcall person ${personId}`),
      });
    },
  };
}
