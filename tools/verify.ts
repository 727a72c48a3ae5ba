/** `npm test`: runs every check that needs no container engine and prints one line per check. */
import { rmSync } from 'node:fs'
import { formatDuration } from './verify/check-line.ts'
import { checks } from './verify/checks.ts'
import { runCheck } from './verify/run-check.ts'

const reportPath = '.berth/vitest.json'
rmSync(reportPath, { force: true })

const all = checks(reportPath, { isTerminal: process.stdout.isTTY })
const names = process.argv.slice(2)
const unknown = names.filter((name) => all.every((check) => check.name !== name))
if (unknown.length > 0) {
  console.error(`no check named ${unknown.join(', ')}: choose from ${all.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}

let passed = 0
let failed = 0
const startMs = performance.now()
for (const check of all.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const counts = await runCheck(check)
  passed += counts.passed
  failed += counts.failed
}

console.log(`Finished in ${formatDuration(performance.now() - startMs)}`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
