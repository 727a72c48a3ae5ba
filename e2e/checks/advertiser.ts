import { check } from '../cluster/test-cluster.ts'
import type { BerthPlay } from './check.ts'
import { DONGLE, allocateThreeOfFour } from './dongles.ts'

/** Values that the plays of the advertiser need. */
export function advertiserValues(workers: readonly string[]): unknown {
  return { advertiser: { config: { resources: [{ name: DONGLE, units: 4, nodes: { names: [workers[0]] } }] } } }
}

/** What the advertiser promises. */
export const advertiserPlays: readonly BerthPlay[] = [
  {
    name: 'the advertiser offers four dongles; three are handed out, and the next pod hears what is missing',
    component: 'advertiser',
    missing: 'four dongles on',
    run: (scene) => allocateThreeOfFour(scene, scene.workers[0] ?? ''),
  },
  {
    name: 'a number that somebody else takes away comes back',
    component: 'advertiser',
    missing: 'four dongles on',
    async run(scene) {
      const node = scene.workers[0] ?? ''
      const untilFour = (): Promise<true> =>
        scene.until(`four dongles on ${node}`, async () =>
          (await scene.units(node, DONGLE)) === '4/4' ? true : undefined,
        )
      await untilFour()
      const { metadata } = await scene.client.patchNodeStatus(
        node,
        { status: { capacity: { [DONGLE]: null }, allocatable: { [DONGLE]: null } } },
        { fieldManager: 'berth-e2e' },
      )
      await untilFour()
      check((await scene.node(node)).metadata.resourceVersion !== metadata.resourceVersion, 'nobody wrote to the node')
    },
  },
]
