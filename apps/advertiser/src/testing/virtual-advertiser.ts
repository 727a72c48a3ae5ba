import { connectCluster, resourceRefs, whileLeading } from '@berth/k8s-client'
import { createPluginRegistry } from '@berth/plugin-api'
import { createMetrics } from '@berth/process/metrics'
import { untilAborted } from '@berth/process/shutdown'
import type { ApiHandler, Clock, Logger, Node, Random } from '@berth/types'
import { prepareDeclarations, prepareSetup, type SetupDependencies } from '../config/prepare-setup.ts'
import { createDeviceClasses } from '../device-classes/device-classes.ts'
import { leaseLostError } from '../errors.ts'
import { installationLease } from '../lease/installation-lease.ts'
import { joinElection } from '../lease/join-election.ts'
import { waitForRivals } from '../lease/wait-for-rivals.ts'
import { nodeFilter } from '../node-mode/node-filter.ts'
import { mirrorObjects } from '../objects/mirror-objects.ts'
import type { Declaration } from '../plan/declaration.ts'
import { createNodeTrimmer, skippedNodeFields } from '../plan/node-trimmer.ts'
import { createAdvertiserMetrics } from '../report/advertiser-metrics.ts'
import { createNodeReporter } from '../report/node-reporter.ts'
import { createHeldUnitsReader } from '../sources/held-units.ts'
import { startReconciling } from '../start-reconciling.ts'

/** An advertiser process in memory. */
export interface VirtualAdvertiser {
  /** Ends the process as SIGTERM does. */
  stop(): Promise<void>
}

/** Starts a process of the same parts as `main.ts`, which advertises what ExtendedResource objects declare. */
export function startVirtualAdvertiser(options: {
  readonly owner: string
  readonly handler: ApiHandler
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Called when the process ends by itself. */
  readonly onExit: (error: unknown) => void
}): VirtualAdvertiser {
  const { owner, handler, clock, random, log, onExit } = options
  const world = { clock, random, log }
  const metrics = createAdvertiserMetrics(createMetrics('advertiser', { withProcess: false }))
  const parts = new AsyncDisposableStack()
  const cluster = parts.use(connectCluster({ handler, ...world, encoding: 'protobuf', userAgent: 'berth-advertiser' }))
  const { client } = cluster
  const deviceClasses = createDeviceClasses({ client, log })
  const nodeTrimmer = createNodeTrimmer((name, signal) => client.find<Node>(resourceRefs.nodes, { name }, { signal }))
  const dependencies: SetupDependencies = {
    plugins: createPluginRegistry([]),
    metrics,
    ...world,
    readHeldUnits: createHeldUnitsReader(client),
    nodeTrimmer,
    deviceClassOf: deviceClasses.classOf,
  }
  const onlyNode = undefined
  const setup = prepareSetup({ resources: [], owner, clearStaleZeros: [], onlyNode }, dependencies)
  const prepare = (declarations: readonly Declaration[]) => prepareDeclarations(declarations, dependencies)
  const reporter = createNodeReporter({ log, metrics, recordEvent: (event) => cluster.events.record(event) })
  const election = parts.use(joinElection(installationLease(owner, onlyNode), { client, ...world }))
  const nodes = parts.use(
    cluster.reflect<Node>(resourceRefs.nodes, {
      ...nodeFilter(onlyNode),
      project: nodeTrimmer.trim,
      protobuf: { skips: skippedNodeFields },
      isLarge: true,
    }),
  )
  const mirrors = mirrorObjects(cluster, undefined)
  const work = async (signal: AbortSignal): Promise<void> => {
    await waitForRivals(owner, { client, clock, log, onlyNode, signal })
    await deviceClasses.refresh(signal)
    const reconciling = {
      client,
      nodes,
      setup,
      objects: { mirrors, prepare },
      deviceClasses,
      reporter,
      metrics,
      ...world,
      signal,
    }
    await using _running = await startReconciling({ ...reconciling, mayWrite: () => election.stillLeader() })
    await untilAborted(signal)
  }
  const stopping = new AbortController()
  const running = whileLeading(election, stopping.signal, { work, lostError: () => leaseLostError(owner) }).catch(
    (error: unknown) => {
      if (!stopping.signal.aborted) onExit(error)
    },
  )
  return {
    async stop() {
      stopping.abort(new Error('SIGTERM'))
      await running
      await parts.disposeAsync()
    },
  }
}
