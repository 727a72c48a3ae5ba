import { applyExample } from '../pods.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'

/** A pod that wants two where one is left. */
export const pendingStep: Step = {
  title: 'Does not fit: a pod wants two, one is left',
  async run(world) {
    const { narrator } = world
    const { metadata } = await applyExample(world, 'dongle/extended-resource-pod-2.yaml')
    const name = metadata.name ?? ''
    const [note = ''] = await world.until('its FailedScheduling event', async () => {
      const notes = await world.readBack().eventNotes(name, 'FailedScheduling')
      return notes.length > 0 ? notes : undefined
    })
    if (!note.includes('Insufficient example.com/dongle'))
      throw new UnmetExpectationError(`the event says another thing: ${note}`)
    const pod = await world.readBack().pod(name)
    const condition = pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled')
    if (pod?.status?.phase !== 'Pending' || condition?.status !== 'False') {
      throw new UnmetExpectationError(`pod ${name} is ${pod?.status?.phase}, PodScheduled is ${condition?.status}`)
    }
    narrator.seen(`pod ${name} is ${pod.status.phase}, PodScheduled: ${condition.status} (${condition.reason})`)
    narrator.seen(`event FailedScheduling: ${note}`)
  },
}
