import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundPod, framework, input, node, pod } from '../../test/builders.ts'
import type { ClusterState } from '../state/cluster-state.ts'
import { createClusterState } from '../state/create-cluster-state.ts'
import { decide } from './decide.ts'
import type { Decision } from './decision.ts'

const units = fc.constantFrom('0', '1', '3', '8')
const nodeChange = fc
  .record({ on: fc.nat(5), cpu: units, isTainted: fc.boolean(), hasImage: fc.boolean() })
  .map(({ on, cpu, isTainted, hasImage }) => (state: ClusterState): void => {
    const taints = isTainted ? [{ key: 'old', effect: 'PreferNoSchedule' }] : []
    const images = hasImage ? [{ names: ['app:1'], sizeBytes: 500 * 1024 * 1024 }] : []
    const { status, ...rest } = node(`n${on}`, { cpu })
    state.setNode({ ...rest, spec: { taints }, status: { ...status, images } })
  })
const change: fc.Arbitrary<(state: ClusterState) => void> = fc.oneof(
  nodeChange,
  fc.nat(5).map((on) => (state: ClusterState) => state.deleteNode(`n${on}`)),
  fc.tuple(fc.nat(9), fc.nat(5), units).map(
    ([p, on, cpu]) =>
      (state: ClusterState) =>
        state.setPod(boundPod(`p${p}`, `n${on}`, { cpu })),
  ),
  fc.nat(9).map((p) => (state: ClusterState) => state.deletePod(pod(`p${p}`))),
)

const contents = ({ feasible, totals, best }: Decision): readonly unknown[] => [feasible, totals, best]
const options = { ...input, rejections: 'when-none-fits' } as const

test('totals are the same with and without shortcuts, while decisions are released or kept', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(
      fc.array(fc.record({ cpu: units, image: fc.constantFrom('app:1', 'other:1'), isReleased: fc.boolean() }), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.array(fc.array(change, { maxLength: 4 }), { minLength: 2, maxLength: 8 }),
      (shapes, rounds) => {
        const state = createClusterState()
        const kept: { readonly decision: Decision; readonly expected: readonly unknown[] }[] = []
        for (const changes of rounds) {
          for (const apply of changes) apply(state)
          for (const { cpu, image, isReleased } of shapes) {
            const container = { name: 'c', image, resources: { requests: { cpu } } }
            const candidate = pod('candidate', {}, { containers: [container] })
            const decision = decide(framework, state, candidate, options)
            // The scores of each plugin are computed for each node.
            const slow = decide(framework, state.fork(), candidate, { ...options, pluginScores: true })
            expect(contents(decision)).toEqual(contents(slow))
            if (isReleased) decision.release()
            else kept.push({ decision, expected: contents(slow) })
            for (const { plugin, normalized } of slow.feasibleCount > 1 ? slow.scores : []) {
              seen.add(`${plugin} ${new Set(normalized.values()).size > 1 ? 'differs' : 'is uniform'}`)
            }
          }
        }
        for (const { decision, expected } of kept) expect(contents(decision)).toEqual(expected)
      },
    ),
    { numRuns: 150 },
  )
  for (const plugin of ['TaintToleration', 'ImageLocality', 'NodeResourcesFit', 'NodeResourcesBalancedAllocation']) {
    expect(seen).toContain(`${plugin} differs`)
    expect(seen).toContain(`${plugin} is uniform`)
  }
})
