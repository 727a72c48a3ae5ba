import { randomUUID } from 'node:crypto'
import { eventually, UnmetExpectationError } from '@berth/testing'
import { resourceRefs, type ApiClient, type Cluster } from '@berth/k8s-client'
import type { KubernetesObject, Node, Pod } from '@berth/types'
import { connectWithKubeconfig } from './connect-with-kubeconfig.ts'
import { unitsOf } from './observe-units.ts'
import { runOrThrow } from './run-command.ts'
import { testEnvironment } from './test-environment.ts'
import { listWorkers } from './workers.ts'

/** A core event of a pod, with the fields that checks read. */
export interface PodEvent {
  /** Name of the pod. */
  readonly pod: string
  readonly reason: string
  readonly note: string
  /** The program that reported it. */
  readonly reporter: string
}

/** The cluster under test, as a check uses it. Everything that a check creates through it is removed at the end of the check. */
export interface TestCluster {
  readonly client: ApiClient
  /** Nodes that are not control planes, sorted. */
  readonly workers: readonly string[]
  /** Returns a name that no other check uses. */
  readonly uniqueName: (stem: string) => string
  kubectl(...args: readonly string[]): Promise<string>
  node(name: string): Promise<Node>
  /** Returns the units of a resource as `capacity/allocatable`, with `-` for a value that the node lacks. */
  units(node: string, resource: string): Promise<string>
  /** Waits until {@link TestCluster.units} returns `units`. */
  untilUnits(node: string, resource: string, units: string): Promise<true>
  /** Sets capacity and allocatable of a node with a merge patch. Reverted at the end. */
  advertise(node: string, resource: string, units: string): Promise<void>
  createPod(pod: Pod): Promise<void>
  deletePod(name: string): Promise<void>
  untilRunning(name: string): Promise<Pod>
  /** Returns the events of the namespace `default`. */
  events(): Promise<readonly PodEvent[]>
  /** Waits for a pod's event with this reason and a matching note. */
  untilEvent(pod: string, reason: string, note?: RegExp): Promise<PodEvent>
  /** Polls `look`. @throws UnmetExpectationError after the check's deadline. `what` completes "timed out waiting for …". */
  until<T>(what: string, look: () => Promise<T | undefined>): Promise<T>
  /** Registers a step to run at the end, in reverse order, after the check's pods are gone. */
  addCleanup(undo: () => Promise<void>): void
}

/** The result of a check. */
export type CheckResult = { readonly holds: true } | { readonly holds: false; readonly why: string }

/** Checks one behaviour of Berth on a real cluster. Throws UnmetExpectationError when the behaviour differs. */
export type CheckFunction = (testCluster: TestCluster) => Promise<void>

/** Fails the check unless `holds`. */
export function expectThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw new UnmetExpectationError(what)
}

/**
 * Runs a check once. `waitMs` limits each single wait, and is short for a check that must fail.
 *
 * @throws Any error other than a failed expectation: an API server that does not respond says nothing about Berth.
 */
export async function runCheck(check: CheckFunction, { waitMs }: { readonly waitMs: number }): Promise<CheckResult> {
  await using cluster = connectToTestCluster()
  const undo: Cleanup = { pods: [], steps: [] }
  try {
    await check(await openTestCluster(cluster.client, waitMs, undo))
    return { holds: true }
  } catch (error) {
    if (!(error instanceof UnmetExpectationError)) throw error
    return { holds: false, why: error.message }
  } finally {
    await Promise.all(undo.pods.map((name) => deletePod(cluster.client, name)))
    for (const step of undo.steps.toReversed()) await step()
  }
}

/** Connects to the cluster under test. */
export const connectToTestCluster = (): Cluster => connectWithKubeconfig(testEnvironment().kubeconfig)

/** Returns the name of the first worker, for scenarios that prepare a node before the checks run. */
export async function firstWorker(): Promise<string> {
  await using cluster = connectToTestCluster()
  const [first = ''] = await listWorkers(cluster.client)
  return first
}

/** Cleanup at the end of a check: pods are deleted first and together, then the steps run one by one. */
interface Cleanup {
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

async function openTestCluster(client: ApiClient, waitMs: number, undo: Cleanup): Promise<TestCluster> {
  const { kubeconfig } = testEnvironment()
  const suffix = randomUUID().slice(0, 6)
  const until: TestCluster['until'] = async (what, look) => {
    try {
      return await eventually(look, { what, timeoutMs: waitMs, intervalMs: 150, signal: new AbortController().signal })
    } catch (error) {
      const { cause } = error as Error
      // The last request failed, which says nothing about Berth.
      if (cause !== undefined && !(cause instanceof UnmetExpectationError)) {
        throw new Error((error as Error).message, { cause: error })
      }
      throw error
    }
  }
  const pod = (name: string): Promise<Pod | undefined> =>
    client.find<Pod>(resourceRefs.pods, { namespace: 'default', name })
  const setUnits = async (node: string, resource: string, units: string | null): Promise<Node> => {
    const status = { capacity: { [resource]: units }, allocatable: { [resource]: units } }
    await client.patchNodeStatus(node, { status }, { fieldManager: 'berth-e2e' })
    return client.get<Node>(resourceRefs.nodes, { name: node })
  }
  const testCluster: TestCluster = {
    client,
    workers: await listWorkers(client),
    uniqueName: (stem) => `${stem}-${suffix}`,
    kubectl: (...args) => runOrThrow('kubectl', ['--kubeconfig', kubeconfig, ...args]),
    node: (name) => client.get<Node>(resourceRefs.nodes, { name }),
    async units(node, resource) {
      return unitsOf(await testCluster.node(node), resource)
    },
    untilUnits: (node, resource, units) =>
      until(`${units} units of ${resource} on ${node}`, async () =>
        (await testCluster.units(node, resource)) === units ? true : undefined,
      ),
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
        const { phase, reason, message, conditions = [] } = read?.status ?? {}
        if (phase === 'Running') return read
        const unmet = conditions
          .filter(({ status }) => status !== 'True')
          .map((each) => `${each.type}: ${each.message}`)
        throw new UnmetExpectationError(`${phase} ${reason ?? ''} ${message ?? ''} ${unmet.join('; ')}`)
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
        (await testCluster.events()).find(
          (each) => each.pod === name && each.reason === reason && note.test(each.note),
        ),
      ),
    until,
    addCleanup: (step) => void undo.steps.push(step),
  }
  return testCluster
}

interface CoreEvent extends KubernetesObject {
  readonly involvedObject?: { readonly name?: string }
  readonly reason?: string
  readonly message?: string
  readonly reportingComponent?: string
  readonly source?: { readonly component?: string }
}

/** An image that every node of the cluster has. Its container runs until it is stopped. */
export const PAUSE_IMAGE = 'registry.k8s.io/pause:3.10.2'

/** Returns a pod of the image under test that prints a JavaScript expression and then runs until it is stopped. */
export function printingPod(name: string, units: Readonly<Record<string, string>>, expression: string): Pod {
  const command = ['node', '--eval', `console.log(${expression}); setInterval(() => {}, 1e6)`]
  const container = {
    name: 'main',
    image: testEnvironment().image,
    command,
    resources: { requests: units, limits: units },
  }
  return pausePod(name, {}, { containers: [container] })
}

/** Returns a pod with one container that requests only `units` of extended resources. */
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
