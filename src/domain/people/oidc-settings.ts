// What sign-on by an OpenID provider needs to know: the configuration has it, the pages use it. A type alone.

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The claim that has the person's name here. */
  readonly nameClaim: string;
  readonly label: string;
  /** Where the provider leads back to, without a slash at its end. */
  readonly publicUrl: string;
}
