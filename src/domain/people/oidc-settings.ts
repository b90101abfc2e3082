// The settings for sign-on by an OpenID provider. The configuration fills this type and the pages use it.

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The claim that holds the person's name at rollcall. */
  readonly nameClaim: string;
  readonly label: string;
  /** The address to which the provider leads back, without a slash at its end. */
  readonly publicUrl: string;
}
