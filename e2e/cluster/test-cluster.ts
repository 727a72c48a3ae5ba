import { randomUUID } from 'node:crypto'
import { eventually, UnmetExpectationError } from '@berth/testing'
import { resourceRefs, type ApiClient, type Cluster } from '@berth/k8s-client'
import type { KubernetesObject, Node, Pod } from '@berth/types'
import { connectTo } from './connect-with-kubeconfig.ts'
import { must } from './run-command.ts'
import { sessionUnderTest } from './test-environment.ts'
import { workersOf } from './workers.ts'

/** An event of the core API, as far as scenarios read it. */
export interface SeenEvent {
  /** Name of the pod that it is about. */
  readonly pod: string
  readonly reason: string
  readonly note: string
  /** The program that reported it. */
  readonly reporter: string
}

/** What a scenario may do with the cluster. What it makes through the scene is taken away at its end. */
export interface Scene {
  readonly client: ApiClient
  /** Nodes that are not control planes, sorted. */
  readonly workers: readonly string[]
  /** A name that no other scene uses. */
  readonly name: (stem: string) => string
  kubectl(...args: readonly string[]): Promise<string>
  node(name: string): Promise<Node>
  /** Units of a resource, `capacity/allocatable`, `-` where the node does not name it. */
  units(node: string, resource: string): Promise<string>
  /** Sets capacity and allocatable of a node by merge patch; null takes the name away. Undone at the end. */
  advertise(node: string, resource: string, units: string): Promise<void>
  createPod(pod: Pod): Promise<void>
  deletePod(name: string): Promise<void>
  untilRunning(name: string): Promise<Pod>
  /** Events of the namespace `default`. */
  events(): Promise<readonly SeenEvent[]>
  /** The first event of a pod with that reason, and a note that matches. */
  untilEvent(pod: string, reason: string, note?: RegExp): Promise<SeenEvent>
  /** @throws UnmetExpectationError after the scene's deadline; `what` ends the sentence "timed out waiting for …". */
  until<T>(what: string, look: () => Promise<T | undefined>): Promise<T>
  /** Run at the end, last first, once the scene's pods are gone. */
  atEnd(undo: () => Promise<void>): void
}

/** How a scenario ended. */
export type Outcome = { readonly holds: true } | { readonly holds: false; readonly why: string }

/** A promise of Berth on a real cluster: it resolves when the promise was kept and throws UnmetExpectationError when not. */
export type Scenario = (scene: Scene) => Promise<void>

/** Fails the scenario unless `holds`. */
export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new UnmetExpectationError(what)
}

/**
 * Plays a scenario once. `waitMs` is the longest wait for each single thing: short where it is to fail.
 *
 * @throws What is not a broken promise: an API server that does not answer says nothing about Berth.
 */
export async function play(scenario: Scenario, { waitMs }: { readonly waitMs: number }): Promise<Outcome> {
  await using cluster = connectToSession()
  const undo: Undo = { pods: [], steps: [] }
  try {
    await scenario(await openScene(cluster.client, waitMs, undo))
    return { holds: true }
  } catch (error) {
    if (!(error instanceof UnmetExpectationError)) throw error
    return { holds: false, why: error.message }
  } finally {
    await Promise.all(undo.pods.map((name) => deletePod(cluster.client, name)))
    for (const step of undo.steps.toReversed()) await step()
  }
}

/** A client of the cluster under test. */
export const connectToSession = (): Cluster => connectTo(sessionUnderTest().kubeconfig)

/** What a scene leaves to be done at its end: pods go first and together, the rest after them and one by one. */
interface Undo {
  readonly pods: string[]
  readonly steps: (() => Promise<void>)[]
}

/** Deletes a pod and waits until it is gone. */
async function deletePod(client: ApiClient, name: string): Promise<void> {
  const target = { namespace: 'default', name }
  await client.delete(resourceRefs.pods, target, { gracePeriodSeconds: 1 })
  const isGone = async (): Promise<true | undefined> =>
    (await client.find<Pod>(resourceRefs.pods, target)) === undefined ? true : undefined
  const signal = new AbortController().signal
  await eventually(isGone, { what: `${name} to go`, timeoutMs: 180_000, intervalMs: 150, signal })
}

async function openScene(client: ApiClient, waitMs: number, undo: Undo): Promise<Scene> {
  const { kubeconfig } = sessionUnderTest()
  const suffix = randomUUID().slice(0, 6)
  const until: Scene['until'] = async (what, look) => {
    try {
      return await eventually(look, { what, timeoutMs: waitMs, intervalMs: 150, signal: new AbortController().signal })
    } catch (error) {
      // The last look was not answered: that is no word about Berth.
      if (error instanceof UnmetExpectationError && error.cause !== undefined)
        throw new Error(error.message, { cause: error })
      throw error
    }
  }
  const pod = (name: string): Promise<Pod | undefined> =>
    client.find<Pod>(resourceRefs.pods, { namespace: 'default', name })
  const setUnits = (node: string, resource: string, units: string | null): Promise<Node> => {
    const status = { capacity: { [resource]: units }, allocatable: { [resource]: units } }
    return client.patchNodeStatus(node, { status }, { fieldManager: 'berth-e2e' })
  }
  const scene: Scene = {
    client,
    workers: await workersOf(client),
    name: (stem) => `${stem}-${suffix}`,
    kubectl: (...args) => must('kubectl', ['--kubeconfig', kubeconfig, ...args]),
    node: (name) => client.get<Node>(resourceRefs.nodes, { name }),
    async units(node, resource) {
      const { capacity, allocatable } = (await scene.node(node)).status ?? {}
      return `${capacity?.[resource] ?? '-'}/${allocatable?.[resource] ?? '-'}`
    },
    async advertise(node, resource, units) {
      undo.steps.push(async () => void (await setUnits(node, resource, null)))
      await setUnits(node, resource, units)
    },
    async createPod(created) {
      const { name = '' } = created.metadata
      undo.pods.push(name)
      await client.create(resourceRefs.pods, { ...created, metadata: { ...created.metadata, namespace: 'default' } })
    },
    deletePod: (name) => deletePod(client, name),
    untilRunning: (name) =>
      until(`${name} to run`, async () => {
        const read = await pod(name)
        return read?.status?.phase === 'Running' ? read : undefined
      }),
    async events() {
      const { items } = await client.list<CoreEvent>({ ...resourceRefs.events, group: '' }, { namespace: 'default' })
      return items.map(({ involvedObject, reason = '', message = '', reportingComponent, source }) => {
        const reporter = reportingComponent || source?.component || ''
        return { pod: involvedObject?.name ?? '', reason, note: message, reporter }
      })
    },
    untilEvent: (name, reason, note = /^/) =>
      until(`an event ${reason} of ${name} like ${note}`, async () =>
        (await scene.events()).find((each) => each.pod === name && each.reason === reason && note.test(each.note)),
      ),
    until,
    atEnd: (step) => void undo.steps.push(step),
  }
  return scene
}

interface CoreEvent extends KubernetesObject {
  readonly involvedObject?: { readonly name?: string }
  readonly reason?: string
  readonly message?: string
  readonly reportingComponent?: string
  readonly source?: { readonly component?: string }
}

/** An image that every node of the cluster has: it runs until it is stopped. */
export const PAUSE_IMAGE = 'registry.k8s.io/pause:3.10.2'

/** A pod of one container that asks for `units` of extended resources and for nothing else. */
export function pausePod(name: string, units: Readonly<Record<string, string>>, spec: Partial<Pod['spec']> = {}): Pod {
  return {
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image: PAUSE_IMAGE, resources: { requests: units, limits: units } }],
      ...spec,
    },
  }
}
