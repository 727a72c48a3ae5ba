import { deviceNode } from '../story-nodes.ts'
import { readMetric } from '../start-app.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'
import { startedApp } from '../story-context.ts'
import { untilSlots } from './unhealthy.ts'

/** Restarts the kubelet and shows that the devices remain. */
export const kubeletRestartStep: Step = {
  title: 'The kubelet restarts',
  async run(story) {
    const { narrator } = story
    const node = await deviceNode(story)
    const plugin = startedApp(story, 'device-plugin')
    const registrations = (): Promise<number> => readMetric(plugin, 'berth_device_plugin_registrations_total')
    const before = await registrations()
    narrator.explain(
      'A kubelet forgets all device plugins when it restarts. It then finds the socket of Berth’s device plugin again.',
    )
    const { status } = await story.readBack().client.raw({
      method: 'POST',
      path: `/berth.sim/v1/kubelets/${node}/restart`,
      headers: {},
    })
    if (status >= 300)
      throw new UnmetExpectationError(`restart the kubelet of ${node}: the API server answers ${status}`)
    const after = await story.until('the device plugin to be registered again', async () => {
      const count = await registrations()
      return count > before ? count : undefined
    })
    await untilSlots(story, { capacity: '4', allocatable: '4' })
    narrator.observed(`registrations counted by the device plugin: ${before} before, ${after} after; still 4 of 4`)
  },
}
