// The OpenAPI document for tests: one row for each operation, with every reference followed. It knows no rule of ours.

export type Schema = Readonly<Record<string, unknown>>;

export interface DescribedAnswer {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly schema: Schema }>>;
  /** The content by media type; absent for an answer without a body. */
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
  /** The method in capitals. */
  readonly method: string;
  /** The template of the path. */
  readonly path: string;
  readonly parameters: readonly DescribedParameter[];
  /** The alternatives, each by the name of its scheme. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  /** The answers by status. */
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}

const METHODS = ["get", "head", "post", "put", "patch", "delete", "options", "trace"] as const;

type PathItem = Readonly<Partial<Record<(typeof METHODS)[number], DescribedOperation>>> & {
  readonly parameters?: readonly DescribedParameter[];
};

/** The operations of a document. All references to one component give the same object. */
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

/** Replaces each reference by its target. No component of the document refers to itself. */
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
