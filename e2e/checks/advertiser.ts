import { expectThat } from '../cluster/test-cluster.ts'
import type { Check } from './check.ts'
import { DONGLE, allocateThreeOfFour } from './dongles.ts'

/** Returns the chart values that the checks of the advertiser need. */
export function advertiserValues(workers: readonly string[]): unknown {
  return { advertiser: { config: { resources: [{ name: DONGLE, units: 4, nodes: { names: [workers[0]] } }] } } }
}

/** Checks of the advertiser. */
export const advertiserChecks: readonly Check[] = [
  {
    name: 'the advertiser offers four dongles; three are allocated, and the next pod is told what is missing',
    component: 'advertiser',
    failureText: `units of ${DONGLE} on`,
    run: (testCluster) => allocateThreeOfFour(testCluster, testCluster.workers[0] ?? ''),
  },
  {
    name: 'the advertiser restores a resource that another client removes',
    component: 'advertiser',
    failureText: `units of ${DONGLE} on`,
    async run(testCluster) {
      const node = testCluster.workers[0] ?? ''
      await testCluster.untilUnits(node, DONGLE, '4/4')
      const { metadata } = await testCluster.client.patchNodeStatus(
        node,
        { status: { capacity: { [DONGLE]: null }, allocatable: { [DONGLE]: null } } },
        { fieldManager: 'berth-e2e' },
      )
      await testCluster.untilUnits(node, DONGLE, '4/4')
      expectThat(
        (await testCluster.node(node)).metadata.resourceVersion !== metadata.resourceVersion,
        'the node was not written',
      )
    },
  },
]
