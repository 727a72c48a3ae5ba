import { type Pod, StatusCode } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { framework, input, node, pod } from '../../test/builders.ts'
import { decide } from '../decide/decide.ts'
import { Cycle } from '../framework/cycle.ts'
import { runPreFilters } from '../framework/pre-filter.ts'
import { preempt } from './preempt.ts'
import { selectVictims } from './select-victims.ts'
import type { ClusterState } from '../state/cluster-state.ts'
import { createClusterState, tableOf } from '../state/create-cluster-state.ts'

const A = 'example.com/a'
const B = 'example.com/b'
/** Beyond what a double can hold. */
const HUGE = '9007199254740993'
const NODES = 5

const amount = fc.constantFrom('0', '1', '2', '3', HUGE)
const placedPod = fc.record({
  row: fc.nat(NODES - 1),
  priority: fc.integer({ min: -1, max: 2 }),
  a: amount,
  b: amount,
  port: fc.boolean(),
})
const step = fc.record({
  add: fc.array(placedPod, { maxLength: 6 }),
  remove: fc.array(fc.nat(40), { maxLength: 4 }),
  nominate: fc.option(placedPod, { nil: undefined, freq: 4 }),
  attempts: fc.array(
    fc.record({ priority: fc.integer({ min: -1, max: 2 }), a: amount, b: amount, port: fc.boolean() }),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
})

const withPort = (has: boolean, { a, b }: { a: string; b: string }, name: string, spec: object): Pod => {
  const made = pod(name, { cpu: '1', ...(a !== '0' && { [A]: a }), ...(b !== '0' && { [B]: b }) }, spec)
  const [first] = made.spec.containers
  if (!has || first === undefined) return made
  return { ...made, spec: { ...made.spec, containers: [{ ...first, ports: [{ containerPort: 80, hostPort: 80 }] }] } }
}

/** Searches every row that the decision leaves open in a dry run. */
function searchEveryRow(state: ClusterState, p: Pod): ReadonlyMap<string, unknown> {
  const decision = decide(framework, state, p, input)
  const table = tableOf(state)
  const cycle = new Cycle(framework, table, p, input)
  const rows = table.rows.liveRows()
  runPreFilters(cycle, { rows, count: rows.length })
  const found = new Map<string, unknown>()
  for (const [name, { code }] of decision.rejected) {
    const row = table.rowOf(name)
    if (row === undefined || code !== StatusCode.Unschedulable) continue
    const selection = selectVictims(cycle, row, { budgets: [], nowMs: input.nowMs })
    found.set(
      name,
      selection.kind === 'found'
        ? selection.victims.map(({ metadata }) => metadata.name)
        : { code: selection.status.code, reasons: selection.status.reasons },
    )
  }
  return found
}

test('preemption that rules nodes out by priority and amount equals a dry run on every node', () => {
  let useless = 0
  let useful = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), (steps) => {
      const state = createClusterState()
      for (let i = 0; i < NODES; i++) state.setNode(node(`n${i}`, { cpu: '6', [A]: i === 0 ? HUGE : '3', [B]: '2' }))
      const placed: Pod[] = []
      for (const { add, remove, nominate, attempts } of steps) {
        for (const { row, priority, port, ...units } of add) {
          placed.push(withPort(port, units, `p${placed.length}`, { nodeName: `n${row}`, priority }))
          state.setPod(placed.at(-1) ?? pod('none', {}))
        }
        for (const i of remove) {
          const leaving = placed[i]
          if (leaving !== undefined) state.deletePod(leaving)
        }
        if (nominate !== undefined) {
          const { row, priority, port, ...units } = nominate
          state.nominate(withPort(port, units, 'nominated', { priority }), `n${row}`)
        }
        for (const { priority, port, ...units } of attempts) {
          const p = withPort(port, units, 'p', { priority })
          const decision = decide(framework, state, p, input)
          if (decision.feasible.length > 0) continue
          const expected = searchEveryRow(state, p)
          const found = preempt(framework, state, p, decision, input)
          const actual = new Map<string, unknown>(found.failed)
          for (const { node: name, victims } of found.candidates) {
            actual.set(
              name,
              victims.map(({ metadata }) => metadata.name),
            )
          }
          expect(actual).toEqual(expected)
          expect(found.potentialNodes).toEqual([...expected.keys()].toSorted())
          useless += found.failed.size
          useful += found.candidates.length
          const groups = decision.rejectionGroups.reduce((sum, { count }) => sum + count, 0)
          expect(groups).toBe(decision.rejected.size)
          for (const [name, { code }] of decision.rejected) expect(decision.rejectionCode(name)).toBe(code)
        }
      }
    }),
    { numRuns: 300 },
  )
  expect(useless).toBeGreaterThan(500)
  expect(useful).toBeGreaterThan(50)
})
