/** `npm test`: runs every check that needs no container engine and prints one line per check. */
import { commandLineOrExit } from '@berth/process/command'
import { rmSync } from 'node:fs'
import { formatDuration } from './verify/check-line.ts'
import { checks } from './verify/checks.ts'
import { runCheck } from './verify/run-check.ts'

const reportPath = '.berth/vitest.json'
rmSync(reportPath, { force: true })

const all = checks(reportPath, { isTerminal: process.stdout.isTTY })
const { words: names } = commandLineOrExit(
  {
    name: 'npm test --',
    summary: 'Runs every check that needs no container engine.',
    arguments: [
      {
        name: 'CHECK',
        description: 'Run only this check.',
        isRepeatable: true,
        choices: all.map(({ name }) => name),
      },
    ],
    flags: [],
    examples: [{ command: 'npm test -- lint', description: 'Only the linter' }],
  },
  process.argv.slice(2),
)

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
