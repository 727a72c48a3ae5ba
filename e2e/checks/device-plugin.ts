import { sessionUnderTest } from '../cluster/test-environment.ts'
import { check } from '../cluster/test-cluster.ts'
import type { BerthPlay } from './check.ts'

/** Devices that are nothing but a number. */
export const SLOT = 'example.com/slot'

/** Values that the plays of the device plugin need: four devices without hardware on every node. */
export const devicePluginValues: unknown = {
  devicePlugin: { config: { resources: [{ name: SLOT, source: 'count', args: { count: 4 } }] } },
}

/** What the device plugin promises on any cluster. */
export const devicePluginPlays: readonly BerthPlay[] = [
  {
    name: 'the kubelet counts four slots, and a container is told which two it got',
    component: 'devicePlugin',
    missing: 'four slots on',
    async run(scene) {
      const node = scene.workers[0] ?? ''
      const name = scene.name('slot-user')
      await scene.until(`four slots on ${node}`, async () =>
        (await scene.units(node, SLOT)) === '4/4' ? true : undefined,
      )
      const print = 'console.log(`got ${process.env.BERTH_DEVICES_EXAMPLE_COM_SLOT}`); setInterval(() => {}, 1e6)'
      const units = { [SLOT]: '2' }
      const container = {
        name: 'main',
        image: sessionUnderTest().image,
        command: ['node', '--eval', print],
        resources: { requests: units, limits: units },
      }
      await scene.createPod({ metadata: { name }, spec: { containers: [container], terminationGracePeriodSeconds: 1 } })
      const { status } = await scene.untilRunning(name)
      const held = status?.containerStatuses?.[0]?.allocatedResourcesStatus?.[0]
      check(held?.resources?.length === 2, `the pod’s status shows ${JSON.stringify(held)}`)
      await scene.until('two ids in the container', async () =>
        /^got slot-\d,slot-\d$/m.test(await scene.kubectl('logs', name)) ? true : undefined,
      )
    },
  },
]
