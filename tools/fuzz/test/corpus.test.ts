import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCorpus } from '../target/corpus.ts'
import { listTargets } from '../target/list-targets.ts'
import { loadTarget, targetName } from '../target/load-target.ts'
import { runInput, type Outcome } from '../target/run-input.ts'

const root = join(import.meta.dirname, '../../..')
const files = listTargets()

test('each target has a name of its own', () => {
  expect(files.length).toBeGreaterThan(15)
  expect(new Set(files.map(targetName)).size).toBe(files.length)
})

test('docs/fuzzing.md lists each target with its contract', async () => {
  const page = readFileSync(join(root, 'docs/fuzzing.md'), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| `') && line.includes('` | `'))
  const expected = await Promise.all(
    files.map(async (file) => {
      const [group = '', name = ''] = relative(root, file).split('/')
      return `| \`${targetName(file)}\` | \`${group}/${name}\` | ${(await loadTarget(file)).contract} |`
    }),
  )
  expect(rows.toSorted()).toEqual(expected.toSorted())
})

describe('the corpus', () => {
  test.for(files.map((file) => ({ name: targetName(file), file })))(
    'of $name keeps its contract, with inputs that are accepted and inputs that are refused',
    async ({ file }) => {
      const target = await loadTarget(file)
      const outcomes = new Set<Outcome>()
      for (const { name, input } of readCorpus(target.corpusFolder))
        outcomes.add(
          await runInput(target, input).catch((error: unknown) => Promise.reject(new Error(name, { cause: error }))),
        )
      expect([...outcomes].toSorted()).toEqual(['refused', 'valid'])
    },
  )
})
