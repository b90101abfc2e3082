// The settings for signing in by an OpenID provider. The configuration fills them, and the pages use them.

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The claim in the provider's answer that has the person's name at rollcall. */
  readonly nameClaim: string;
  readonly label: string;
  /** The address of rollcall to which the provider sends the browser back, without a slash at its end. */
  readonly publicUrl: string;
}
