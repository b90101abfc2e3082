// Draws badges: small pictures that say in a word how a job or an application is. The same content is served as JSON
// for shields.io.

import { pageLine } from "../shown.ts";
import type { PublicHealth } from "./status.ts";
import { PublicDocument } from "./status-page.tsx";

export type Badge = Readonly<{ label: string; message: string; health: PublicHealth }>;

/** The colours are dark enough for white words on them. */
const COLOURS: Readonly<Record<PublicHealth, string>> = {
  failing: "#c03028",
  late: "#9a6200",
  warning: "#9a6200",
  unknown: "#7a4fb0",
  waiting: "#2f6db3",
  well: "#22783f",
  paused: "#5f6570",
};

const LABEL_LENGTH = 40;
const HEIGHT = 20;
const PADDING = 6;

export function badgeSvg(badge: Badge): string {
  const label = badgeLabel(badge);
  const left = widthOf(label) + 2 * PADDING;
  const right = widthOf(badge.message) + 2 * PADDING;
  const all = left + right;
  return String(
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={all}
      height={HEIGHT}
      role="img"
      aria-label={`${label}: ${badge.message}`}
    >
      <title>{`${label}: ${badge.message}`}</title>
      <clipPath id="r">
        <rect width={all} height={HEIGHT} rx="3" />
      </clipPath>
      <g clip-path="url(#r)">
        <rect width={left} height={HEIGHT} fill="#454b57" />
        <rect x={left} width={right} height={HEIGHT} fill={COLOURS[badge.health]} />
      </g>
      <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" lengthAdjust="spacingAndGlyphs">
        <text x={PADDING} y="14" textLength={left - 2 * PADDING}>
          {label}
        </text>
        <text x={left + PADDING} y="14" textLength={right - 2 * PADDING}>
          {badge.message}
        </text>
      </g>
    </svg>,
  );
}

/** JSON in the format that https://shields.io/badges/endpoint-badge reads. */
export const badgeJson = (badge: Badge): string =>
  JSON.stringify({
    schemaVersion: 1,
    label: badgeLabel(badge),
    message: badge.message,
    color: COLOURS[badge.health].slice(1),
    isError: badge.health === "failing",
    cacheSeconds: 300,
  });

function badgeLabel({ label }: Badge): string {
  const characters = [...pageLine(label)];
  return characters.length <= LABEL_LENGTH ? characters.join("") : `${characters.slice(0, LABEL_LENGTH - 1).join("")}…`;
}

/**
 * Estimates the width of a text in pixels. An estimate is enough, because the picture stretches its words to this
 * width.
 */
const widthOf = (text: string): number =>
  Math.round([...text].reduce((width, character) => width + widthOfCharacter(character), 0));

function widthOfCharacter(character: string): number {
  if (/[ijl.,:;|!'I]/.test(character)) return 4;
  if (/[ frt()[\]{}/\\-]/.test(character)) return 4.7;
  if (/[mwMW@%]/.test(character)) return 10.5;
  if (/[A-Z0-9]/.test(character)) return 7.5;
  return character.codePointAt(0)! < 0x1100 ? 6.8 : 11.5;
}

// Lists the badges of a status page, each with the line that embeds it in another page.

interface ListedBadge {
  readonly name: string;
  /** The badge's address, without `.svg` or `.json`. */
  readonly address: string;
  /** The badge's path on this server. */
  readonly path: string;
}

type BadgesProps = Readonly<{ title: string; badges: readonly ListedBadge[]; statusPath: string }>;

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
