import type { ContainerAllocateResponse } from '@berth/kubelet-api'
import type { VirtualNode } from './virtual-node.ts'

/** A class of faults of F11 to F15, and how the node recovers. */
export interface DeviceFault {
  readonly name: string
  run(node: VirtualNode): Promise<void>
}

/** F11: the plugin is registered again within this time. */
const REGISTERED_MS = 5_000
/** F13: capacity follows health within this time while the stream is open. */
const FOLLOWED_MS = 1_000

const between = ({ random }: VirtualNode, minMs: number, maxMs: number): number => minMs + random() * (maxMs - minMs)
const anyId = ({ random, ids }: VirtualNode): string => ids[Math.floor(random() * ids.length)] ?? ''

async function restartKubelet(node: VirtualNode): Promise<void> {
  node.kubelet.stop()
  await node.run(between(node, 100, 4_000))
  node.kubelet.start()
}

/** Allocates through the open stream's plugin; the error text if it fails. */
async function allocate(node: VirtualNode, ids: readonly string[]): Promise<ContainerAllocateResponse | string> {
  interface Response {
    readonly containerResponses: readonly ContainerAllocateResponse[]
  }
  const answer = node.kubelet.callPlugin<Response>((handlers, callback) => {
    const request = { containerRequests: [{ devicesIds: [...ids] }] }
    handlers.devicePlugin.allocate({ request } as never, callback)
  })
  const settled: { value?: ContainerAllocateResponse | string } = {}
  answer?.then(
    ({ containerResponses: [first] }) => (settled.value = first ?? 'no container response'),
    (error: unknown) => (settled.value = String(error)),
  )
  for (let i = 0; i < 20 && settled.value === undefined; i++) await node.run(100)
  return settled.value ?? 'no answer'
}

/** Every class of faults. */
export const deviceFaults: readonly DeviceFault[] = [
  {
    name: 'F11 the kubelet restarts',
    async run(node) {
      await restartKubelet(node)
      await node.untilRight('F11 the kubelet restarts', REGISTERED_MS)
    },
  },
  {
    name: 'F11 the socket directory is wiped',
    async run(node) {
      for (const path of node.directory.paths()) {
        if (node.directory.get(path)?.handlers !== undefined) node.directory.remove(path)
      }
      await node.untilRight('F11 the socket directory is wiped', REGISTERED_MS)
    },
  },
  {
    name: 'F11 the plugin starts before the kubelet',
    async run(node) {
      node.kubelet.stop()
      node.killPlugin()
      await node.run(between(node, 0, 2_000))
      node.startPlugin()
      await node.run(between(node, 0, 20_000))
      node.kubelet.start()
      await node.untilRight('F11 the plugin starts before the kubelet', REGISTERED_MS)
    },
  },
  {
    name: 'F12 the node reboots, and the plugin starts last',
    async run(node) {
      node.killPlugin()
      node.kubelet.stop()
      for (const pod of node.kubelet.pods()) pod.state = 'pending'
      await node.run(between(node, 1_000, 3_000))
      node.kubelet.start()
      await node.run(between(node, 0, 5_000))
      node.startPlugin()
      await node.untilRight('F12 the node reboots', REGISTERED_MS)
    },
  },
  {
    name: 'F12 the node is created again with the same name',
    async run(node) {
      node.kubelet.stop({ keepsState: false })
      await node.run(between(node, 0, 3_000))
      node.kubelet.start()
      await node.untilRight('F12 the node is created again', REGISTERED_MS)
    },
  },
  {
    name: 'F13 a device flaps ten times a second',
    async run(node) {
      await node.untilRight('before the flapping', REGISTERED_MS)
      const id = anyId(node)
      const before = await node.lists()
      for (let i = 0; i < 20; i++) {
        node.setHealth(id, i % 2 === 1)
        await node.run(100)
      }
      // Other changes, such as a failed allocation, may add a few.
      const sent = (await node.lists()) - before
      if (sent > 30) node.problems.push(`F13 a device flaps: ${sent} lists for 20 changes`)
      node.setHealth(id, node.random() < 0.5)
      await node.untilRight('F13 a device flaps', FOLLOWED_MS)
      node.setHealth(id, true)
      await node.untilRight('F13 a device recovers', FOLLOWED_MS)
    },
  },
  {
    name: 'F13 a device changes while the stream is broken',
    async run(node) {
      const id = anyId(node)
      node.kubelet.breakStreams()
      node.setHealth(id, false)
      await node.untilRight('F13 a device changes while the stream is broken', REGISTERED_MS)
      node.setHealth(id, true)
      await node.untilRight('F13 a device recovers', FOLLOWED_MS)
    },
  },
  {
    name: 'F14 odd and repeated Allocate calls',
    async run(node) {
      await node.untilRight('before the odd calls', REGISTERED_MS)
      const unknown = await allocate(node, [anyId(node), 'ghost'])
      if (typeof unknown !== 'string' || !unknown.includes('ghost: the device does not exist')) {
        node.problems.push(`F14 an unknown id: ${JSON.stringify(unknown)}`)
      }
      const off = anyId(node)
      node.setHealth(off, false)
      await node.untilRight('F14 a device is off', REGISTERED_MS)
      const unhealthy = await allocate(node, [off])
      if (typeof unhealthy !== 'string' || !unhealthy.includes('the device is unhealthy: it is off')) {
        node.problems.push(`F14 an unhealthy device: ${JSON.stringify(unhealthy)}`)
      }
      node.setHealth(off, true)
      await node.untilRight('F14 a device is on', REGISTERED_MS)
      const [a, b] = [anyId(node), anyId(node)]
      const first = await allocate(node, [a, b])
      const again = await allocate(node, [b, a, a, b])
      if (typeof first === 'string' || JSON.stringify(first) !== JSON.stringify(again)) {
        node.problems.push(`F14 a repeated call: ${JSON.stringify([first, again])}`)
      }
    },
  },
  {
    name: 'F15 the plugin is killed during Allocate',
    async run(node) {
      void allocate(node, [anyId(node)])
      await node.run(between(node, 0, 40))
      node.killPlugin()
      await node.run(between(node, 300, 3_000))
      node.startPlugin()
      await node.untilRight('F15 the plugin is killed', REGISTERED_MS)
    },
  },
  {
    name: 'F15 the plugin is upgraded',
    async run(node) {
      await node.stopPlugin()
      await node.run(between(node, 0, 3_000))
      if (node.kubelet.counts()?.startsWith('0/') !== false) {
        node.problems.push(`F15 an upgrade: the node shows ${node.kubelet.counts()}`)
      }
      node.startPlugin()
      await node.untilRight('F15 the plugin is upgraded', REGISTERED_MS)
    },
  },
  {
    name: 'F15 the source refuses a device',
    async run(node) {
      await node.untilRight('before the refusal', REGISTERED_MS)
      const id = anyId(node)
      node.refusing.add(id)
      const before = node.refusals.length
      await node.run(8_000)
      const refused = node.refusals.slice(before).filter((reason) => reason.includes('does not answer')).length
      // The kubelet learns of the first failure before the controller creates the next pod, or soon after it.
      if (refused > 3) node.problems.push(`F15 the source refuses a device: ${refused} pods failed in a loop`)
      node.refusing.delete(id)
      await node.untilRight('F15 the source accepts the device again', 3_000)
    },
  },
]
