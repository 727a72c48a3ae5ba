import { expect, test } from 'vitest'
import { applyDifferences, type RunnableTask } from './apply-differences.ts'
import type { VersionDifference } from './version-differences.ts'

const file = 'nodes/a.test.ts'
const base = { kubernetes: ['1.34'], featureGate: 'Gate', reason: 'off', file }
const entries: readonly VersionDifference[] = [
  { ...base, suite: 'needs the gate' },
  { ...base, checks: ['differs'] },
]
const check = (name: string): RunnableTask => ({ type: 'test', name, mode: 'run' })
const suite = (name: string, ...tasks: readonly RunnableTask[]): RunnableTask => ({
  type: 'suite',
  name,
  mode: 'run',
  tasks,
})

test('applyDifferences skips a listed suite with all that it contains, and expects the failure of listed checks only', () => {
  const tasks = [suite('all', suite('needs the gate', suite('inner', check('x'))), check('differs'), check('same'))]
  applyDifferences(tasks, file, entries)
  const skipped = { mode: 'skip' }
  expect(tasks).toMatchObject([
    {
      mode: 'run',
      tasks: [
        { ...skipped, tasks: [{ ...skipped, tasks: [skipped] }] },
        { mode: 'run', fails: true },
        { name: 'same', mode: 'run' },
      ],
    },
  ])
  expect(JSON.stringify(tasks).match(/fails/g)).toHaveLength(1)
})

test('applyDifferences changes nothing in another file', () => {
  const tasks = [suite('needs the gate', check('differs'))]
  applyDifferences(tasks, 'nodes/b.test.ts', entries)
  expect(tasks).toEqual([suite('needs the gate', check('differs'))])
})
