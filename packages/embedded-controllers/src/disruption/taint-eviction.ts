import { type ApiObject, equalJson, listAt, numberAt, own, stringAt, valueAt } from '@berth/embedded-api-server'
import type { Controller, ControllerParts } from '../loop/controller.ts'
import { disruptPod } from './disrupt-pod.ts'
import { tolerates } from '../pods/node-fit.ts'

/**
 * Deletes pods from nodes with NoExecute taints that they do not tolerate, at once or when the shortest of their
 * tolerations has run out.
 *
 * @see kubernetes/kubernetes pkg/controller/tainteviction/taint_eviction.go (v1.36)
 */
export function taintEvictionController(parts: ControllerParts): Controller {
  const { context, client } = parts
  const nodes = context.store.collection('/nodes')
  const pods = context.store.collection('/pods')
  /** Since when each pod has been on a node with the taints of the moment. */
  const since = new Map<string, number>()
  return {
    name: 'taint-eviction',
    storages: ['/pods', '/nodes'],
    interest(storage, { key, type, object, previous }) {
      if (storage === '/pods') {
        const node = nodes.get(stringAt(object, 'spec', 'nodeName'))
        if (type === 'DELETED') since.delete(key)
        return node === undefined || !isTainted(node) ? [] : [key]
      }
      const isNews =
        storage === '/nodes' &&
        type !== 'DELETED' &&
        !equalJson(valueAt(object, 'spec', 'taints'), valueAt(previous, 'spec', 'taints')) &&
        (isTainted(object) || (previous !== undefined && isTainted(previous)))
      if (!isNews) return []
      return pods
        .list()
        .filter((pod) => stringAt(pod, 'spec', 'nodeName') === key)
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    },
    reconcile(key, again) {
      const pod = pods.get(key)
      const taints = listAt(nodes.get(stringAt(pod, 'spec', 'nodeName')), 'spec', 'taints').filter(isNoExecute)
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || taints.length === 0) {
        since.delete(key)
        return
      }
      const now = context.clock.monotonic()
      const startMs = since.get(key) ?? now
      since.set(key, startMs)
      const leftMs = toleratedMs(pod, taints)
      if (leftMs === undefined) return
      const waitMs = startMs + leftMs - now
      if (waitMs > 0) {
        again(waitMs)
        return
      }
      since.delete(key)
      disruptPod(parts, pod, {
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
      })
      const current = pods.get(key)
      if (current !== undefined) client.remove('/pods', current)
    },
  }
}

const isNoExecute = (taint: unknown): boolean => own(taint, 'effect') === 'NoExecute'

function isTainted(node: ApiObject): boolean {
  return listAt(node, 'spec', 'taints').some(isNoExecute)
}

/** How long the pod may stay in milliseconds: 0 when a taint is not tolerated, undefined for ever. */
function toleratedMs(pod: ApiObject, taints: readonly unknown[]): number | undefined {
  const tolerations = listAt(pod, 'spec', 'tolerations')
  const used = taints.map((taint) => tolerations.filter((toleration) => tolerates(toleration, taint)))
  if (used.some((each) => each.length === 0)) return 0
  const seconds = used.flat().flatMap((toleration) => numberAt(toleration, 'tolerationSeconds') ?? [])
  return seconds.length === 0 ? undefined : Math.max(0, Math.min(...seconds)) * 1000
}
