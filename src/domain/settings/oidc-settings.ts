// The settings for signing in by an OpenID provider. The configuration fills them, and the pages use them.

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /**
   * The claim (a field of what the provider says of a person) that holds the person's name at rollcall, such as
   * `email`.
   */
  readonly nameClaim: string;
  readonly label: string;
  /** The address of rollcall to which the provider sends the browser back, without a slash at its end. */
  readonly publicUrl: string;
}
