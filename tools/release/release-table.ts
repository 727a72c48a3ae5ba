import type { Artefact } from './artefact.ts'

/** Returns the files of a release as a table. */
export function releaseTable(artefacts: readonly Artefact[]): string {
  const rows = artefacts.map(({ file, bytes, sha256, note }) => [file, sizeText(bytes), sha256, note] as const)
  const all = [['FILE', 'SIZE', 'SHA-256', 'NOTE'] as const, ...rows]
  const width = (column: 0 | 1): number => Math.max(...all.map((row) => row[column].length))
  return all
    .map(([file, size, sha256, note]) =>
      [file.padEnd(width(0)), size.padStart(width(1)), sha256.padEnd(64), note].join('  ').trimEnd(),
    )
    .join('\n')
}

/** Returns a size in decimal units: kB or MB. */
export function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
