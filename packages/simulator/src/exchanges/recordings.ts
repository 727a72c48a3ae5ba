import { readFileSync } from 'node:fs'
import type { Transcript } from './exchange.ts'

/** What the real server answered to a group's exchanges, by exchange. */
export function readRecording(file: string): ReadonlyMap<string, Transcript> {
  return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Transcript>))
}

/** The deliberate differences in the text of docs/simulator-differences.md: rows of a table that begin with an exchange's id. */
export function declaredDifferences(markdown: string): ReadonlySet<string> {
  return new Set([...markdown.matchAll(/^\| `([a-z0-9-]+)` \| \S/gm)].map((match) => match[1] ?? ''))
}
