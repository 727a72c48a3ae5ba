import { StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { boundPod, input, node, pod } from '../../test/builders.ts'
import { createFramework } from '../framework/framework.ts'
import { createClusterState } from '../state/create-cluster-state.ts'
import { decide } from './decide.ts'
import { preempt } from '../preemption/preempt.ts'
import { mergeReasons } from './merge-reasons.ts'
import { rejectFeasibleNodes } from './reject-feasible-nodes.ts'

/** Decides on `count` nodes with a filter that rejects node `i` with `reasonOf(i)`, or accepts it. */
function decideWith(reasonOf: (i: number) => string | undefined, { count = 5, isContributed = true } = {}) {
  const state = createClusterState()
  for (let i = 0; i < count; i++) state.setNode(node(`n${i}`))
  const framework = createFramework({
    plugins: [
      {
        weight: 1,
        plugin: {
          name: 'quiet',
          isContributed,
          filter(_pod, { rows, count: candidates }, output, { cluster }) {
            for (let i = 0; i < candidates; i++) {
              const reason = reasonOf(Number(cluster.nodeName(rows[i] ?? -1).slice(1)))
              if (reason !== undefined) output.reject(i, StatusCode.Unschedulable, reason)
            }
          },
        },
      },
    ],
  })
  return { framework, state, decision: decide(framework, state, pod('p'), input) }
}

describe('a message for people', () => {
  test('merges the reasons of a contributed plugin that differ per node; each node keeps its own', () => {
    const { decision } = decideWith((i) => `n${i} is quiet`)
    expect(decision.message).toBe(
      '0/5 nodes are available: 5 rejected by plugin quiet: n0 is quiet and 4 other reasons.',
    )
    expect(decision.rejected.get('n3')?.rejection.reasons).toEqual(['n3 is quiet'])
  })

  test('shows the most frequent reason', () => {
    const { decision } = decideWith((i) => (i < 4 ? `n${i} is quiet` : 'full'), { count: 6 })
    expect(decision.message).toBe('0/6 nodes are available: 6 rejected by plugin quiet: full and 4 other reasons.')
  })

  test('lists up to three reasons one by one', () => {
    const { decision } = decideWith((i) => ['a', 'b', 'c'][i % 3])
    expect(decision.message).toBe('0/5 nodes are available: 1 c, 2 a, 2 b.')
  })

  test('lists every reason of a built-in plugin', () => {
    const { decision } = decideWith((i) => `n${i} is quiet`, { isContributed: false })
    expect(decision.message).toBe(
      '0/5 nodes are available: 1 n0 is quiet, 1 n1 is quiet, 1 n2 is quiet, 1 n3 is quiet, 1 n4 is quiet.',
    )
  })

  test('merges them beside the reasons of an outside check', () => {
    const { decision, framework } = decideWith((i) => (i === 0 ? undefined : `n${i} is quiet`))
    const refused = { code: StatusCode.Unschedulable, rejection: { plugin: 'Extender', reasons: ['no license'] } }
    expect(rejectFeasibleNodes(decision, () => refused, framework).message).toBe(
      '0/5 nodes are available: 1 no license, 4 rejected by plugin quiet: n1 is quiet and 3 other reasons.',
    )
  })
})

test('a message about preemption merges them, too', () => {
  const { decision, framework, state } = decideWith((i) => `n${i} is quiet`)
  for (let i = 0; i < 5; i++) state.setPod(boundPod(`low${i}`, `n${i}`, {}))
  const preemptor = { ...pod('p'), spec: { ...pod('p').spec, priority: 100 } }
  expect(preempt(framework, state, preemptor, decision, input).message).toBe(
    '0/5 nodes are available: 5 rejected by plugin quiet: n0 is quiet and 4 other reasons.',
  )
})

test('merges nothing without contributed plugins', () => {
  const rejections = [[{ plugin: 'quiet', reasons: ['a', 'b', 'c', 'd'] }, 1] as const]
  expect(mergeReasons(rejections, new Set()).size).toBe(0)
})
