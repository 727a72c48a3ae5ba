import { pick } from '../world/pick.ts'
import type { World } from '../world/world.ts'
import type { SystemFault } from './system-fault.ts'

const OUTAGE_MS = 60_000

async function restart(world: World, downMs: number): Promise<void> {
  const { serverProcess } = world
  if (!serverProcess.isRunning) return
  serverProcess.kill()
  await world.run(downMs)
  serverProcess.start()
}

/** The faults F5, F6, F9, F18 and F19: of the API server, the network and the clocks. */
export const serverFaults: readonly SystemFault[] = [
  {
    name: 'F5 the API server is down for a minute',
    async begin(world) {
      world.count(this.name)
      await restart(world, OUTAGE_MS)
    },
  },
  {
    name: 'F6 the API server restarts without history',
    async begin(world) {
      world.count(this.name)
      await restart(world, world.random() * 3_000)
    },
  },
  {
    name: 'F9 a replica of the scheduler is cut off past its Lease',
    begin({ random, schedulers, healAfter, count }) {
      const app = pick(random, schedulers)
      if (app === undefined) return
      count(this.name)
      app.cut()
      healAfter(20_000 + random() * 20_000, () => app.heal())
    },
  },
  {
    name: 'F18 a wall clock jumps by an hour',
    begin({ random, schedulers, extender, advertiser, count, healAfter }) {
      const app = pick(random, [...schedulers, extender, advertiser])
      if (app === undefined) return
      count(this.name)
      app.setWallOffset((random() < 0.5 ? -1 : 1) * 3_600_000)
      healAfter(random() * 60_000, () => app.setWallOffset(0))
    },
  },
  {
    name: 'F19 the advertiser is cut off while nodes and declarations change',
    begin({ advertiser, random, healAfter, count }) {
      count(this.name)
      advertiser.cut()
      healAfter(60_000 + random() * 540_000, () => advertiser.heal())
    },
  },
]
