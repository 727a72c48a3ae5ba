import { isDeepStrictEqual } from 'node:util'
import type { Node } from '@berth/types'
import { dongleNode } from '../cast.ts'
import { deletePod } from '../pods.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'

/** What of a node must be as it was. */
function trace({ metadata, status }: Node): unknown {
  return {
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    capacity: status?.capacity ?? {},
    allocatable: status?.allocatable ?? {},
  }
}

/** Remembers the node, and at the end shows that it is as it was. */
export function takeBackSteps(): { readonly remember: Step; readonly takeBack: Step } {
  let before: unknown
  return {
    remember: {
      title: 'Before: what the node says of itself',
      async run(world) {
        const name = await dongleNode(world)
        const node = await world.readBack().node(name)
        before = trace(node)
        const names = Object.keys(node.status?.capacity ?? {})
        world.narrator.seen(`${name} offers ${names.join(', ')}`)
      },
    },
    takeBack: {
      title: 'Taken back: the node is as it was',
      async run(world) {
        const name = await dongleNode(world)
        for (const pod of ['extended-resource-demo', 'extended-resource-demo-2', 'slot-user'])
          await deletePod(world, pod)
        world.narrator.say('The advertiser’s configuration is empty again: what it put there, it takes back.')
        world.writeYaml('advertiser.yaml', { resources: [] })
        let now: unknown
        try {
          await world.until(`${name} to be as it was`, async () => {
            now = trace(await world.readBack().node(name))
            return isDeepStrictEqual(now, before) ? true : undefined
          })
        } catch (cause) {
          if (!(cause instanceof UnmetExpectationError)) throw cause
          throw new UnmetExpectationError(`${name} differs: was ${JSON.stringify(before)}, is ${JSON.stringify(now)}`, {
            cause,
          })
        }
        world.narrator.seen(`labels, annotations, capacity and allocatable of ${name} equal those of the beginning`)
      },
    },
  }
}
