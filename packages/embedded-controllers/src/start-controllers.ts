import { type ApiServer, type Change, createObjectWriter } from '@berth/embedded-api-server'
import type { Controller, ControllerDependencies } from './loop/controller.ts'
import { claimBinder } from './volumes/claim-binder.ts'
import { daemonSetController } from './workloads/daemon-sets.ts'
import { defaultScheduler } from './pods/default-scheduler.ts'
import { deploymentController } from './workloads/deployments.ts'
import { disruptionController } from './disruption/disruption-budgets.ts'
import { garbageCollector } from './cleanup/garbage-collector.ts'
import { jobController } from './jobs/jobs.ts'
import { namespaceController } from './cleanup/namespaces.ts'
import { nodeLifecycleController } from './nodes/node-lifecycle.ts'
import { createOwnerIndex } from './loop/owner-index.ts'
import { podGarbageCollector } from './disruption/pod-garbage-collector.ts'
import { replicaSetController } from './workloads/replica-sets.ts'
import { serviceController } from './services/services.ts'
import { statefulSetController } from './workloads/stateful-sets.ts'
import { taintEvictionController } from './disruption/taint-eviction.ts'
import { createWorkQueue } from './loop/work-queue.ts'

/** Options of {@link startControllers}. */
export interface ControllersOptions {
  /** PEM of the certificate authority that pods trust. Default: none, for a server without HTTPS. */
  readonly rootCa?: string
  /** Whether to bind pods of `default-scheduler` to nodes with room. Default: false; they stay Pending. */
  readonly schedulesPods?: boolean
}

/** The controllers of kube-controller-manager that this package implements. */
const CONTROLLERS: readonly ((dependencies: ControllerDependencies) => Controller)[] = [
  namespaceController,
  garbageCollector,
  deploymentController,
  replicaSetController,
  daemonSetController,
  statefulSetController,
  jobController,
  serviceController,
  disruptionController,
  nodeLifecycleController,
  taintEvictionController,
  podGarbageCollector,
  claimBinder,
]

/** Starts the controllers of an embedded cluster. They write as `kube-controller-manager`. */
export function startControllers({ context }: ApiServer, options: ControllersOptions = {}): AsyncDisposable {
  const { rootCa = '', schedulesPods = false } = options
  const storages = [...new Set(context.kinds.all().map((kind) => kind.storage))]
  const owners = createOwnerIndex(context.store, storages)
  const dependencies: ControllerDependencies = {
    context,
    owners,
    writer: createObjectWriter(context, 'kube-controller-manager'),
    rootCa,
  }
  const controllers = [...CONTROLLERS, ...(schedulesPods ? [defaultScheduler] : [])].map((create) =>
    create(dependencies),
  )
  const loops = controllers.map((controller) => ({
    controller,
    queue: createWorkQueue((key, requeueAfter) => controller.reconcile(key, requeueAfter), context),
  }))
  type Loop = (typeof loops)[number]
  const loopsByStorage = new Map<string, readonly Loop[]>()
  const loopsOf = (storage: string): readonly Loop[] => {
    const known = loopsByStorage.get(storage)
    if (known !== undefined) return known
    const interested = loops.filter(({ controller }) => controller.storages?.includes(storage) ?? true)
    loopsByStorage.set(storage, interested)
    return interested
  }
  const enqueue = (storage: string, change: Change): void => {
    for (const { controller, queue } of loopsOf(storage))
      for (const key of controller.keysFor(storage, change)) queue.add(key)
  }
  const unsubscribe = context.store.subscribe(enqueue)
  // Controllers that just started handle every existing object like a new one.
  for (const storage of storages) {
    for (const [key, object] of context.store.collection(storage).entries())
      enqueue(storage, { revision: 0, type: 'ADDED', key, object })
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
