import { createClusterState, createFramework } from '@berth/fit-engine'
import type { Candidates, Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { decideBothWays } from './decide-both-ways.ts'
import { fixedInput } from './scheduling-answer.ts'

const pod: Pod = { metadata: { name: 'p' }, spec: { containers: [] } }

function decided(plugin: { readonly name: string; filter(): void }): readonly string[] {
  const state = createClusterState()
  for (const name of ['a', 'b']) state.setNode({ metadata: { name } })
  return decideBothWays(createFramework({ plugins: [{ plugin, weight: 1 }] }), state, pod, fixedInput).feasible
}

test('throws when the fast path of a filter accepts other nodes than the filter', () => {
  const honest = { name: 'Honest', filter() {} }
  expect(decided(honest)).toEqual(['a', 'b'])
  const filterRows = (_pod: Pod, { rows }: Candidates, target: Int32Array): number => {
    target.set(rows.subarray(0, 1))
    return 1
  }
  const inconsistent = { ...honest, filterRows }
  expect(() => decided(inconsistent)).toThrow('the decision without reasons is {"feasible":["a"]')
})
