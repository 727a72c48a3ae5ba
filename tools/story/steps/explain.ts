import { runKubectlBerth } from '../kubectl-berth.ts'
import { createPod, deletePod, untilPhase } from '../pods.ts'
import { dongleNode } from '../story-nodes.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'
import type { StoryContext } from '../story-context.ts'

const podName = 'extended-resource-demo-2'

/** One fix from the output of `explain -o json`. */
interface Fix {
  readonly kind: string
  readonly sentence: string
  readonly commands: readonly string[]
}

/** Explains why a pod does not fit and applies the cheapest fix. */
export const explainStep: Step = {
  title: 'Explain: the numbers of each node, and the cheapest fix',
  async run(story) {
    const { narrator } = story
    narrator.command(`./berth explain pod ${podName}`)
    narrator.output(await runKubectlBerth(story, ['explain', 'pod', podName]))
    const { fixes } = JSON.parse(await runKubectlBerth(story, ['explain', 'pod', podName, '-o', 'json'])) as {
      readonly fixes: readonly Fix[]
    }
    const [cheapest] = fixes
    if (cheapest === undefined) throw new UnmetExpectationError('explain proposes no fix')
    narrator.explain(`Applying the first of ${fixes.length} fixes: ${cheapest.sentence}`)
    await applyFix(story, cheapest)
    const pod = await untilPhase(story, podName, 'Running')
    narrator.observed(`pod ${podName} is Running on ${pod.spec.nodeName}`)
  },
}

async function applyFix(story: StoryContext, { kind, commands }: Fix): Promise<void> {
  switch (kind) {
    case 'lower-request':
      // A pod's requests cannot be changed in place.
      await deletePod(story, podName)
      await createPod(story, { name: podName, requests: { 'example.com/dongle': '1' } })
      return
    case 'add-capacity':
      story.writeYaml('advertiser.yaml', {
        resources: [{ name: 'example.com/dongle', units: 5, nodes: { names: [await dongleNode(story)] } }],
      })
      return
    case 'evict':
      await deletePod(story, 'extended-resource-demo')
      return
    default:
      throw new UnmetExpectationError(`explain proposes an unknown kind of fix, ${kind}: ${commands.join('; ')}`)
  }
}
