import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deviceNode } from '../cast.ts'
import { readMetric } from '../start-app.ts'
import type { Step } from '../step.ts'
import { appOf, type World } from '../world.ts'

/** A device that breaks and recovers. */
export const unhealthyStep: Step = {
  title: 'A device goes unhealthy, and recovers',
  async run(world) {
    const { narrator, dir } = world
    const healthFile = join(dir, 'dev', 'health-of-slot3')
    narrator.command(`echo Unhealthy > ${healthFile}`)
    writeFileSync(healthFile, 'Unhealthy')
    await untilSlots(world, { capacity: '4', allocatable: '3' })
    const unhealthy = await readMetric(appOf(world, 'device-plugin'), 'berth_device_plugin_devices', {
      health: 'Unhealthy',
    })
    narrator.seen(`the device plugin counts ${unhealthy} unhealthy; the node says capacity 4, allocatable 3`)
    writeFileSync(healthFile, 'Healthy')
    await untilSlots(world, { capacity: '4', allocatable: '4' })
    narrator.seen('healthy again: capacity 4, allocatable 4')
  },
}

/** Waits until the node with the devices shows these numbers. */
export async function untilSlots(
  world: World,
  wanted: { readonly capacity: string; readonly allocatable: string },
): Promise<void> {
  const name = await deviceNode(world)
  await world.until(`example.com/slot ${wanted.allocatable} of ${wanted.capacity} on ${name}`, async () => {
    const { status } = await world.readBack().node(name)
    const [capacity, allocatable] = [status?.capacity, status?.allocatable].map((list) => list?.['example.com/slot'])
    return capacity === wanted.capacity && allocatable === wanted.allocatable ? true : undefined
  })
}
