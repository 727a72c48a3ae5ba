import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** A question with kube-scheduler's answer as text, because a double may not hold its numbers. */
export interface AnsweredQuestion {
  readonly id: string
  readonly kind: string
  readonly question: unknown
  /** JSON. */
  readonly answer: string
}

/** Formats one line of a vector file. */
export function formatVector({ id, kind, question, answer }: AnsweredQuestion): string {
  return `{"id":${JSON.stringify(id)},"kind":${JSON.stringify(kind)},"input":${JSON.stringify(question)},"expected":${answer}}`
}

/** Writes `FOLDER/random-KIND.jsonl.gz`. Equal lines produce equal bytes. */
export function writeVectors(folder: string, kind: string, lines: readonly string[]): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `random-${kind}.jsonl.gz`), gzipSync(`${lines.join('\n')}\n`, { level: 9 }))
}
