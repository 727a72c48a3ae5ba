import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkVector } from './check-vector.ts'
import { kinds } from './vector-kinds.ts'
import { readVectors } from './read-vectors.ts'

const fixtures = join(import.meta.dirname, 'fixtures')
/** `KIND.jsonl.gz`, and `random-KIND.jsonl.gz` written by `npm run differential -- --write`. */
const stored = readdirSync(fixtures).map((name) => ({ name, kind: name.replace(/^random-|\.jsonl\.gz$/g, '') }))

describe("kube-scheduler's answers", () => {
  test('are stored for every supported kind', () => {
    for (const kind of kinds.keys()) expect(stored.map(({ name }) => name)).toContain(`random-${kind}.jsonl.gz`)
    expect([...kinds.keys()]).toEqual(expect.arrayContaining(stored.map(({ kind }) => kind)))
  })

  test.for(stored)("equal Berth's answers: $name", ({ name }) => {
    const vectors = readVectors(join(fixtures, name))
    const differing = vectors.map((vector) => checkVector(vector, kinds)).filter(({ kind }) => kind === 'failed')
    expect(vectors.length).toBeGreaterThan(100)
    expect(differing).toEqual([])
  })
})
