import { dongleNode } from '../story-nodes.ts'
import type { Step } from '../step.ts'
import type { Node } from '@berth/types'
import { startedApp, type StoryContext } from '../story-context.ts'

/** Makes the advertiser offer four dongles on the node, and waits until the API server reports them. Returns the node. */
export async function advertiseDongles(story: StoryContext, node: string): Promise<Node> {
  story.writeYaml('advertiser.yaml', {
    resources: [{ name: 'example.com/dongle', units: 4, nodes: { names: [node] } }],
  })
  return await story.until(`example.com/dongle: 4 on ${node}`, async () => {
    const read = await story.readBack().node(node)
    return read.status?.allocatable?.['example.com/dongle'] === '4' ? read : undefined
  })
}

/** Advertises four dongles on one node. */
export const advertiseStep: Step = {
  title: 'Advertise: four dongles on one node',
  async run(story) {
    const { narrator } = story
    const node = await dongleNode(story)
    narrator.explain(
      `The configuration of the advertiser now declares four dongles on ${node}; the advertiser reloads the file.`,
    )
    const { status } = await advertiseDongles(story, node)
    narrator.command(`kubectl describe node ${node}`)
    narrator.output(
      ['Capacity:', ...Object.entries(status?.capacity ?? {}).map(([name, amount]) => `  ${name}: ${amount}`)].join(
        '\n',
      ),
    )
    narrator.observed(`the API server reports example.com/dongle: ${status?.capacity?.['example.com/dongle']}`)
    narrator.explain(`Configuration: ${startedApp(story, 'advertiser').config}`)
  },
}
