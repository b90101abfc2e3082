// The OpenAPI document as tests read it: one row for each operation, every reference followed. It knows no rule of
// ours.

export type Schema = Readonly<Record<string, unknown>>;

export interface DescribedAnswer {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly schema: Schema }>>;
  /** By media type; none for an answer without a body. */
  readonly content?: Readonly<Record<string, Content>>;
}

interface Content {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example: unknown;
}

export interface DescribedOperation {
  readonly operationId: string;
  /** In capitals. */
  readonly method: string;
  /** The template of its path. */
  readonly path: string;
  readonly parameters: readonly DescribedParameter[];
  /** Each an alternative, by the name of its scheme. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  /** By status. */
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}

const METHODS = ["get", "head", "post", "put", "patch", "delete", "options", "trace"] as const;

type PathItem = Readonly<Partial<Record<(typeof METHODS)[number], DescribedOperation>>> & {
  readonly parameters?: readonly DescribedParameter[];
};

/** The operations of a document. One object stands for all that refer to the same component. */
export function operationsOf(text: string): readonly DescribedOperation[] {
  const document = JSON.parse(text) as { readonly paths: Readonly<Record<string, PathItem>> };
  const { paths } = createResolver(document)(document) as typeof document;
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [{ ...operation, method: method.toUpperCase(), path, parameters }];
    }),
  );
}

/** Puts in the place of each reference what it refers to. Nothing in the document refers to itself. */
function createResolver(document: unknown): (value: unknown) => unknown {
  const known = new Map<string, unknown>();

  function follow(reference: string): unknown {
    if (!known.has(reference)) {
      const place = reference.slice("#/".length).split("/");
      const target = place.reduce((value, name) => (value as Schema)[name], document);
      if (target === undefined) throw new Error(`the document refers to ${reference}, which it does not have`);
      known.set(reference, resolve(target));
    }
    return known.get(reference);
  }

  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    if ("$ref" in value) return follow(String(value.$ref));
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolve(part)]));
  }

  return resolve;
}
