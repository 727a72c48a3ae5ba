/** `npm test`: every check that needs no container engine, in one order, with one result. */
import { rmSync } from 'node:fs'
import { checks } from './verify/checks.ts'
import { runCheck } from './verify/run-check.ts'
import { readVitestCounts } from './verify/vitest-counts.ts'

const reportPath = '.berth/vitest.json'
rmSync(reportPath, { force: true })

const only = process.argv.slice(2)
const selected = only.length === 0 ? checks(reportPath) : checks(reportPath).filter(({ name }) => only.includes(name))
if (selected.length === 0) {
  console.error(
    `no such check: ${only.join(', ')}; there are ${checks(reportPath)
      .map(({ name }) => name)
      .join(', ')}`,
  )
  process.exit(2)
}

let passed = 0
let failed = 0
const startMs = performance.now()
for (const check of selected) {
  const isOk = await runCheck(check)
  if (isOk) passed++
  else failed++
}
const tests = readVitestCounts(reportPath)
passed += tests.passed
failed += tests.failed

console.log(`${((performance.now() - startMs) / 1000).toFixed(1)} s`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
