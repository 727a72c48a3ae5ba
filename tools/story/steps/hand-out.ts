import type { Pod } from '@berth/types'
import { deviceNode } from '../cast.ts'
import { createPod, untilPhase } from '../pods.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'

/** Devices that the device plugin found, and one of them in a container. */
export const handOutStep: Step = {
  title: 'Hand out: devices found on a node, one of them in a container',
  async run(world) {
    const { narrator } = world
    const node = await deviceNode(world)
    const amount = await world.until(`example.com/slot on ${node}`, async () => {
      const allocatable = (await world.readBack().node(node)).status?.allocatable?.['example.com/slot']
      return allocatable === '4' ? allocatable : undefined
    })
    narrator.seen(`the kubelet of ${node} counts example.com/slot: ${amount}, told by the device plugin over gRPC`)
    await createPod(world, { name: 'slot-user', requests: { 'example.com/slot': '1' } })
    const pod = await untilPhase(world, 'slot-user', 'Running')
    narrator.seen(`pod slot-user is Running on ${pod.spec.nodeName} and holds device ${heldDevices(pod).join(', ')}`)
  },
}

/** Device ids in the status of a pod's containers. */
export function heldDevices(pod: Pod): readonly string[] {
  const ids = (pod.status?.containerStatuses ?? [])
    .flatMap(({ allocatedResourcesStatus = [] }) => allocatedResourcesStatus)
    .flatMap(({ resources = [] }) => resources.map(({ resourceID }) => resourceID))
  if (ids.length === 0) throw new UnmetExpectationError(`pod ${pod.metadata.name} runs but holds no device`)
  return ids
}
