// Declares a fault of the configuration: where it is, and which rule it breaks. It never has the value of a secret.

/** Where a value was written: a file and line, or the name of an environment variable, flag or credential. */
export type FaultOrigin = Readonly<{ file: string; line: number | null }>;

/** The path of a value: names from the outermost table inwards. A number is an index in a list. */
export type Path = readonly (string | number)[];

export interface Fault {
  /** The file as it was named, or the variable, flag or credential; `null` when the fault has no single place. */
  readonly file: string | null;
  readonly line: number | null;
  readonly key: string;
  readonly what: string;
  readonly rule: string;
}

export const faultAt = (origin: FaultOrigin | null, path: Path, what: string, rule: string): Fault => ({
  file: origin?.file ?? null,
  line: origin?.line ?? null,
  key: formatPath(path),
  what,
  rule,
});

/** What is wrong with a file that an editor saved in another encoding, and the rule. */
export const NOT_UTF8 = { what: "has bytes that are not UTF-8", rule: "must be saved as UTF-8" };

/** Writes a fault as `file:line: key: what, rule`, or `ROLLCALL_SERVER__LISTEN: server.listen: what, rule`. */
export function formatFault({ file, line, key, what, rule }: Fault): string {
  const text = `${key}: ${what}, ${rule}`;
  return file === null ? text : `${faultPlace({ file, line })}: ${text}`;
}

/** Writes where a value was set, as `file:line`, or as a name alone for a variable, a flag or a credential. */
export const faultPlace = ({ file, line }: FaultOrigin): string => (line === null ? file : `${file}:${line}`);

/** Writes a path as TOML does, such as `team.members[0].email`. A name with unusual characters is put in quotes. */
export const formatPath = (path: Path): string =>
  path
    .map((part, place) => (typeof part === "number" ? `[${part}]` : (place === 0 ? "" : ".") + keyNameInFault(part)))
    .join("");

export const keyNameInFault = (name: string): string => (/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name));
