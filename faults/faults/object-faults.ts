import type { ApiRequest, Node } from '@berth/types'
import { pick, pickOne } from '../world/pick.ts'
import { DONGLE, LICENCE, SEAT, type World } from '../world/world.ts'
import type { SystemFault } from './system-fault.ts'

const MAX_REFUSAL_MS = 40_000
const OWNED = 'berth.dev/advertised'

/** Overwrites an amount that Berth advertises, as another writer. Returns whether there was one. */
async function writeAmount({ api, random }: World, value: string | null, isBoth: boolean): Promise<boolean> {
  const resource = pickOne(random, [DONGLE, SEAT, LICENCE])
  const isOurs = ({ metadata }: Node): boolean => (metadata.annotations?.[OWNED] ?? '').includes(`"${resource}"`)
  const node = pick(random, (await api.nodes()).filter(isOurs))
  if (node === undefined) return false
  const list = { [resource]: value }
  const status = { allocatable: list, ...(isBoth && { capacity: list }) }
  await api.patchNode(node.metadata.name ?? '', { status }, 'status')
  return true
}

function overwrite(name: string, value: (world: World) => string | null, isBoth: boolean): SystemFault {
  return {
    name,
    async begin(world) {
      if (await writeAmount(world, value(world), isBoth)) world.count(name)
    },
  }
}

const isNodeWrite = ({ method, path }: ApiRequest): boolean => method === 'PATCH' && path.startsWith('/api/v1/nodes/')

/** Refuses the writes that repair a node until the fault ends. */
const failedRepair: SystemFault = {
  name: 'F19 the writes of the advertiser fail while another writer changes a node',
  async begin(world) {
    const { injector, random, healAfter } = world
    const fault = pickOne(random, [{ kind: 'refuse', status: 500 }, { kind: 'drop' }] as const)
    healAfter(random() * MAX_REFUSAL_MS, injector.add({ name: this.name, fault, matches: isNodeWrite }))
    await writeAmount(world, '0', true)
  },
}

/** The faults F20, F24 and a part of F19: other writers, and objects at the limits of what the API server accepts. */
export const objectFaults: readonly SystemFault[] = [
  overwrite('F20 another writer sets a resource', ({ random }) => String(5 + Math.floor(random() * 9)), true),
  overwrite('F20 another writer removes a resource', () => null, true),
  overwrite('F20 another writer changes allocatable alone', () => '1', false),
  overwrite('F20 a resource is reset to 0', () => '0', true),
  failedRepair,
  {
    name: 'F24 odd names, large objects and unusual quantities',
    async begin({ api, random, count }) {
      count(this.name)
      const requests = { cpu: '0.1', memory: '1e6', 'ephemeral-storage': '1Ki' }
      await api.createPod({
        metadata: {
          name: `odd-${Math.floor(random() * 1e6)}`,
          labels: { constructor: 'toString', hasOwnProperty: '' },
          annotations: { ['__proto__']: '{"polluted":true}', blob: 'ü'.repeat(50_000) },
        },
        spec: {
          schedulerName: 'berth-scheduler',
          nodeSelector: random() < 0.5 ? { constructor: 'none' } : {},
          containers: [{ name: 'main', image: 'app', resources: { requests } }],
        },
      })
      const many = Object.fromEntries(
        Array.from({ length: 200 }, (_, i) => [`example.com/bar-${i}`, i % 2 === 0 ? '1k' : '1e1']),
      )
      const node = pick(random, await api.nodes())
      if (node !== undefined)
        await api.patchNode(node.metadata.name ?? '', { status: { capacity: many, allocatable: many } }, 'status')
    },
  },
]
