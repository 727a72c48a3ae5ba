import { runKubectlBerth } from '../kubectl-berth.ts'
import { createPod, deletePod, untilPhase } from '../pods.ts'
import { dongleNode } from '../cast.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'
import type { World } from '../world.ts'

const podName = 'extended-resource-demo-2'

/** The part of `explain -o json` that the story applies. */
interface Fix {
  readonly kind: string
  readonly sentence: string
  readonly commands: readonly string[]
}

/** Why, with numbers; then the cheapest fix, applied. */
export const explainStep: Step = {
  title: 'Say why: numbers node by node, and the cheapest fix, applied',
  async run(world) {
    const { narrator } = world
    narrator.command(`kubectl berth explain pod ${podName}`)
    narrator.quote(await runKubectlBerth(world, ['explain', 'pod', podName]))
    const { fixes } = JSON.parse(await runKubectlBerth(world, ['explain', 'pod', podName, '-o', 'json'])) as {
      readonly fixes: readonly Fix[]
    }
    const [cheapest] = fixes
    if (cheapest === undefined) throw new UnmetExpectationError('explain knows no fix')
    narrator.say(`Applying the first of ${fixes.length} fixes: ${cheapest.sentence}`)
    await applyFix(world, cheapest)
    const pod = await untilPhase(world, podName, 'Running')
    narrator.seen(`pod ${podName} is Running on ${pod.spec.nodeName}`)
  },
}

async function applyFix(world: World, { kind, commands }: Fix): Promise<void> {
  switch (kind) {
    case 'lower-request':
      // A pod's requests cannot be changed in place.
      await deletePod(world, podName)
      await createPod(world, { name: podName, requests: { 'example.com/dongle': '1' } })
      return
    case 'add-capacity':
      world.writeYaml('advertiser.yaml', {
        resources: [{ name: 'example.com/dongle', units: 5, nodes: { names: [await dongleNode(world)] } }],
      })
      return
    case 'evict':
      await deletePod(world, 'extended-resource-demo')
      return
    default:
      throw new UnmetExpectationError(`explain proposes an unknown kind of fix, ${kind}: ${commands.join('; ')}`)
  }
}
