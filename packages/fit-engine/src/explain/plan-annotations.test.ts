import type { DecidePlugin, Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { StatusCode } from '@berth/types'
import { createFramework } from '../framework/framework.ts'
import { placeGroup } from '../pod-groups/place-group.ts'
import { createClusterState } from '../state/create-cluster-state.ts'
import { plan } from './plan.ts'

/** Two seats on each node, named by an annotation; a pod without one may sit on any seat. */
const seats: DecidePlugin = {
  name: 'seats',
  filter: (_pod, { rows, count }, output, { cluster }) => {
    for (let i = 0; i < count; i++) {
      const taken = cluster.podsOn(rows[i] ?? -1).map(({ metadata }) => metadata.annotations?.['seat'] ?? 'any')
      if (taken.includes('any') || taken.length === 2) output.reject(i, StatusCode.Unschedulable, 'no seat')
    }
  },
  bindingAnnotations: (_pod, row, { cluster }) => ({ seat: String(cluster.podsOn(row).length) }),
}
const framework = createFramework({ plugins: [{ plugin: seats, weight: 1 }] })
const input = { nowMs: 0, random: () => 0 }

function stateWith(...names: readonly string[]) {
  const state = createClusterState()
  for (const name of names) state.setNode({ metadata: { name } })
  return state
}

const pod = (name: string): Pod => ({ metadata: { namespace: 'default', name, uid: name }, spec: { containers: [] } })

test('plan counts copies with the annotations that their bindings would have', () => {
  const { count, message } = plan(framework, stateWith('node-a', 'node-b'), pod('web'), input)
  expect([count, message]).toEqual([4, '0/2 nodes are available: 2 no seat.'])
})

test('placeGroup places members with the annotations that their bindings would have', () => {
  const { nodes } = placeGroup(framework, stateWith('node-a'), ['a', 'b', 'c'].map(pod), input)
  expect(nodes).toEqual(['node-a', 'node-a', undefined])
})
