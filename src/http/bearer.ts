// Reads and compares secrets that come in headers.

export const bearerIn = (headers: Headers): string =>
  /^bearer +(\S{1,500}) *$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
