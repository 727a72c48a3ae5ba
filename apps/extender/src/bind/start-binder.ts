import type { ClusterView } from '@berth/cluster-view'
import { type Cluster, leaseIdentity, startLeaderElection } from '@berth/k8s-client'
import { splitNamespacedName, type Clock, type Logger, type Random } from '@berth/types'
import type { Config } from '../config.ts'
import type { BindHooks } from '../effects/effect-hooks.ts'
import type { Evaluator } from '../evaluator.ts'
import { type Binder, createBinder } from './binder.ts'
import { createLeadership } from './leadership.ts'

/** Options of {@link startBinder}. */
export interface StartBinderOptions {
  readonly config: Pick<Config, 'bindLease' | 'bindTimeoutMs'>
  readonly cluster: Pick<Cluster, 'client'>
  readonly view: ClusterView
  readonly evaluator: Pick<Evaluator, 'misfit' | 'annotate'>
  readonly hooks: BindHooks
  /** Default: host name and a random part. */
  readonly identity?: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** Without bind calls for this long, another replica may be the one that kube-scheduler calls. */
const IDLE_MS = 60_000

/** Creates a binder that competes for the Lease while it is called. Disposing it releases the Lease. */
export function startBinder(options: StartBinderOptions): Binder {
  const { config, cluster, view, evaluator, hooks, clock, random, log } = options
  const { namespace, name } = splitNamespacedName(config.bindLease)
  const identity = options.identity ?? leaseIdentity()
  const { client } = cluster
  const leadership = createLeadership({
    joinElection: () => startLeaderElection({ client, namespace, name, identity, clock, random, log }),
    catchUp: (signal) => view.catchUp({ signal }),
    drain: () => binder.idle(),
    idleMs: IDLE_MS,
    clock,
    log,
  })
  const binder = createBinder({
    view,
    client,
    misfit: evaluator.misfit,
    annotate: evaluator.annotate,
    hooks,
    leadership,
    timeoutMs: config.bindTimeoutMs,
    clock,
    log,
  })
  return {
    ...binder,
    async [Symbol.asyncDispose]() {
      await binder[Symbol.asyncDispose]()
      await leadership[Symbol.asyncDispose]()
    },
  }
}
