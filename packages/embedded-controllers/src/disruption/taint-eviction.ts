import { type ApiObject, equalJson, listAt, numberAt, own, stringAt, valueAt } from '@berth/embedded-api-server'
import type { Controller, ControllerDependencies } from '../loop/controller.ts'
import { markDisrupted } from './mark-disrupted.ts'
import { tolerates } from '../pods/node-fit.ts'

/**
 * Deletes pods from nodes with NoExecute taints that they do not tolerate, at once or after the shortest of their
 * `tolerationSeconds`.
 *
 * @see kubernetes/kubernetes pkg/controller/tainteviction/taint_eviction.go (v1.36)
 */
export function taintEvictionController(dependencies: ControllerDependencies): Controller {
  const { context, writer } = dependencies
  const nodes = context.store.collection('/nodes')
  const pods = context.store.collection('/pods')
  /** When each pod's node got its current taints, or the pod came to the node. */
  const taintedSinceMs = new Map<string, number>()
  return {
    name: 'taint-eviction',
    storages: ['/pods', '/nodes'],
    keysFor(storage, { key, type, object, previous }) {
      if (storage === '/pods') {
        const node = nodes.get(stringAt(object, 'spec', 'nodeName'))
        if (type === 'DELETED') taintedSinceMs.delete(key)
        return node === undefined || !isTainted(node) ? [] : [key]
      }
      const taintsChanged =
        storage === '/nodes' &&
        type !== 'DELETED' &&
        !equalJson(valueAt(object, 'spec', 'taints'), valueAt(previous, 'spec', 'taints')) &&
        (isTainted(object) || (previous !== undefined && isTainted(previous)))
      if (!taintsChanged) return []
      return pods
        .list()
        .filter((pod) => stringAt(pod, 'spec', 'nodeName') === key)
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    },
    reconcile(key, requeueAfter) {
      const pod = pods.get(key)
      const taints = listAt(nodes.get(stringAt(pod, 'spec', 'nodeName')), 'spec', 'taints').filter(isNoExecute)
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || taints.length === 0) {
        taintedSinceMs.delete(key)
        return
      }
      const now = context.clock.monotonic()
      const startMs = taintedSinceMs.get(key) ?? now
      taintedSinceMs.set(key, startMs)
      const leftMs = tolerationMs(pod, taints)
      if (leftMs === undefined) return
      const waitMs = startMs + leftMs - now
      if (waitMs > 0) {
        requeueAfter(waitMs)
        return
      }
      taintedSinceMs.delete(key)
      markDisrupted(dependencies, pod, {
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
      })
      const current = pods.get(key)
      if (current !== undefined) writer.remove('/pods', current)
    },
  }
}

const isNoExecute = (taint: unknown): boolean => own(taint, 'effect') === 'NoExecute'

function isTainted(node: ApiObject): boolean {
  return listAt(node, 'spec', 'taints').some(isNoExecute)
}

/** Returns for how many milliseconds the pod tolerates the taints; undefined means without limit. */
function tolerationMs(pod: ApiObject, taints: readonly unknown[]): number | undefined {
  const tolerations = listAt(pod, 'spec', 'tolerations')
  const used = taints.map((taint) => tolerations.filter((toleration) => tolerates(toleration, taint)))
  if (used.some((each) => each.length === 0)) return 0
  const seconds = used.flat().flatMap((toleration) => numberAt(toleration, 'tolerationSeconds') ?? [])
  return seconds.length === 0 ? undefined : Math.max(0, Math.min(...seconds)) * 1000
}
