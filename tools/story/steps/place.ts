import { counted } from '@berth/text/counted'
import { readMetric } from '../start-app.ts'
import { applyExample, untilPhase } from '../pods.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'
import { startedApp } from '../story-context.ts'

const filterCalls = { verb: 'filter' }

/** Schedules a pod that requests three of the four dongles with the scheduler and its extender. */
export const placeStep: Step = {
  title: 'Schedule: a pod requests three of the four dongles',
  async run(story) {
    const { narrator } = story
    const extender = startedApp(story, 'extender')
    const before = await readMetric(extender, 'berth_extender_calls_total', filterCalls)
    const { metadata } = await applyExample(story, 'dongle/extended-resource-pod.yaml')
    const pod = await untilPhase(story, metadata.name ?? '', 'Running')
    narrator.observed(`pod ${metadata.name} is Running on ${pod.spec.nodeName}`)
    const [note] = await story.until('its Scheduled event', async () => {
      const notes = await story.readBack().eventNotes(metadata.name ?? '', 'Scheduled')
      return notes.length > 0 ? notes : undefined
    })
    narrator.observed(`event Scheduled: ${note}`)
    const calls = (await readMetric(extender, 'berth_extender_calls_total', filterCalls)) - before
    if (calls < 1) throw new UnmetExpectationError('the scheduler did not call the extender')
    narrator.observed(`the scheduler called the extender: its /metrics count ${counted(calls, 'more filter call')}`)
  },
}
