import { expectThat, printingPod } from '../cluster/test-cluster.ts'
import { lacksGate } from '../cluster/version-differences.ts'
import type { Check } from './check.ts'

/** A resource of counted devices without hardware. */
export const SLOT = 'example.com/slot'

/** The chart values that the checks of the device plugin need: four devices without hardware on every node. */
export const devicePluginValues: unknown = {
  devicePlugin: { config: { resources: [{ name: SLOT, source: 'count', args: { count: 4 } }] } },
}

/** Checks of the device plugin that run on any cluster. */
export const devicePluginChecks: readonly Check[] = [
  {
    name: 'the kubelet counts four slots, and a container learns which two it received',
    component: 'devicePlugin',
    failureText: `units of ${SLOT} on`,
    async run(testCluster) {
      const node = testCluster.workers[0] ?? ''
      const name = testCluster.uniqueName('slot-user')
      await testCluster.untilUnits(node, SLOT, '4/4')
      const text = '`got ${process.env.BERTH_DEVICES_EXAMPLE_COM_SLOT}`'
      await testCluster.createPod(printingPod(name, { [SLOT]: '2' }, text))
      const { status } = await testCluster.untilRunning(name)
      const held = status?.containerStatuses?.[0]?.allocatedResourcesStatus?.[0]
      const isShown = held?.resources?.length === 2 || lacksGate('ResourceHealthStatus')
      expectThat(isShown, `the pod’s status shows ${JSON.stringify(held)}`)
      await testCluster.until('two ids in the container', async () =>
        /^got slot-\d,slot-\d$/m.test(await testCluster.kubectl('logs', name)) ? true : undefined,
      )
    },
  },
]
