// An OpenAPI document around sections: what all documents of ours have alike. It must not know a section.

import { version } from "../../../package.json" with { type: "json" };
import { COMMON_HEADERS, type Components, type Json, type Section } from "./parts.ts";
import { refusalComponents } from "./refusals.ts";

/** What a document says of itself. */
interface Info {
  readonly title: string;
  readonly summary: string;
  readonly description: string;
}

export function documentOf({ title, ...words }: Info, sections: readonly Section[]): Json {
  return {
    openapi: "3.1.1",
    info: { title, version, ...words },
    servers: [{ url: "/", description: "The service this document came from." }],
    tags: sections.flatMap(({ tags }) => tags),
    paths: Object.assign({}, ...sections.map(({ paths }) => paths)),
    components: joined([
      { headers: COMMON_HEADERS },
      refusalComponents(),
      ...sections.map(({ components }) => components),
    ]),
  };
}

function joined(parts: readonly Components[]): Components {
  const kinds = new Set(parts.flatMap((part) => Object.keys(part) as (keyof Components)[]));
  return Object.fromEntries([...kinds].map((kind) => [kind, Object.assign({}, ...parts.map((part) => part[kind]))]));
}
