import { applyExample } from '../pods.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'

/** Creates a pod that requests two dongles when one is free. */
export const pendingStep: Step = {
  title: 'Does not fit: a pod requests two dongles, one is free',
  async run(story) {
    const { narrator } = story
    const { metadata } = await applyExample(story, 'dongle/extended-resource-pod-2.yaml')
    const name = metadata.name ?? ''
    const [note = ''] = await story.until('its FailedScheduling event', async () => {
      const notes = await story.readBack().eventNotes(name, 'FailedScheduling')
      return notes.length > 0 ? notes : undefined
    })
    if (!note.includes('Insufficient example.com/dongle')) throw new UnmetExpectationError(`unexpected event: ${note}`)
    const pod = await story.readBack().pod(name)
    const condition = pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled')
    if (pod?.status?.phase !== 'Pending' || condition?.status !== 'False') {
      throw new UnmetExpectationError(`pod ${name} is ${pod?.status?.phase}, PodScheduled is ${condition?.status}`)
    }
    narrator.observed(`pod ${name} is ${pod.status.phase}, PodScheduled: ${condition.status} (${condition.reason})`)
    narrator.observed(`event FailedScheduling: ${note}`)
  },
}
