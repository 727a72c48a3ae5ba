import { deviceNode } from '../cast.ts'
import { readMetric } from '../start-app.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'
import { appOf } from '../world.ts'
import { untilSlots } from './unhealthy.ts'

/** The kubelet restarts; the devices stay. */
export const kubeletRestartStep: Step = {
  title: 'The kubelet restarts',
  async run(world) {
    const { narrator } = world
    const node = await deviceNode(world)
    const plugin = appOf(world, 'device-plugin')
    const registrations = (): Promise<number> => readMetric(plugin, 'berth_device_plugin_registrations_total')
    const before = await registrations()
    narrator.say(
      'A kubelet that restarts forgets every device plugin. This one finds the socket of ours again by itself.',
    )
    const { status } = await world.readBack().client.raw({
      method: 'POST',
      path: `/berth.sim/v1/kubelets/${node}/restart`,
      headers: {},
    })
    if (status >= 300)
      throw new UnmetExpectationError(`restart the kubelet of ${node}: the API server answers ${status}`)
    const after = await world.until('the device plugin to be registered again', async () => {
      const count = await registrations()
      return count > before ? count : undefined
    })
    await untilSlots(world, { capacity: '4', allocatable: '4' })
    narrator.seen(`registrations counted by the device plugin: ${before} before, ${after} after; still 4 of 4`)
  },
}
