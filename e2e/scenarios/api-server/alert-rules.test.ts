import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { alertGroups } from '@berth/tools/observability/alerts/alert-groups'
import { prometheusGroups } from '@berth/tools/observability/prometheus-groups'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { runCommand } from '../../cluster/run-command.ts'
import { alertCases } from '../../observability/alert-cases.ts'
import { debianProgram } from '../../cluster/debian-program.ts'
import { ruleTests } from '../../observability/rule-tests.ts'

const groups = prometheusGroups(alertGroups).map(({ group }) => group)
const rules = groups.flatMap((group) => group.rules)
const dir = mkdtempSync(join(tmpdir(), 'berth-rules-'))
const rulesFile = join(dir, 'rules.yaml')
let promtool: string

beforeAll(async () => {
  promtool = await debianProgram('prometheus', 'promtool')
  writeFileSync(rulesFile, stringify({ groups }).replaceAll('$job', 'j'))
})
afterAll(() => rmSync(dir, { recursive: true }))

/** Runs `promtool test rules` and returns what it prints if a test fails. */
async function failures(tests: readonly object[]): Promise<string> {
  const file = join(dir, 'tests.yaml')
  writeFileSync(file, stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests }, { lineWidth: 0 }))
  const { status, stdout, stderr } = await runCommand(promtool, ['test', 'rules', file], { timeoutMs: 600_000 })
  return status === 0 ? '' : `${stdout}${stderr}`
}

test('promtool accepts the rules', async () => {
  const { status, stdout } = await runCommand(promtool, ['check', 'rules', rulesFile])
  expect(stdout).toContain(`${rules.length} rules found`)
  expect(status).toBe(0)
})

test('every case belongs to an alert', () => {
  expect(Object.keys(alertCases).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted())
})

test('every alert fires on its fault and not without', async () => {
  expect(await failures(ruleTests(rules, alertCases))).toBe('')
})

test('an alert that fires when it must not, or does not fire when it must, is noticed', async () => {
  const rule = rules.find(({ alert }) => alert === 'BerthSchedulerViewStale')!
  const { fires, silent, labels } = alertCases[rule.alert]!
  const swapped = await failures(ruleTests([rule], { [rule.alert]: { fires: silent, silent: fires, labels } }))
  expect(swapped).toContain('BerthSchedulerViewStale fires')
  expect(swapped).toContain('BerthSchedulerViewStale does not fire')
})
