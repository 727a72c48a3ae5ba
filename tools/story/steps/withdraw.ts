import { isDeepStrictEqual } from 'node:util'
import type { Node } from '@berth/types'
import { dongleNode } from '../story-nodes.ts'
import { deletePod } from '../pods.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'

/** Returns the parts of a node that the story must restore. */
function comparableState({ metadata, status }: Node): unknown {
  return {
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    capacity: status?.capacity ?? {},
    allocatable: status?.allocatable ?? {},
  }
}

/** Returns the chapter that records a node's state and the one that shows that it is restored. */
export function withdrawSteps(): { readonly recordState: Step; readonly withdraw: Step } {
  let before: unknown
  return {
    recordState: {
      title: 'Before: what the node offers',
      async run(story) {
        const name = await dongleNode(story)
        const node = await story.readBack().node(name)
        before = comparableState(node)
        const names = Object.keys(node.status?.capacity ?? {})
        story.narrator.observed(`${name} offers ${names.join(', ')}`)
      },
    },
    withdraw: {
      title: 'Withdraw: the node is as it was before',
      async run(story) {
        const name = await dongleNode(story)
        for (const pod of ['extended-resource-demo', 'extended-resource-demo-2', 'slot-user'])
          await deletePod(story, pod)
        story.narrator.explain('The configuration of the advertiser is empty again, so it withdraws its resources.')
        story.writeYaml('advertiser.yaml', { resources: [] })
        let now: unknown
        try {
          await story.until(`${name} to be as before`, async () => {
            now = comparableState(await story.readBack().node(name))
            return isDeepStrictEqual(now, before) ? true : undefined
          })
        } catch (cause) {
          if (!(cause instanceof UnmetExpectationError)) throw cause
          throw new UnmetExpectationError(`${name} differs: was ${JSON.stringify(before)}, is ${JSON.stringify(now)}`, {
            cause,
          })
        }
        story.narrator.observed(`labels, annotations, capacity and allocatable of ${name} are as before`)
      },
    },
  }
}
