import { dongleNode } from '../story-nodes.ts'
import type { Step } from '../step.ts'
import { startedApp } from '../story-context.ts'

/** Advertises four dongles on one node. */
export const advertiseStep: Step = {
  title: 'Advertise: four dongles on one node',
  async run(story) {
    const { narrator } = story
    const node = await dongleNode(story)
    narrator.explain(
      `The configuration of the advertiser now declares four dongles on ${node}; the advertiser reloads the file.`,
    )
    story.writeYaml('advertiser.yaml', {
      resources: [{ name: 'example.com/dongle', units: 4, nodes: { names: [node] } }],
    })
    const { status } = await story.until(`example.com/dongle: 4 on ${node}`, async () => {
      const read = await story.readBack().node(node)
      return read.status?.allocatable?.['example.com/dongle'] === '4' ? read : undefined
    })
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
