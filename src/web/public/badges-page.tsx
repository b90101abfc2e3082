// The badges of a status page, each with the lines that put it elsewhere.

import { PublicDocument } from "./status-page.tsx";

export interface ListedBadge {
  readonly name: string;
  /** Its address, without an ending. */
  readonly address: string;
  /** The same on this server. */
  readonly path: string;
}

interface BadgesProps {
  readonly title: string;
  readonly badges: readonly ListedBadge[];
  readonly statusPath: string;
}

export const BadgesPage = ({ title, badges, statusPath }: BadgesProps) => (
  <PublicDocument title={`Badges · ${title}`} tone="quiet">
    <header class="status-head">
      <p class="status-title">
        <a href={statusPath}>{title}</a>
      </p>
      <h1 class="headline is-quiet">Badges</h1>
      <p class="note">
        Each has an address of its own, which leads neither to this page nor to another badge. For a badge of another
        look, give its JSON to shields.io.
      </p>
    </header>
    <ul class="badges">
      {badges.map(({ name, address, path }) => (
        <li key={path}>
          <h2 class="badge-name">{name}</h2>
          <img src={`${path}.svg`} alt={`Badge: ${name}`} height="20" />
          <pre class="code">
            <code>{markdownOf(name, address)}</code>
          </pre>
          <p class="note">
            <a href={`${path}.svg`}>SVG</a> <a href={`${path}.json`}>JSON</a>
          </p>
        </li>
      ))}
    </ul>
  </PublicDocument>
);

const markdownOf = (name: string, address: string): string =>
  `![${name.replaceAll(/[\\[\]]/g, "\\$&")}](${address}.svg)`;
