// Writes sizes of files in words.

const UNITS = ["bytes", "KB", "MB", "GB", "TB"];

/** A number of bytes in words: `812 bytes`, `1.4 MB` or `31 GB`. */
export function sizeInWords(bytes: number): string {
  const place = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const size = bytes / 1_000 ** place;
  return `${place === 0 || size >= 10 ? Math.round(size) : size.toFixed(1)} ${UNITS[place]}`;
}
