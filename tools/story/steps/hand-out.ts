import type { Pod } from '@berth/types'
import { deviceNode } from '../story-nodes.ts'
import { createPod, untilPhase } from '../pods.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'

/** Shows the discovered devices and gives one of them to a container. */
export const handOutStep: Step = {
  title: 'Hand out: devices discovered on a node, one given to a container',
  async run(story) {
    const { narrator } = story
    const node = await deviceNode(story)
    const amount = await story.until(`example.com/slot on ${node}`, async () => {
      const allocatable = (await story.readBack().node(node)).status?.allocatable?.['example.com/slot']
      return allocatable === '4' ? allocatable : undefined
    })
    narrator.observed(
      `the kubelet of ${node} counts example.com/slot: ${amount}, received from the device plugin over gRPC`,
    )
    await createPod(story, { name: 'slot-user', requests: { 'example.com/slot': '1' } })
    const pod = await untilPhase(story, 'slot-user', 'Running')
    narrator.observed(
      `pod slot-user is Running on ${pod.spec.nodeName} and holds device ${heldDevices(pod).join(', ')}`,
    )
  },
}

/** Returns the device ids in the status of a pod's containers. */
export function heldDevices(pod: Pod): readonly string[] {
  const ids = (pod.status?.containerStatuses ?? [])
    .flatMap(({ allocatedResourcesStatus = [] }) => allocatedResourcesStatus)
    .flatMap(({ resources = [] }) => resources.map(({ resourceID }) => resourceID))
  if (ids.length === 0) throw new UnmetExpectationError(`pod ${pod.metadata.name} runs but holds no device`)
  return ids
}
