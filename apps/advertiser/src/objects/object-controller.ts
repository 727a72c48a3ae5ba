import { backoffMs, jitter } from '@berth/clock'
import { isApiStatus, type ApiClient, type Reflector } from '@berth/k8s-client'
import type { Clock, ExtendedResource, Logger, Node, Random } from '@berth/types'
import type { Setup } from '../config/setup.ts'
import type { AdvertiserMetrics } from '../report/advertiser-metrics.ts'
import { createNodeQueue } from '../write/node-queue.ts'
import type { NodeResults } from '../write/node-results.ts'
import { claimObject, releaseObject, writeStatus, type WriteObjectOptions } from './write/write-object.ts'
import type { DeclaredObjects } from './read/declared-objects.ts'
import { hasFinalizer, isClaimed, type ReadObject } from './read/read-object.ts'
import { createNodeBoard } from './status/node-board.ts'
import { nodeOutcomes, type NodeView } from './status/node-outcomes.ts'
import { objectStatus, type ObjectFacts } from './status/object-status.ts'

/** Maximum number of objects that are written at the same time. */
const CONCURRENCY = 4
/** Results of nodes within this time cause one write of an object's status. */
const STATUS_DELAY_MS = 1_000
/** A status is written after this time even if some nodes have not been reconciled yet. */
const MAX_STATUS_DELAY_MS = 10_000
/** Interval at which every status is compared again, for example after a node got another label. */
const RESYNC_MS = 60_000
const RETRY_LIMITS = { initialMs: 1_000, maxMs: 60_000 }

/** Claims objects, writes their status, and releases deleted ones once their resource is withdrawn. */
export interface ObjectController extends AsyncDisposable {
  /** Receives what becomes of the nodes. */
  readonly results: NodeResults
  /** Sets the objects, and the setup that the nodes are reconciled with from now on. */
  update(objects: DeclaredObjects, setup: Setup): void
  /** Resolves when no object is due or being written. */
  settled(): Promise<void>
}

/** State that earlier reconciliations of an object leave for the next one. */
interface ObjectHistory {
  /** Number of failed writes since the last success. */
  failures: number
  /** The logged reason why it declares nothing. */
  reported?: string | undefined
  /** When its status began to wait for nodes, monotonic. */
  waitingSinceMs?: number | undefined
  /** The refusal that was written to it while it belonged to no installation. */
  refusal?: string | undefined
}

/** Starts to write objects. */
export function startObjectController(options: {
  readonly client: ApiClient
  readonly objects: Pick<Reflector<ExtendedResource>, 'store'>
  readonly nodes: Pick<Reflector<Node>, 'store'>
  readonly declared: DeclaredObjects
  readonly setup: Setup
  readonly mayWrite: () => boolean
  readonly metrics: AdvertiserMetrics
  readonly log: Logger
  readonly clock: Clock
  readonly random: Random
}): ObjectController {
  const { client, objects, nodes, mayWrite, metrics, log, clock, random } = options
  const stop = new AbortController()
  const histories = new Map<string, ObjectHistory>()
  let { declared, setup } = options
  /** The objects of the last update. */
  let known = new Map(objects.store)

  const queue = createNodeQueue({ work: reconcile, concurrency: CONCURRENCY, clock })
  const board = createNodeBoard((resourceNames) => {
    for (const [name, object] of objects.store) {
      const resourceName = object.spec?.resourceName ?? ''
      if (resourceNames === 'all' || resourceNames.has(resourceName)) queue.add(name, STATUS_DELAY_MS)
    }
  })

  async function reconcile(name: string): Promise<void> {
    const object = objects.store.get(name)
    const read = declared.read.get(name)
    if (object === undefined || read === undefined) {
      histories.delete(name)
      return
    }
    const history = histories.get(name) ?? { failures: 0 }
    histories.set(name, history)
    report(name, read, history)
    if (read.kind === 'foreign' || stop.signal.aborted) return
    try {
      await write(object, read, history)
      history.failures = 0
    } catch (err) {
      if (stop.signal.aborted) return
      // The object changed. Its new version is on its way, and is read again.
      if (isApiStatus(err, 409)) return queue.add(name, STATUS_DELAY_MS)
      const attempt = ++history.failures
      metrics.objectFailed()
      const delayMs = jitter(backoffMs(attempt, RETRY_LIMITS), 0.25, random)
      log.warn({ object: name, err, attempt, delayMs }, 'Could not write an ExtendedResource')
      queue.add(name, delayMs)
    }
  }

  async function write(object: ExtendedResource, read: ObjectFacts['read'], history: ObjectHistory): Promise<void> {
    const { owner } = setup.desired
    const target: WriteObjectOptions = { client, owner, nowMs: clock.now(), mayWrite, signal: stop.signal }
    if (read.kind === 'declares' && !isClaimed(object, owner)) return await claimObject(object, target)
    // Also without the name of an installation, because no other one would remove the finalizer.
    if (read.kind === 'deleted' && !hasFinalizer(object)) return
    // Another installation may refuse the object for another reason. Each writes its own once, or they would undo each
    // other's status without end.
    const refusal = read.kind === 'refused' && !isClaimed(object, owner) ? refusalKey(object, read) : undefined
    if (refusal !== undefined && history.refusal === refusal) return
    const facts = factsOf(object, read)
    if (read.kind === 'deleted' && facts.remaining.length === 0) return await releaseObject(object, target)
    if (mustWait(facts, history)) return queue.add(object.metadata.name ?? '', STATUS_DELAY_MS)
    history.waitingSinceMs = undefined
    await writeStatus(object, objectStatus(object, facts, clock.now()), target)
    history.refusal = refusal
  }

  function factsOf(object: ExtendedResource, read: ObjectFacts['read']): ObjectFacts {
    if (read.kind === 'refused' && !isClaimed(object, setup.desired.owner)) {
      return { read, selected: [], remaining: [], missing: [] }
    }
    const declaration = read.kind === 'declares' ? read.declaration : undefined
    const view: NodeView = { nodes: nodes.store.values(), resultOf: (name) => board.get(name), setup }
    const { selected, remaining } = nodeOutcomes(object.spec?.resourceName ?? '', declaration, view)
    if (declaration === undefined) return { read, selected, remaining, missing: [] }
    const named = declaration.nodes.kind === 'names' ? [...declaration.nodes.names] : []
    return {
      read,
      selected,
      remaining: remaining.filter(({ kind }) => kind !== 'unrecorded'),
      missing: named.filter((name) => !nodes.store.has(name)),
    }
  }

  /** Returns whether the status must wait for nodes, so that a restart does not report them as not advertised. */
  function mustWait({ selected, remaining }: ObjectFacts, history: ObjectHistory): boolean {
    if (![...selected, ...remaining].some(({ kind }) => kind === 'unrecorded')) return false
    const nowMs = clock.monotonic()
    history.waitingSinceMs ??= nowMs
    return nowMs - history.waitingSinceMs < MAX_STATUS_DELAY_MS
  }

  /** Logs once why an object declares nothing. */
  function report(name: string, read: ReadObject, history: ObjectHistory): void {
    const text = read.kind === 'refused' ? read.message : read.kind === 'foreign' ? read.owner : undefined
    if (history.reported === text) return
    history.reported = text
    if (read.kind === 'refused') log.warn({ object: name, reason: text }, 'Skipped an ExtendedResource')
    if (read.kind === 'foreign') {
      log.info({ object: name, owner: text }, 'Skipped an ExtendedResource that belongs to another installation')
    }
  }

  function enqueueAll(): void {
    for (const name of objects.store.keys()) queue.add(name)
  }

  let timer = clock.setTimer(RESYNC_MS, resync)
  function resync(): void {
    enqueueAll()
    timer = clock.setTimer(RESYNC_MS, resync)
  }

  metrics.objects(statesOf(declared))
  enqueueAll()
  return {
    results: board,
    update(next, nextSetup) {
      const before = { read: declared.read, setup, known }
      declared = next
      setup = nextSetup
      known = new Map(objects.store)
      metrics.objects(statesOf(next))
      for (const name of new Set([...before.read.keys(), ...next.read.keys()])) {
        const isSame = before.known.get(name) === known.get(name) && before.read.get(name) === next.read.get(name)
        // Each object is compared with all nodes, so that the status of one must not cause a comparison of the others.
        if (!isSame || before.setup !== setup) queue.add(name)
      }
    },
    settled: () => queue.settled(),
    async [Symbol.asyncDispose]() {
      stop.abort()
      timer.cancel()
      await queue.close()
    },
  }
}

function refusalKey({ metadata }: ExtendedResource, { reason, message }: ReadObject & { kind: 'refused' }): string {
  return JSON.stringify([metadata.uid, metadata.generation, reason, message])
}

function statesOf({ read }: DeclaredObjects): readonly string[] {
  return [...read.values()].map((each) => (each.kind === 'refused' ? each.reason.toLowerCase() : each.kind))
}
