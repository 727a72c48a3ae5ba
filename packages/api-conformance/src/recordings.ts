import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Transcript } from './runner/conformance-case.ts'

/** Folder with the recorded transcripts: one file per case group, and `devices.json` for the kubelet's. */
export const recordingsFolder: string = join(import.meta.dirname, '..', 'recordings')

/** Reads the recorded transcripts of a group, by case id. */
export function readRecording(file: string): ReadonlyMap<string, Transcript> {
  return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Transcript>))
}

/** Returns the case ids that docs/simulator-differences.md declares as deliberate differences: first cells of its table. */
export function declaredDifferences(markdown: string): ReadonlySet<string> {
  return new Set([...markdown.matchAll(/^\| `([a-z0-9-]+)` \| \S/gm)].map((match) => match[1] ?? ''))
}
