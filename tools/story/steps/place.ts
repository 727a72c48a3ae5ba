import { readMetric } from '../start-app.ts'
import { applyExample, untilPhase } from '../pods.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'
import { appOf } from '../world.ts'

const filterCalls = { verb: 'filter' }

/** A pod that takes three of the four, placed by the scheduler and through the extender. */
export const placeStep: Step = {
  title: 'Place: a pod takes three of the four dongles',
  async run(world) {
    const { narrator } = world
    const extender = appOf(world, 'extender')
    const before = await readMetric(extender, 'berth_extender_calls_total', filterCalls)
    const { metadata } = await applyExample(world, 'dongle/extended-resource-pod.yaml')
    const pod = await untilPhase(world, metadata.name ?? '', 'Running')
    narrator.seen(`pod ${metadata.name} is Running on ${pod.spec.nodeName}`)
    const [note] = await world.until('its Scheduled event', async () => {
      const notes = await world.readBack().eventNotes(metadata.name ?? '', 'Scheduled')
      return notes.length > 0 ? notes : undefined
    })
    narrator.seen(`event Scheduled: ${note}`)
    const calls = (await readMetric(extender, 'berth_extender_calls_total', filterCalls)) - before
    if (calls < 1) throw new UnmetExpectationError('the scheduler did not ask the extender')
    narrator.seen(
      `the scheduler asked the extender: its /metrics count ${calls} more filter call${calls === 1 ? '' : 's'}`,
    )
  },
}
