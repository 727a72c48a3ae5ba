import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** A question with the text of the real answer, whose numbers may be beyond a double. */
export interface AnsweredQuestion {
  readonly id: string
  readonly kind: string
  readonly question: unknown
  /** JSON. */
  readonly answer: string
}

/** One line of a vector file. */
export function vectorLine({ id, kind, question, answer }: AnsweredQuestion): string {
  return `{"id":${JSON.stringify(id)},"kind":${JSON.stringify(kind)},"input":${JSON.stringify(question)},"expected":${answer}}`
}

/** Writes `FOLDER/random-KIND.jsonl.gz`; the same lines make the same bytes. */
export function writeVectors(folder: string, kind: string, lines: readonly string[]): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `random-${kind}.jsonl.gz`), gzipSync(`${lines.join('\n')}\n`, { level: 9 }))
}
