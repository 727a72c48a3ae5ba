import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// A merge that keeps both sides repeats an entry that one side moved.
test('no entry of the changelog appears twice', () => {
  const lines = readFileSync(join(import.meta.dirname, '../CHANGELOG.md'), 'utf8').split('\n')
  const entries = lines.filter((line) => line.startsWith('- '))
  expect(entries.length).toBeGreaterThan(0)
  expect(entries.filter((entry, i) => entries.indexOf(entry) !== i)).toEqual([])
})
