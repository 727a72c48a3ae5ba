import type { Pod, Random } from '@berth/types'
import { DEVICE } from './machine.ts'
import { pick, pickOne } from './pick.ts'
import { DONGLE, LICENCE, SEAT, type World } from './world.ts'

/** What users do between the faults. */
export interface Workload {
  /** Creates, deletes or changes something. */
  act(): Promise<void>
  /** Removes pods that have failed, as their controllers do. */
  replaceFailed(): Promise<void>
  /** Returns whether a pod runs that ends by itself. Its end lets another pod be bound, so that nothing is at rest. */
  hasRunningJob(): Promise<boolean>
  /** Frees some units of every resource, and creates pods that need them. */
  useEverything(): Promise<void>
}

const DECLARED = [DONGLE, SEAT, LICENCE] as const
const EVERY = [...DECLARED, DEVICE] as const
const RUN_SECONDS = 'simulator.berth.dev/run-seconds'

/** Creates the users of a world. They begin with one declaration for each resource and node, and some pods. */
export async function startWorkload(world: World): Promise<Workload> {
  const { api, random, machines } = world
  /** Names of the declarations that exist, by `node resource`. */
  const declarations = new Map<string, string>()
  let created = 0
  const units = (): number => 1 + Math.floor(random() * 4)

  async function declare(node: string, resourceName: string): Promise<void> {
    // A name is not used again, because a deleted object exists until its resource is withdrawn.
    const name = `object-${created++}`
    declarations.set(`${node} ${resourceName}`, name)
    await api.declare(name, { resourceName, units: units(), nodes: { names: [node] } })
  }

  async function changeDeclarations(): Promise<void> {
    const node = pick(random, machines)?.name ?? ''
    const resourceName = pickOne(random, DECLARED)
    const key = `${node} ${resourceName}`
    const known = declarations.get(key)
    if (known === undefined) await declare(node, resourceName)
    else if (random() < 0.7) await api.changeUnits(known, units())
    else {
      declarations.delete(key)
      await api.withdraw(known)
    }
  }

  async function createPods(): Promise<void> {
    const count = 1 + Math.floor(random() * 4)
    for (let i = 0; i < count; i++) await api.createPod(randomPod(`pod-${created++}`, random))
  }

  async function deletePod(): Promise<void> {
    const pod = pick(random, await api.pods())
    if (pod !== undefined) await api.deletePod(pod.metadata.name ?? '', { isForced: random() < 0.2 })
  }

  async function changeDevice(): Promise<void> {
    const machine = pick(random, machines)
    const id = machine && pick(random, machine.ids)
    if (id === undefined) return
    machine?.setHealth(id, !machine.isHealthy(id))
    await world.recordHardware()
  }

  for (const { name } of machines)
    for (const resourceName of DECLARED) if (random() < 0.8) await declare(name, resourceName)
  await createPods()
  return {
    async act() {
      const draw = random()
      if (draw < 0.55) await createPods()
      else if (draw < 0.8) await deletePod()
      else if (draw < 0.9) await changeDeclarations()
      else await changeDevice()
    },
    async replaceFailed() {
      for (const { metadata, status } of await api.pods()) {
        if (status?.phase !== 'Failed' && status?.phase !== 'Succeeded') continue
        await api.deletePod(metadata.name ?? '', { isForced: true })
      }
    },
    async hasRunningJob() {
      const isRunningJob = ({ metadata, spec, status }: Pod): boolean =>
        metadata.annotations?.[RUN_SECONDS] !== undefined &&
        spec.nodeName !== undefined &&
        status?.phase !== 'Succeeded' &&
        status?.phase !== 'Failed'
      return (await api.pods()).some(isRunningJob)
    },
    async useEverything() {
      for (const resource of EVERY) {
        const holder = (await api.pods()).find(
          (pod) => pod.spec.nodeName !== undefined && requestsOf(pod).has(resource),
        )
        if (holder !== undefined) await api.deletePod(holder.metadata.name ?? '')
        await api.createPod(podOf(`pod-${created++}`, { [resource]: '1' }))
      }
    },
  }
}

function requestsOf({ spec }: Pod): ReadonlySet<string> {
  return new Set(spec.containers.flatMap(({ resources }) => Object.keys(resources?.requests ?? {})))
}

/** Returns a pod with one container that every node tolerates. */
function podOf(name: string, amounts: Readonly<Record<string, string>>): Pod {
  const requests = { cpu: '100m', ...amounts }
  return {
    metadata: { name, namespace: 'default' },
    spec: {
      schedulerName: 'berth-scheduler',
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'app', resources: { requests, limits: requests } }],
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    },
  }
}

/** Returns a pod that requests one extended resource or none, and may be kept from some nodes. */
function randomPod(name: string, random: Random): Pod {
  const resource = pickOne(random, [DONGLE, DONGLE, SEAT, LICENCE, LICENCE, DEVICE, DEVICE, 'cpu'])
  const pod = podOf(name, { [resource]: resource === 'cpu' ? '1500m' : String(random() < 0.7 ? 1 : 2) })
  const runsFor = random() < 0.2 ? { [RUN_SECONDS]: String(5 + Math.floor(random() * 60)) } : undefined
  const { tolerations, ...spec } = pod.spec
  return {
    metadata: { ...pod.metadata, ...(runsFor !== undefined && { annotations: runsFor }) },
    spec: {
      ...spec,
      ...(random() < 0.2 && { nodeSelector: { zone: pickOne(random, ['a', 'b']) } }),
      ...(random() < 0.6 && tolerations !== undefined && { tolerations }),
    },
  }
}
