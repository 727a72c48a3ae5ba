import { type ApiObject, byCodeUnit, equalJson, isReady, numberAt, stringAt, valueAt } from '@berth/embedded-api-server'
import { controllerKey } from './controlled-object.ts'
import type { Controller, ControllerDependencies } from '../loop/controller.ts'
import { controllerRevisions } from './controller-revisions.ts'
import { daemonNodeOf, daemonEligibility, daemonPod, daemonPodSpec } from './daemon-pod.ts'
import { daemonStep, type DaemonNodeState } from './daemon-rollout.ts'
import { isFinished, msUntilAvailable } from '../pods/pod-state.ts'
import { counterField } from './replica-sets.ts'
import { amountOf } from './rollout.ts'

const HASH_LABEL = 'controller-revision-hash'

/** A node, whether the DaemonSet should run there, and its pods there. */
interface NodePods {
  readonly node: string
  readonly shouldRun: boolean
  readonly mayStay: boolean
  readonly pods: readonly ApiObject[]
}

/** Runs one pod of each DaemonSet on every eligible node, and replaces old pods according to the update strategy. */
export function daemonSetController(dependencies: ControllerDependencies): Controller {
  const { context, writer, owners } = dependencies
  const sets = context.store.collection('apps/daemonsets')
  const nodes = context.store.collection('/nodes')
  const revisions = controllerRevisions(dependencies)
  return {
    name: 'daemon-sets',
    storages: ['apps/daemonsets', '/pods', '/nodes'],
    keysFor(storage, { type, key, object, previous }) {
      if (storage === 'apps/daemonsets') return type === 'DELETED' ? [] : [key]
      if (storage === '/pods') return controllerKey(object, 'DaemonSet')
      if (storage !== '/nodes' || sets.size === 0) return []
      const isSame =
        type === 'MODIFIED' &&
        equalJson(object.metadata.labels, previous?.metadata.labels) &&
        equalJson(object['spec'], previous?.['spec'])
      return isSame ? [] : sets.list().map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    },
    reconcile(key, requeueAfter) {
      const set = sets.get(key)
      if (set === undefined || set.metadata.deletionTimestamp !== undefined) return
      const hash = revisions.ensureCurrent(set)
      syncPods(set, hash)
      if (stringAt(set, 'spec', 'updateStrategy', 'type') !== 'OnDelete') rollOut(set, hash)
      revisions.prune(set, new Set(podsOf(set).map(({ metadata }) => metadata.labels?.[HASH_LABEL] ?? '')))
      const { status, nextMs } = statusOf(set, hash)
      writer.updateStatus('apps/daemonsets', sets.get(key) ?? set, status)
      if (nextMs !== undefined) requeueAfter(nextMs)
    },
  }

  function podsOf(set: ApiObject): readonly ApiObject[] {
    return owners.ownedObjects(set.metadata.uid ?? '', '/pods')
  }

  function nodePodsOf(set: ApiObject): readonly NodePods[] {
    const spec = daemonPodSpec(set)
    const byNode = Map.groupBy(podsOf(set), daemonNodeOf)
    return nodes.list().map((node) => {
      const name = node.metadata.name ?? ''
      return { node: name, ...daemonEligibility(spec, node), pods: byNode.get(name) ?? [] }
    })
  }

  /** Creates missing pods, replaces finished ones, and deletes surplus ones and those on ineligible nodes. */
  function syncPods(set: ApiObject, hash: string): void {
    const spec = daemonPodSpec(set)
    const nodePods = nodePodsOf(set)
    const podsPerNode = boundOf(set, 'maxSurge', nodePods.length) > 0 ? 2 : 1
    for (const { node, shouldRun, mayStay, pods } of nodePods) {
      const live = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      const running = live.filter((pod) => !isFinished(pod))
      const sorted = running.toSorted(byAge)
      const excess = mayStay ? sorted.slice(podsPerNode) : sorted
      // A finished pod is deleted first. The reconcile after its deletion creates its successor.
      for (const pod of [...live.filter(isFinished), ...excess]) remove(pod)
      if (shouldRun && pods.length === 0) writer.create('/pods', daemonPod(set, node, hash, spec))
    }
  }

  function rollOut(set: ApiObject, hash: string): void {
    const nodePods = nodePodsOf(set)
    const states: readonly DaemonNodeState[] = nodePods.map(({ node, shouldRun, pods }) => ({
      node,
      shouldRun,
      pods: pods
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map((pod) => ({
          name: pod.metadata.name ?? '',
          isUpdated: pod.metadata.labels?.[HASH_LABEL] === hash,
          isAvailable: isAvailable(set, pod),
        })),
    }))
    const desired = states.filter(({ shouldRun }) => shouldRun).length
    const step = daemonStep(
      states.filter(({ shouldRun, pods }) => shouldRun || pods.length > 0),
      { maxSurge: boundOf(set, 'maxSurge', desired), maxUnavailable: boundOf(set, 'maxUnavailable', desired) },
    )
    const gone = new Set(step.remove)
    for (const { pods } of nodePods) for (const pod of pods) if (gone.has(pod.metadata.name ?? '')) remove(pod)
    const spec = daemonPodSpec(set)
    for (const node of step.surge) writer.create('/pods', daemonPod(set, node, hash, spec))
  }

  function remove(pod: ApiObject): void {
    writer.remove('/pods', pod, { propagationPolicy: 'Background' })
  }

  function isAvailable(set: ApiObject, pod: ApiObject): boolean {
    return msUntilAvailable(pod, numberAt(set, 'spec', 'minReadySeconds') ?? 0, context.clock) === 0
  }

  function statusOf(set: ApiObject, hash: string): { readonly status: object; readonly nextMs: number | undefined } {
    const seconds = numberAt(set, 'spec', 'minReadySeconds') ?? 0
    const nodePods = nodePodsOf(set)
    // The oldest pod of a node counts.
    const oldestByNode = nodePods.map(({ shouldRun, pods }) => ({ shouldRun, pod: pods.toSorted(byAge)[0] }))
    const desiredPods = oldestByNode.filter(({ shouldRun }) => shouldRun).map(({ pod }) => pod)
    const existing = desiredPods.filter((pod) => pod !== undefined)
    const waits = existing.map((pod) => msUntilAvailable(pod, seconds, context.clock)).filter((ms) => ms !== undefined)
    const available = waits.filter((ms) => ms === 0).length
    const pending = waits.filter((ms) => ms > 0)
    const status = {
      currentNumberScheduled: existing.length,
      numberMisscheduled: oldestByNode.filter(({ shouldRun, pod }) => !shouldRun && pod !== undefined).length,
      desiredNumberScheduled: desiredPods.length,
      numberReady: existing.filter(isReady).length,
      observedGeneration: set.metadata.generation,
      ...counterField(
        'updatedNumberScheduled',
        existing.filter(({ metadata }) => metadata.labels?.[HASH_LABEL] === hash).length,
      ),
      ...counterField('numberAvailable', available),
      ...counterField('numberUnavailable', desiredPods.length - available),
    }
    return { status, nextMs: pending.length === 0 ? undefined : Math.min(...pending) }
  }
}

function boundOf(set: ApiObject, name: 'maxSurge' | 'maxUnavailable', desired: number): number {
  const defaultBound = name === 'maxSurge' ? 0 : 1
  return amountOf(valueAt(set, 'spec', 'updateStrategy', 'rollingUpdate', name) ?? defaultBound, desired, Math.ceil)
}

/** Orders pods by age, bound ones first. */
function byAge(a: ApiObject, b: ApiObject): number {
  const isBound = (pod: ApiObject): number => (stringAt(pod, 'spec', 'nodeName') === '' ? 1 : 0)
  return (
    isBound(a) - isBound(b) || createdAt(a) - createdAt(b) || byCodeUnit(a.metadata.name ?? '', b.metadata.name ?? '')
  )
}

const createdAt = (pod: ApiObject): number => Date.parse(pod.metadata.creationTimestamp ?? '')
