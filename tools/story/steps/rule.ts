import { deviceNode } from '../cast.ts'
import { createPod, deletePod, untilPhase } from '../pods.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'

const [first, second] = ['rack-web-1', 'rack-web-2']

/** A contributed plugin turns a node away. */
export const ruleStep: Step = {
  title: 'Judge: a rule of one’s own, in one TypeScript file, through the extender',
  async run(world) {
    const { narrator } = world
    const node = await deviceNode(world)
    narrator.say(
      'examples/plugins/scheduling keeps pods of one app on different nodes. The extender loaded it with --plugin-dir; ' +
        `the scheduler asks the extender. Only ${node} has slots, so the second pod of one app has nowhere to go.`,
    )
    const pod = { requests: { 'example.com/slot': '1' }, labels: { app: 'web' } }
    await createPod(world, { name: first, ...pod })
    const { spec } = await untilPhase(world, first, 'Running')
    narrator.seen(`pod ${first} is Running on ${spec.nodeName}`)
    await createPod(world, { name: second, ...pod })
    const [note = ''] = await world.until('its FailedScheduling event', async () => {
      const notes = await world.readBack().eventNotes(second, 'FailedScheduling')
      return notes.length > 0 ? notes : undefined
    })
    if (!note.includes(`app=web already runs there as ${first}`))
      throw new UnmetExpectationError(`the event says: ${note}`)
    narrator.seen(`event FailedScheduling of ${second}: ${note}`)
    for (const name of [first, second]) await deletePod(world, name)
  },
}
