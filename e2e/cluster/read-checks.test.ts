import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readChecks } from './read-checks.ts'

test('readChecks returns each check of a report with its file and suites, and nothing without a report', () => {
  const dir = mkdtempSync(join(tmpdir(), 'berth-report-'))
  try {
    const path = join(dir, 'report.json')
    expect(readChecks(path, '/x/scenarios')).toEqual([])
    const result = { ancestorTitles: ['', 'outer', 'inner'], title: 'holds', status: 'passed' }
    const testResults = [{ name: '/x/scenarios/nodes/a.test.ts', assertionResults: [result] }]
    writeFileSync(path, JSON.stringify({ testResults }))
    expect(readChecks(path, '/x/scenarios')).toEqual([
      { file: 'nodes/a.test.ts', suites: ['outer', 'inner'], title: 'holds', status: 'passed' },
    ])
  } finally {
    rmSync(dir, { recursive: true })
  }
})
