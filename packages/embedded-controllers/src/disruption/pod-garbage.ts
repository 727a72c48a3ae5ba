import { type ApiObject, stringAt } from '@berth/embedded-api-server'
import type { Controller, ControllerParts } from '../loop/controller.ts'
import { disruptPod } from './disrupt-pod.ts'
import { isFinished } from '../pods/pod-state.ts'

/** How long a node must be gone before its pods go. */
const QUARANTINE_MS = 40_000
/** How often upstream looks. */
const PERIOD_MS = 20_000
/** Finished pods that may lie about, as kube-controller-manager's `--terminated-pod-gc-threshold`. */
const THRESHOLD = 12_500

const SURPLUS = 'surplus'

/**
 * Deletes what nobody else would: pods of nodes that are gone, pods that were deleted before they had a node, and the
 * oldest finished pods beyond a number.
 *
 * @see kubernetes/kubernetes pkg/controller/podgc/gc_controller.go (v1.36)
 */
export function podGarbageController(parts: ControllerParts): Controller {
  const { context, client } = parts
  const pods = context.store.collection('/pods')
  const nodes = context.store.collection('/nodes')
  const missing = new Map<string, number>()
  let finished = 0
  return {
    name: 'pod-garbage',
    storages: ['/nodes', '/pods'],
    interest(storage, { type, key, object, previous }) {
      if (storage === '/nodes') return type === 'MODIFIED' ? [] : [`node ${key}`]
      if (storage !== '/pods') return []
      const was = previous !== undefined && isFinished(previous)
      const is = type !== 'DELETED' && isFinished(object)
      finished += Number(is) - Number(was)
      const keys: string[] = finished > THRESHOLD && is && !was ? [SURPLUS] : []
      if (type === 'DELETED') return keys
      const node = stringAt(object, 'spec', 'nodeName')
      if (node === '') return object.metadata.deletionTimestamp === undefined ? keys : [...keys, `pod ${key}`]
      // Of a node that is waited for already, more pods are no news.
      return nodes.get(node) === undefined && !missing.has(node) ? [...keys, `node ${node}`] : keys
    },
    reconcile(name, again) {
      const [what, key = ''] = name.split(' ')
      if (name === SURPLUS) removeSurplus()
      else if (what === 'pod') removeUnscheduled(key)
      else removeOrphans(key, again)
    },
  }

  function removeOrphans(node: string, again: (delayMs: number) => void): void {
    if (nodes.get(node) !== undefined) {
      missing.delete(node)
      return
    }
    const orphans = pods.list().filter((pod) => stringAt(pod, 'spec', 'nodeName') === node)
    if (orphans.length === 0) {
      missing.delete(node)
      return
    }
    const now = context.clock.monotonic()
    const sinceMs = missing.get(node) ?? now
    missing.set(node, sinceMs)
    const leftMs = sinceMs + QUARANTINE_MS - now
    if (leftMs > 0) {
      again(Math.max(leftMs, PERIOD_MS))
      return
    }
    missing.delete(node)
    for (const pod of orphans) remove(pod, 'PodGC: node no longer exists')
  }

  function removeUnscheduled(key: string): void {
    const pod = pods.get(key)
    const isOver = pod?.metadata.deletionTimestamp !== undefined && stringAt(pod, 'spec', 'nodeName') === ''
    if (pod !== undefined && isOver && !isHeld(pod)) remove(pod)
  }

  function removeSurplus(): void {
    const over = pods.list().filter(isFinished)
    const createdAt = (pod: ApiObject): number => Date.parse(pod.metadata.creationTimestamp ?? '')
    const oldest = over.toSorted((a, b) => createdAt(a) - createdAt(b))
    for (const pod of oldest.slice(0, Math.max(0, over.length - THRESHOLD))) remove(pod)
  }

  function remove(pod: ApiObject, orphanedBecause?: string): void {
    if (!isFinished(pod) && orphanedBecause !== undefined) {
      disruptPod(parts, pod, { reason: 'DeletionByPodGC', message: orphanedBecause, phase: 'Failed' })
    }
    const current = pods.get(`${pod.metadata.namespace}/${pod.metadata.name}`)
    if (current !== undefined) client.remove('/pods', current, { gracePeriodSeconds: 0 })
  }
}

/** Whether only a finalizer keeps a pod that has ended: deleting it again changes nothing. */
function isHeld(pod: ApiObject): boolean {
  return (pod.metadata.finalizers ?? []).length > 0 && pod.metadata.deletionGracePeriodSeconds === 0
}
