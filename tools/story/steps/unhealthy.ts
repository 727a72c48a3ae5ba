import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deviceNode } from '../story-nodes.ts'
import { readMetric } from '../start-app.ts'
import type { Step } from '../step.ts'
import { startedApp, type StoryContext } from '../story-context.ts'

/** Makes a device unhealthy and healthy again. */
export const unhealthyStep: Step = {
  title: 'A device becomes unhealthy and recovers',
  async run(story) {
    const { narrator, dir } = story
    const healthFile = join(dir, 'dev', 'health-of-slot3')
    narrator.command(`echo Unhealthy > ${healthFile}`)
    writeFileSync(healthFile, 'Unhealthy')
    await untilSlots(story, { capacity: '4', allocatable: '3' })
    const unhealthy = await readMetric(startedApp(story, 'device-plugin'), 'berth_device_plugin_devices', {
      health: 'Unhealthy',
    })
    narrator.observed(`the device plugin counts ${unhealthy} unhealthy; the node reports capacity 4, allocatable 3`)
    writeFileSync(healthFile, 'Healthy')
    await untilSlots(story, { capacity: '4', allocatable: '4' })
    narrator.observed('healthy again: capacity 4, allocatable 4')
  },
}

/** Waits until the node with the devices reports these numbers. */
export async function untilSlots(
  story: StoryContext,
  expected: { readonly capacity: string; readonly allocatable: string },
): Promise<void> {
  const name = await deviceNode(story)
  await story.until(`example.com/slot ${expected.allocatable} of ${expected.capacity} on ${name}`, async () => {
    const { status } = await story.readBack().node(name)
    const [capacity, allocatable] = [status?.capacity, status?.allocatable].map((list) => list?.['example.com/slot'])
    return capacity === expected.capacity && allocatable === expected.allocatable ? true : undefined
  })
}
