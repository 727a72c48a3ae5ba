import { type ApiObject, stringAt } from '@berth/embedded-api-server'
import type { Controller, ControllerDependencies } from '../loop/controller.ts'
import { markDisrupted } from './mark-disrupted.ts'
import { isFinished } from '../pods/pod-state.ts'

/** Time from the first check that finds a pod's node missing until its pods are deleted. */
const QUARANTINE_MS = 40_000
/** Period of upstream's check. */
const CHECK_PERIOD_MS = 20_000
/** Maximum number of finished pods to keep: kube-controller-manager's `--terminated-pod-gc-threshold`. */
const MAX_FINISHED_PODS = 12_500

const SURPLUS = 'surplus'

/**
 * Deletes pods of missing nodes, pods that were deleted before they were scheduled, and the oldest finished pods above a
 * limit.
 *
 * @see kubernetes/kubernetes pkg/controller/podgc/gc_controller.go (v1.36)
 */
export function podGarbageCollector(dependencies: ControllerDependencies): Controller {
  const { context, writer } = dependencies
  const pods = context.store.collection('/pods')
  const nodes = context.store.collection('/nodes')
  const nodeMissingSinceMs = new Map<string, number>()
  let finishedCount = 0
  return {
    name: 'pod-garbage',
    storages: ['/nodes', '/pods'],
    keysFor(storage, { type, key, object, previous }) {
      if (storage === '/nodes') return type === 'MODIFIED' ? [] : [`node ${key}`]
      if (storage !== '/pods') return []
      const was = previous !== undefined && isFinished(previous)
      const is = type !== 'DELETED' && isFinished(object)
      finishedCount += Number(is) - Number(was)
      const keys: string[] = finishedCount > MAX_FINISHED_PODS && is && !was ? [SURPLUS] : []
      if (type === 'DELETED') return keys
      const node = stringAt(object, 'spec', 'nodeName')
      if (node === '') return object.metadata.deletionTimestamp === undefined ? keys : [...keys, `pod ${key}`]
      // A node that is already known to be missing needs no other check.
      return nodes.get(node) === undefined && !nodeMissingSinceMs.has(node) ? [...keys, `node ${node}`] : keys
    },
    reconcile(name, requeueAfter) {
      const [type, key = ''] = name.split(' ')
      if (name === SURPLUS) removeSurplus()
      else if (type === 'pod') removeUnscheduled(key)
      else removeOrphans(key, requeueAfter)
    },
  }

  function removeOrphans(node: string, requeueAfter: (delayMs: number) => void): void {
    if (nodes.get(node) !== undefined) {
      nodeMissingSinceMs.delete(node)
      return
    }
    const orphans = pods.list().filter((pod) => stringAt(pod, 'spec', 'nodeName') === node)
    if (orphans.length === 0) {
      nodeMissingSinceMs.delete(node)
      return
    }
    const now = context.clock.monotonic()
    const sinceMs = nodeMissingSinceMs.get(node) ?? now
    nodeMissingSinceMs.set(node, sinceMs)
    const leftMs = sinceMs + QUARANTINE_MS - now
    if (leftMs > 0) {
      requeueAfter(Math.max(leftMs, CHECK_PERIOD_MS))
      return
    }
    nodeMissingSinceMs.delete(node)
    for (const pod of orphans) remove(pod, 'PodGC: node no longer exists')
  }

  function removeUnscheduled(key: string): void {
    const pod = pods.get(key)
    const isDeletedUnscheduled =
      pod?.metadata.deletionTimestamp !== undefined && stringAt(pod, 'spec', 'nodeName') === ''
    if (pod !== undefined && isDeletedUnscheduled && !isHeld(pod)) remove(pod)
  }

  function removeSurplus(): void {
    const finished = pods.list().filter(isFinished)
    const createdAt = (pod: ApiObject): number => Date.parse(pod.metadata.creationTimestamp ?? '')
    const oldest = finished.toSorted((a, b) => createdAt(a) - createdAt(b))
    for (const pod of oldest.slice(0, Math.max(0, finished.length - MAX_FINISHED_PODS))) remove(pod)
  }

  function remove(pod: ApiObject, orphanedBecause?: string): void {
    if (!isFinished(pod) && orphanedBecause !== undefined) {
      markDisrupted(dependencies, pod, { reason: 'DeletionByPodGC', message: orphanedBecause, phase: 'Failed' })
    }
    const current = pods.get(`${pod.metadata.namespace}/${pod.metadata.name}`)
    if (current !== undefined) writer.remove('/pods', current, { gracePeriodSeconds: 0 })
  }
}

/** Returns whether only a finalizer holds a deleted pod, so that another deletion has no effect. */
function isHeld(pod: ApiObject): boolean {
  return (pod.metadata.finalizers ?? []).length > 0 && pod.metadata.deletionGracePeriodSeconds === 0
}
