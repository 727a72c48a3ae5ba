import { deviceNode } from '../story-nodes.ts'
import { createPod, deletePod, untilPhase } from '../pods.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'

const [first, second] = ['rack-web-1', 'rack-web-2']

/** Shows a contributed plugin that rejects a node. */
export const ruleStep: Step = {
  title: 'Extend: your own rule in one TypeScript file, run by the extender',
  async run(story) {
    const { narrator } = story
    const node = await deviceNode(story)
    narrator.explain(
      'examples/plugins/scheduling keeps the pods of an app on different nodes. The extender loaded it with --plugin-dir, and ' +
        `the scheduler calls the extender. Only ${node} has slots, so the second pod of the app does not fit.`,
    )
    const pod = { requests: { 'example.com/slot': '1' }, labels: { app: 'web' } }
    await createPod(story, { name: first, ...pod })
    const { spec } = await untilPhase(story, first, 'Running')
    narrator.observed(`pod ${first} is Running on ${spec.nodeName}`)
    await createPod(story, { name: second, ...pod })
    const [note = ''] = await story.until('its FailedScheduling event', async () => {
      const notes = await story.readBack().eventNotes(second, 'FailedScheduling')
      return notes.length > 0 ? notes : undefined
    })
    if (!note.includes(`app=web already runs there as ${first}`))
      throw new UnmetExpectationError(`unexpected event: ${note}`)
    narrator.observed(`event FailedScheduling of ${second}: ${note}`)
    for (const name of [first, second]) await deletePod(story, name)
  },
}
