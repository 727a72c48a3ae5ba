import { expect, test } from 'vitest'
import { createLoweringChecks } from './lowering-checks.ts'

const NODE = 'node-a'
const lowering = (from: bigint, to: bigint, ...names: readonly string[]) => ({
  nodeName: NODE,
  lowered: new Map(names.map((name) => [name, { from, to }])),
})
const none: ReadonlySet<string> = new Set()

test('a lowering is checked after 15 s and after 130 s', () => {
  const checks = createLoweringChecks()
  checks.lowering(lowering(4n, 1n, 'a'), 1_000)
  expect(checks.due(NODE, 15_999)).toEqual(new Map())
  expect(checks.nextMs(NODE, 15_999)).toBe(1)
  expect(checks.due(NODE, 16_000)).toEqual(new Map([['a', 4n]]))
  checks.checked(NODE, ['a'], none, 16_000)
  expect(checks.nextMs(NODE, 16_000)).toBe(115_000)
  checks.checked(NODE, ['a'], none, 131_000)
  expect(checks.nextMs(NODE, 131_000)).toBeUndefined()
})

test('a check that was not possible is made again', () => {
  const checks = createLoweringChecks()
  checks.lowering(lowering(4n, 1n, 'a'), 0)
  checks.checked(NODE, ['a'], none, 15_000)
  for (const nowMs of [130_000, 145_000]) {
    expect(checks.due(NODE, nowMs).get('a')).toBe(4n)
    checks.checked(NODE, ['a'], new Set(['a']), nowMs)
    expect(checks.nextMs(NODE, nowMs)).toBe(15_000)
  }
  checks.checked(NODE, ['a'], none, 160_000)
  expect(checks.nextMs(NODE, 160_000)).toBeUndefined()
})

test('a resource that becomes due during a check is not counted as checked', () => {
  const checks = createLoweringChecks()
  checks.lowering(lowering(4n, 1n, 'a'), 0)
  checks.lowering(lowering(4n, 1n, 'b'), 500)
  checks.checked(NODE, checks.due(NODE, 15_000).keys(), none, 15_600)
  expect(checks.due(NODE, 15_600)).toEqual(new Map([['b', 4n]]))
})

test('the units before an earlier lowering count until that is checked completely', () => {
  const checks = createLoweringChecks()
  checks.lowering(lowering(8n, 4n, 'a'), 0)
  checks.lowering(lowering(4n, 2n, 'a'), 60_000)
  expect(checks.due(NODE, 75_000).get('a')).toBe(8n)
})

test('a node that is deleted is forgotten', () => {
  const checks = createLoweringChecks()
  checks.lowering(lowering(4n, 1n, 'a'), 0)
  checks.forget(NODE)
  expect(checks.nextMs(NODE, 0)).toBeUndefined()
})
