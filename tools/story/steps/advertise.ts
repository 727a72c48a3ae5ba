import { dongleNode } from '../cast.ts'
import type { Step } from '../step.ts'
import { appOf } from '../world.ts'

/** Four dongles on one node. */
export const advertiseStep: Step = {
  title: 'Advertise: four dongles on one node',
  async run(world) {
    const { narrator } = world
    const node = await dongleNode(world)
    narrator.say(`The advertiser’s configuration now names four dongles on ${node}; it reads the file again by itself.`)
    world.writeYaml('advertiser.yaml', {
      resources: [{ name: 'example.com/dongle', units: 4, nodes: { names: [node] } }],
    })
    const { status } = await world.until(`example.com/dongle: 4 on ${node}`, async () => {
      const read = await world.readBack().node(node)
      return read.status?.allocatable?.['example.com/dongle'] === '4' ? read : undefined
    })
    narrator.command(`kubectl describe node ${node}`)
    narrator.quote(
      ['Capacity:', ...Object.entries(status?.capacity ?? {}).map(([name, amount]) => `  ${name}: ${amount}`)].join(
        '\n',
      ),
    )
    narrator.seen(`the API server says: example.com/dongle: ${status?.capacity?.['example.com/dongle']}`)
    narrator.say(`Configuration: ${appOf(world, 'advertiser').config}`)
  },
}
