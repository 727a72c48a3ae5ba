import type { AllocateResponse } from '@berth/kubelet-api'
import type { Machine } from '../world/machine.ts'
import { pick } from '../world/pick.ts'
import type { World } from '../world/world.ts'
import type { SystemFault } from './system-fault.ts'

const between = ({ random }: World, minMs: number, maxMs: number): number => minMs + random() * (maxMs - minMs)

/** A fault of one node. */
function nodeFault(name: string, act: (world: World, machine: Machine) => Promise<void>): SystemFault {
  return {
    name,
    async begin(world) {
      const machine = pick(world.random, world.machines)
      if (machine === undefined || !machine.kubelet.isRunning) return
      world.count(name)
      await act(world, machine)
    },
  }
}

async function setHealth(world: World, machine: Machine, id: string, isHealthy: boolean): Promise<void> {
  machine.setHealth(id, isHealthy)
  await world.recordHardware()
}

function kubeletDown(world: World, machine: Machine): Promise<void> {
  const stopping = machine.kubelet.stop()
  // A kubelet that was killed leaves its work undone.
  return Promise.race([stopping, world.run(0)])
}

async function removePods({ api }: World, nodeName: string): Promise<void> {
  for (const { metadata, spec } of await api.pods()) {
    if (spec.nodeName === nodeName) await api.deletePod(metadata.name ?? '', { isForced: true })
  }
}

/** Calls Allocate of the plugin that the kubelet is connected with. */
async function allocate(world: World, machine: Machine, ids: readonly string[]): Promise<string> {
  const request = { containerRequests: [{ devicesIds: [...ids] }] }
  const answer = machine.plugins()?.callPlugin<AllocateResponse>((handlers, callback) => {
    handlers.devicePlugin.allocate({ request } as never, callback)
  })
  if (answer === undefined) return 'no plugin'
  const settled: { text?: string } = {}
  answer.then(
    ({ containerResponses: [first] }) => (settled.text = JSON.stringify(first)),
    (error: unknown) => (settled.text = String(error)),
  )
  for (let i = 0; i < 20 && settled.text === undefined; i++) await world.run(100)
  return settled.text ?? 'no answer'
}

/** The faults F11 to F15 of kubelets and device plugins. */
export const deviceFaults: readonly SystemFault[] = [
  nodeFault('F11 the kubelet restarts', async (world, machine) => {
    await kubeletDown(world, machine)
    await world.run(between(world, 100, 8_000))
    machine.startKubelet()
  }),
  nodeFault('F11 the socket directory is wiped', async (_, { directory }) => {
    for (const path of directory.paths()) if (directory.get(path)?.handlers !== undefined) directory.remove(path)
  }),
  nodeFault('F11 the plugin starts before the kubelet', async (world, machine) => {
    await kubeletDown(world, machine)
    machine.killPlugin()
    await world.run(between(world, 0, 2_000))
    machine.startPlugin()
    await world.run(between(world, 0, 20_000))
    machine.startKubelet()
  }),
  nodeFault('F12 the node reboots, and the plugin starts last', async (world, machine) => {
    machine.killPlugin()
    await kubeletDown(world, machine)
    await world.run(between(world, 1_000, 5_000))
    machine.startKubelet({ isReboot: true })
    await world.run(between(world, 0, 10_000))
    machine.startPlugin()
  }),
  nodeFault('F12 the node is created again with the same name', async (world, machine) => {
    await kubeletDown(world, machine)
    await world.api.deleteNode(machine.name)
    await world.run(between(world, 0, 5_000))
    await removePods(world, machine.name)
    machine.startKubelet()
  }),
  nodeFault('F13 a device flaps ten times a second', async (world, machine) => {
    const id = pick(world.random, machine.ids) ?? ''
    for (let i = 0; i < 20; i++) {
      machine.setHealth(id, i % 2 === 1)
      await world.run(100)
    }
    await setHealth(world, machine, id, world.random() < 0.7)
  }),
  nodeFault('F13 a device changes while the stream is broken', async (world, machine) => {
    const id = pick(world.random, machine.ids) ?? ''
    machine.plugins()?.breakStreams()
    await setHealth(world, machine, id, !machine.isHealthy(id))
  }),
  nodeFault('F14 odd and repeated Allocate calls', async (world, machine) => {
    const first = machine.ids.find((id) => machine.isHealthy(id))
    if (machine.plugins() === undefined || first === undefined) return
    const unknown = await allocate(world, machine, [first, 'ghost'])
    if (unknown.startsWith('{')) world.note(`F14: an unknown id was allocated: ${unknown}`)
    const [once, twice] = [await allocate(world, machine, [first]), await allocate(world, machine, [first, first])]
    const areAnswers = once.startsWith('{') && twice.startsWith('{')
    if (areAnswers && once !== twice) world.note(`F14: a repeated id changes the response: ${once} ${twice}`)
  }),
  nodeFault('F15 the plugin is killed', async (world, machine) => {
    machine.killPlugin()
    await world.run(between(world, 300, 5_000))
    machine.startPlugin()
  }),
  nodeFault('F15 the plugin is upgraded', async (world, machine) => {
    void machine.stopPlugin()
    await world.run(between(world, 500, 5_000))
    machine.startPlugin()
  }),
]
