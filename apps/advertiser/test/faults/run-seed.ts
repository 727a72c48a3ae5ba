import { seededRandom } from '@berth/clock/testing'
import { resourceRefs } from '@berth/k8s-client'
import type { ApiRequest, ApiResponse } from '@berth/types'
import { jsonAnswer, refused } from '../api-answers.ts'
import { testCluster } from '../test-cluster.ts'
import { declareAsObjects, declareInFile } from './declare.ts'
import {
  addFittingPod,
  endPod,
  heldUnits,
  nodeNames,
  pick,
  randomDeclarations,
  recreateNode,
  resourceNames,
  writeAmounts,
  type RandomCluster,
} from './random-cluster.ts'

const STEPS = 25
/** Longer than the longest delay of a retry and of a repeated write, milliseconds. */
const CONVERGENCE_MS = 180_000
const REST_MS = 600_000
const OWNED = 'berth.dev/advertised'

/** A defect that the run must find. */
export type PlantedBug = 'drops-withdrawals' | 'hides-pods' | 'writes-at-rest' | 'keeps-finalizers'

/**
 * The steps of a run, by name. A step returns whether it did something. A name that Berth does not own on the node is
 * left alone, because it would be foreign.
 */
const steps: Readonly<Record<string, (state: RandomCluster, step: number) => Promise<boolean>>> = {
  'kubelet resets a name to 0': (state) => overwrite(state, 'kubelet', '0'),
  'rival sets a name': (state) => overwrite(state, 'rival', String(7 + Math.floor(state.random() * 9))),
  'rival removes a name': (state) => overwrite(state, 'rival', null),
  'rival changes allocatable': (state) => overwrite(state, 'rival', '1', false),
  'node is created again': async (state) => {
    await recreateNode(state, pick(state.random, nodeNames))
    return true
  },
  'older version removes the owner': async ({ cluster, random }) => {
    const metadata = { annotations: { 'berth.dev/advertised-by': null } }
    const name = pick(random, nodeNames)
    const had = (await cluster.node(name)).metadata.annotations?.['berth.dev/advertised-by'] !== undefined
    await cluster.admin.patch(resourceRefs.nodes, { name }, { metadata }, { type: 'merge' })
    return had
  },
  'configuration changes': async (state) => {
    state.declared = randomDeclarations(state.random)
    await state.declaring.replace(state.advertiser, state.declared)
    return true
  },
  'pod starts': (state, step) => addFittingPod(state, `pod-${step}`),
  'pod ends': async ({ cluster, pods }) => {
    const [first] = pods.keys()
    if (first !== undefined) await endPod(cluster, pods, first)
    return first !== undefined
  },
  'advertiser restarts': async (state) => {
    // It cannot list the nodes while the API server is away.
    state.restoreServer()
    await state.advertiser[Symbol.asyncDispose]()
    state.advertiser = await state.declaring.start(state.declared)
    return true
  },
  'API server is away for a while': async ({ cluster, random }) => {
    let isAway = true
    cluster.intercept(() => (isAway ? refused(503, 'ServiceUnavailable') : undefined))
    cluster.clock.setTimer(random() * 600_000, () => {
      isAway = false
    })
    return true
  },
}

/** Names of the steps, for a check that each happened. */
export const stepNames: readonly string[] = Object.keys(steps)

/** Options of {@link runSeed}. */
export interface RunSeedOptions {
  /** Default: none. */
  readonly bug?: PlantedBug
  /** Declares resources as objects. Default: in the file. */
  readonly asObjects?: boolean
}

/**
 * Runs the advertiser against random faults in virtual time.
 *
 * @param counts - Counts the steps that did something, by name.
 * @returns Descriptions of what is wrong: after the last fault, the nodes must converge to what is declared or held,
 * nothing may be written at rest, and without declarations and pods each node must be as before.
 */
export async function runSeed(
  seed: number,
  counts: Map<string, number>,
  { bug, asObjects = false }: RunSeedOptions = {},
): Promise<readonly string[]> {
  const random = seededRandom(seed)
  await using cluster = await testCluster()
  for (const node of nodeNames) await cluster.addNode(node)
  const before = JSON.stringify(await Promise.all(nodeNames.map(async (node) => observable(cluster, node))))
  const declared = randomDeclarations(random)
  const declaring = asObjects ? await declareAsObjects(cluster) : declareInFile(cluster)
  const advertiser = await declaring.start(declared)
  const restoreServer = (): void => cluster.intercept((request) => plantedAnswer(request, bug))
  const state: RandomCluster = { cluster, random, declaring, advertiser, declared, pods: new Map(), restoreServer }
  restoreServer()
  for (let step = 0; step < STEPS; step++) {
    const name = pick(random, stepNames as [string, ...string[]])
    const hasHappened = await steps[name]?.(state, step)
    if (hasHappened === true) counts.set(name, (counts.get(name) ?? 0) + 1)
    await cluster.clock.advance(random() < 0.5 ? 0 : random() * 30_000)
  }
  restoreServer()
  await cluster.clock.advance(CONVERGENCE_MS)
  const faults = [...(await amountFaults(state))]

  cluster.requests.length = 0
  if (bug === 'writes-at-rest') void cluster.client.patchNodeStatus('node-0', {}, { fieldManager: 'bug' })
  await cluster.clock.advance(REST_MS)
  const writes = cluster.requests.filter(({ method }) => method !== 'GET')
  if (writes.length > 0) faults.push(`I5: ${writes.length} writes at rest, the first: ${writes[0]?.path}`)

  state.declared = new Map()
  await declaring.replace(state.advertiser, state.declared)
  await cluster.clock.advance(CONVERGENCE_MS)
  faults.push(...(await amountFaults(state)))
  for (const name of state.pods.keys()) await endPod(cluster, state.pods, name)
  await cluster.clock.advance(CONVERGENCE_MS)
  const after = JSON.stringify(await Promise.all(nodeNames.map(async (node) => observable(cluster, node))))
  if (after !== before) faults.push(`I4: the nodes were ${before} and are ${after}`)
  const remaining = await declaring.remaining()
  if (remaining.length > 0) faults.push(`I4: deleted objects remain: ${remaining.join(', ')}`)
  return faults
}

/** Compares the nodes with what is declared and what pods hold. */
async function amountFaults(state: RandomCluster): Promise<readonly string[]> {
  const faults: string[] = []
  for (const node of nodeNames) {
    const { status } = await state.cluster.node(node)
    for (const resource of resourceNames) {
      const units = Math.max(state.declared.get(`${node} ${resource}`) ?? 0, heldUnits(state, node, resource))
      const expected = units === 0 ? undefined : String(units)
      const found = [status?.capacity?.[resource], status?.allocatable?.[resource]]
      if (found.some((amount) => amount !== expected)) {
        faults.push(`${resource} on ${node} must be ${expected} and is ${found.join('/')}`)
      }
    }
  }
  return faults
}

async function overwrite(state: RandomCluster, manager: string, value: string | null, both = true): Promise<boolean> {
  const node = pick(state.random, nodeNames)
  const resource = pick(state.random, resourceNames)
  const { metadata } = await state.cluster.node(node)
  if (!(metadata.annotations?.[OWNED] ?? '').includes(`"${resource}"`)) return false
  const list = { [resource]: value }
  await writeAmounts(state, node, { manager, allocatable: list, ...(both && { capacity: list }) })
  return true
}

async function observable(cluster: RandomCluster['cluster'], node: string): Promise<unknown> {
  const { metadata, status } = await cluster.node(node)
  return [metadata.annotations ?? {}, status?.capacity, status?.allocatable]
}

function plantedAnswer({ method, path, body }: ApiRequest, bug: PlantedBug | undefined): ApiResponse | undefined {
  const isWithdrawal = method === 'PATCH' && String(body).includes(':null')
  if (bug === 'drops-withdrawals' && isWithdrawal) return jsonAnswer(200, { metadata: {} })
  if (bug === 'hides-pods' && path.startsWith('/api/v1/pods')) return jsonAnswer(200, { metadata: {}, items: [] })
  const isRelease =
    method === 'PATCH' && path.includes('/extendedresources/') && String(body).includes('"finalizers":[]')
  if (bug === 'keeps-finalizers' && isRelease) return jsonAnswer(200, { metadata: {} })
  return undefined
}
