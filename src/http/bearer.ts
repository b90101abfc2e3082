// Reads the secret in a header `Authorization: Bearer SECRET`; "" when there is none.

export const bearerIn = (headers: Headers): string =>
  /^bearer +(\S{1,500}) *$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
