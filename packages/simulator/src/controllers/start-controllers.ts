import type { ApiServer } from '../api-server.ts'
import { createControllerClient } from './controller-client.ts'
import type { Controller } from './controller.ts'
import { deploymentController } from './deployments.ts'
import { disruptionController } from './disruption-budgets.ts'
import { garbageCollector } from './garbage-collector.ts'
import { namespaceController } from './namespaces.ts'
import { createOwnerIndex } from './owner-index.ts'
import { replicaSetController } from './replica-sets.ts'
import { createWorkQueue } from './work-queue.ts'

/**
 * Starts the controllers of the simulated cluster: Deployments, ReplicaSets, disruption budgets, namespaces and garbage
 * collection. They write as `kube-controller-manager`.
 */
export function startControllers({ context }: ApiServer): AsyncDisposable {
  const storages = [...new Set(context.kinds.all().map((kind) => kind.storage))]
  const owners = createOwnerIndex(context.store, storages)
  const parts = { context, owners, client: createControllerClient(context, 'kube-controller-manager') }
  const controllers: readonly Controller[] = [
    namespaceController(parts),
    garbageCollector(parts),
    deploymentController(parts),
    replicaSetController(parts),
    disruptionController(parts),
  ]
  const loops = controllers.map((controller) => ({
    controller,
    queue: createWorkQueue((key) => controller.reconcile(key), context.log),
  }))
  const unsubscribe = context.store.subscribe((storage, change) => {
    for (const { controller, queue } of loops) for (const key of controller.interest(storage, change)) queue.add(key)
  })
  // What is there already is news to controllers that have just started.
  for (const storage of storages) {
    for (const object of context.store.collection(storage).list()) {
      const { namespace, name = '' } = object.metadata
      const key = namespace === undefined ? name : `${namespace}/${name}`
      for (const { controller, queue } of loops) {
        for (const each of controller.interest(storage, { revision: 0, type: 'ADDED', key, object })) queue.add(each)
      }
    }
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
