import type { ClusterSnapshot } from '@berth/cluster-view'
import { decide, type Framework } from '@berth/fit-engine'
import type { Clock, Pod, Random } from '@berth/types'
import type { ResourceCapacity } from './capacity-rows.ts'

/** The profile and cluster of a decision, with its time and randomness. */
interface Decider {
  readonly framework: Framework
  readonly state: ClusterSnapshot['state']
  readonly clock: Clock
  readonly random: Random
}

/**
 * Corrects the free units of a resource by what a profile decides: a plugin may reject a node that has units left. Each
 * decision is about a pod that requests only this resource and tolerates every taint.
 *
 * @returns The same amounts, with the largest request that the profile places, and with reasons at nodes with free units
 * where it does not even place one unit.
 */
export function decidedRoom(resource: ResourceCapacity, decider: Decider): ResourceCapacity {
  const { resourceName, nodes } = resource
  // A pod cannot request pods: each takes one.
  if (resourceName === 'pods') return resource
  const roomy = nodes.filter(({ free }) => free > 0n)
  const decideOn = (amount: bigint) =>
    decide(decider.framework, decider.state, probe(resourceName, amount), {
      nodeNames: roomy.flatMap(({ node, free }) => (free >= amount ? node : [])),
      nowMs: decider.clock.now(),
      random: decider.random,
      score: false,
    })
  const amounts = [...new Set(roomy.map(({ free }) => free))].toSorted((a, b) => (a < b ? 1 : -1))
  const { rejected } = decideOn(1n)
  return {
    ...resource,
    largestBlock: amounts.find((amount) => decideOn(amount).feasible.length > 0) ?? 0n,
    nodes: nodes.map((row) => {
      const reasons = row.free > 0n ? rejected.get(row.node)?.rejection.reasons : undefined
      return reasons === undefined ? row : { ...row, rejectedBecause: reasons }
    }),
  }
}

function probe(resourceName: string, amount: bigint): Pod {
  const amounts = { [resourceName]: resourceName === 'cpu' ? `${amount}m` : `${amount}` }
  return {
    metadata: { name: 'capacity', namespace: 'default', uid: 'capacity' },
    spec: {
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'probe', resources: { requests: amounts, limits: amounts } }],
    },
  }
}
