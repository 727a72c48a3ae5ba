import { type ApiObject, byCodeUnit, equalJson, isReady, numberAt, stringAt, valueAt } from '@berth/embedded-api-server'
import { controllerKey } from './controlled-object.ts'
import type { Controller, ControllerParts } from '../loop/controller.ts'
import { controllerRevisions } from './controller-revisions.ts'
import { daemonNodeOf, daemonPlace, daemonPod, daemonPodSpec } from './daemon-pod.ts'
import { daemonStep, type DaemonNodeState } from './daemon-rollout.ts'
import { isFinished, untilAvailable } from '../pods/pod-state.ts'
import { counted } from './replica-sets.ts'
import { amountOf } from './rollout.ts'

const HASH = 'controller-revision-hash'

/** A node, whether the set belongs there, and the set's pods there. */
interface Place {
  readonly node: string
  readonly runs: boolean
  readonly stays: boolean
  readonly pods: readonly ApiObject[]
}

/** Keeps one pod of each DaemonSet on every node that it belongs on, and replaces old pods as its strategy says. */
export function daemonSetController(parts: ControllerParts): Controller {
  const { context, client, owners } = parts
  const sets = context.store.collection('apps/daemonsets')
  const nodes = context.store.collection('/nodes')
  const revisions = controllerRevisions(parts)
  return {
    name: 'daemon-sets',
    storages: ['apps/daemonsets', '/pods', '/nodes'],
    interest(storage, { type, key, object, previous }) {
      if (storage === 'apps/daemonsets') return type === 'DELETED' ? [] : [key]
      if (storage === '/pods') return controllerKey(object, 'DaemonSet')
      if (storage !== '/nodes' || sets.size === 0) return []
      const isSame =
        type === 'MODIFIED' &&
        equalJson(object.metadata.labels, previous?.metadata.labels) &&
        equalJson(object['spec'], previous?.['spec'])
      return isSame ? [] : sets.list().map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    },
    reconcile(key, again) {
      const set = sets.get(key)
      if (set === undefined || set.metadata.deletionTimestamp !== undefined) return
      const hash = revisions.current(set)
      manage(set, hash)
      if (stringAt(set, 'spec', 'updateStrategy', 'type') !== 'OnDelete') roll(set, hash)
      revisions.prune(set, new Set(podsOf(set).map(({ metadata }) => metadata.labels?.[HASH] ?? '')))
      const { status, nextMs } = statusOf(set, hash)
      client.updateStatus('apps/daemonsets', sets.get(key) ?? set, status)
      if (nextMs !== undefined) again(nextMs)
    },
  }

  function podsOf(set: ApiObject): readonly ApiObject[] {
    return owners.ownedObjects(set.metadata.uid ?? '', '/pods')
  }

  function placesOf(set: ApiObject): readonly Place[] {
    const spec = daemonPodSpec(set)
    const byNode = Map.groupBy(podsOf(set), daemonNodeOf)
    return nodes.list().map((node) => {
      const name = node.metadata.name ?? ''
      return { node: name, ...daemonPlace(spec, node), pods: byNode.get(name) ?? [] }
    })
  }

  /** Starts missing pods, replaces finished ones, and takes away those that are too many or in the wrong place. */
  function manage(set: ApiObject, hash: string): void {
    const spec = daemonPodSpec(set)
    const places = placesOf(set)
    const keeps = boundOf(set, 'maxSurge', places.length) > 0 ? 2 : 1
    for (const { node, runs, stays, pods } of places) {
      const live = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      const running = live.filter((pod) => !isFinished(pod))
      const sorted = running.toSorted(byAge)
      const excess = stays ? sorted.slice(keeps) : sorted
      // A finished pod goes first; its successor comes in the turn that its end brings.
      for (const pod of [...live.filter(isFinished), ...excess]) remove(pod)
      if (runs && pods.length === 0) client.create('/pods', daemonPod(set, node, hash, spec))
    }
  }

  function roll(set: ApiObject, hash: string): void {
    const places = placesOf(set)
    const states: readonly DaemonNodeState[] = places.map(({ node, runs, pods }) => ({
      node,
      runs,
      pods: pods
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map((pod) => ({
          name: pod.metadata.name ?? '',
          isFresh: pod.metadata.labels?.[HASH] === hash,
          isAvailable: isAvailable(set, pod),
        })),
    }))
    const desired = states.filter(({ runs }) => runs).length
    const step = daemonStep(
      states.filter(({ runs, pods }) => runs || pods.length > 0),
      { maxSurge: boundOf(set, 'maxSurge', desired), maxUnavailable: boundOf(set, 'maxUnavailable', desired) },
    )
    const gone = new Set(step.remove)
    for (const { pods } of places) for (const pod of pods) if (gone.has(pod.metadata.name ?? '')) remove(pod)
    const spec = daemonPodSpec(set)
    for (const node of step.surge) client.create('/pods', daemonPod(set, node, hash, spec))
  }

  function remove(pod: ApiObject): void {
    client.remove('/pods', pod, { propagationPolicy: 'Background' })
  }

  function isAvailable(set: ApiObject, pod: ApiObject): boolean {
    return untilAvailable(pod, numberAt(set, 'spec', 'minReadySeconds') ?? 0, context.clock) === 0
  }

  function statusOf(set: ApiObject, hash: string): { readonly status: object; readonly nextMs: number | undefined } {
    const seconds = numberAt(set, 'spec', 'minReadySeconds') ?? 0
    const places = placesOf(set)
    // The oldest pod of a node speaks for it.
    const spokesmen = places.map(({ runs, pods }) => ({ runs, pod: pods.toSorted(byAge)[0] }))
    const wanted = spokesmen.filter(({ runs }) => runs).map(({ pod }) => pod)
    const there = wanted.filter((pod) => pod !== undefined)
    const waits = there.map((pod) => untilAvailable(pod, seconds, context.clock)).filter((ms) => ms !== undefined)
    const available = waits.filter((ms) => ms === 0).length
    const ahead = waits.filter((ms) => ms > 0)
    const status = {
      currentNumberScheduled: there.length,
      numberMisscheduled: spokesmen.filter(({ runs, pod }) => !runs && pod !== undefined).length,
      desiredNumberScheduled: wanted.length,
      numberReady: there.filter(isReady).length,
      observedGeneration: set.metadata.generation,
      ...counted('updatedNumberScheduled', there.filter(({ metadata }) => metadata.labels?.[HASH] === hash).length),
      ...counted('numberAvailable', available),
      ...counted('numberUnavailable', wanted.length - available),
    }
    return { status, nextMs: ahead.length === 0 ? undefined : Math.min(...ahead) }
  }
}

function boundOf(set: ApiObject, name: 'maxSurge' | 'maxUnavailable', desired: number): number {
  const fallback = name === 'maxSurge' ? 0 : 1
  return amountOf(valueAt(set, 'spec', 'updateStrategy', 'rollingUpdate', name) ?? fallback, desired, Math.ceil)
}

/** The oldest first; bound before unbound. */
function byAge(a: ApiObject, b: ApiObject): number {
  const isBound = (pod: ApiObject): number => (stringAt(pod, 'spec', 'nodeName') === '' ? 1 : 0)
  return (
    isBound(a) - isBound(b) || createdAt(a) - createdAt(b) || byCodeUnit(a.metadata.name ?? '', b.metadata.name ?? '')
  )
}

const createdAt = (pod: ApiObject): number => Date.parse(pod.metadata.creationTimestamp ?? '')
