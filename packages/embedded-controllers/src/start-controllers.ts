import { type ApiServer, type Change, createObjectWriter } from '@berth/embedded-api-server'
import type { Controller, ControllerParts } from './loop/controller.ts'
import { daemonSetController } from './workloads/daemon-sets.ts'
import { defaultScheduler } from './pods/default-scheduler.ts'
import { deploymentController } from './workloads/deployments.ts'
import { disruptionController } from './disruption/disruption-budgets.ts'
import { garbageCollector } from './cleanup/garbage-collector.ts'
import { jobController } from './jobs/jobs.ts'
import { namespaceController } from './cleanup/namespaces.ts'
import { nodeLifeCycleController } from './nodes/node-life-cycle.ts'
import { createOwnerIndex } from './loop/owner-index.ts'
import { podGarbageController } from './disruption/pod-garbage.ts'
import { replicaSetController } from './workloads/replica-sets.ts'
import { serviceController } from './services/services.ts'
import { statefulSetController } from './workloads/stateful-sets.ts'
import { taintEvictionController } from './disruption/taint-eviction.ts'
import { createWorkQueue } from './loop/work-queue.ts'

/** What the controllers of a cluster need besides the API server. */
export interface ControllersOptions {
  /** PEM of the authority that pods are to trust; default: none, as nothing is served. */
  readonly rootCa?: string
  /** Place pods of `default-scheduler` too, wherever there is room. Default: false, they stay Pending. */
  readonly schedulesPods?: boolean
}

/** The loops of kube-controller-manager that make what is written into the API come true. */
const CONTROLLERS: readonly ((parts: ControllerParts) => Controller)[] = [
  namespaceController,
  garbageCollector,
  deploymentController,
  replicaSetController,
  daemonSetController,
  statefulSetController,
  jobController,
  serviceController,
  disruptionController,
  nodeLifeCycleController,
  taintEvictionController,
  podGarbageController,
]

/** Starts the controllers of the simulated cluster. They write as `kube-controller-manager`. */
export function startControllers({ context }: ApiServer, options: ControllersOptions = {}): AsyncDisposable {
  const { rootCa = '', schedulesPods = false } = options
  const storages = [...new Set(context.kinds.all().map((kind) => kind.storage))]
  const owners = createOwnerIndex(context.store, storages)
  const parts: ControllerParts = {
    context,
    owners,
    client: createObjectWriter(context, 'kube-controller-manager'),
    rootCa,
  }
  const controllers = [...CONTROLLERS, ...(schedulesPods ? [defaultScheduler] : [])].map((create) => create(parts))
  const loops = controllers.map((controller) => ({
    controller,
    queue: createWorkQueue((key, again) => controller.reconcile(key, again), context),
  }))
  type Loop = (typeof loops)[number]
  const byStorage = new Map<string, readonly Loop[]>()
  const loopsOf = (storage: string): readonly Loop[] => {
    const known = byStorage.get(storage)
    if (known !== undefined) return known
    const interested = loops.filter(({ controller }) => controller.storages?.includes(storage) ?? true)
    byStorage.set(storage, interested)
    return interested
  }
  const tell = (storage: string, change: Change): void => {
    for (const { controller, queue } of loopsOf(storage))
      for (const key of controller.interest(storage, change)) queue.add(key)
  }
  const unsubscribe = context.store.subscribe(tell)
  // What is there already is news to controllers that have just started.
  for (const storage of storages) {
    for (const [key, object] of context.store.collection(storage).entries())
      tell(storage, { revision: 0, type: 'ADDED', key, object })
  }
  return {
    [Symbol.asyncDispose]() {
      unsubscribe()
      owners.close()
      for (const { queue } of loops) queue.close()
      return Promise.resolve()
    },
  }
}
