import type { ClusterView } from '@berth/cluster-view'
import { objectKey } from '@berth/fit-engine'
import { type RecordedChanges, redactMetadata, redactNode, redactPod } from '@berth/scheduler-config'
import type { ClusterObjectKind, KubernetesObject, Node, Pod, PodDisruptionBudget } from '@berth/types'

/** Kinds of objects that are recorded. Their specs hold no secrets. Of ConfigMaps, the view has those that plugins read. */
const KINDS: readonly ClusterObjectKind[] = [
  'namespaces',
  'services',
  'replicationControllers',
  'replicaSets',
  'statefulSets',
  'podDisruptionBudgets',
  'configMaps',
]

type State = ClusterView['state']

/** A row of the state. Its lists are never changed in place, so an equal list has no changes. */
interface Row {
  readonly name: string
  /** Undefined for the name of a node that does not exist. */
  readonly node: Node | undefined
  readonly pods: readonly Pod[]
  readonly nominated: readonly Pod[]
}

/** A pod and the name of its node. */
type PodOnNode = readonly [pod: Pod, nodeName: string]

const EMPTY_ROW: Row = { name: '', node: undefined, pods: [], nominated: [] }

/**
 * Creates a function that returns the changes of the state since its last call; undefined if there are none. A call compares the lists of
 * each row with those of the call before, and reads the pods of the changed rows only: with 50,000 pods, reading all of
 * them takes more time than the verdict that is recorded.
 */
export function trackChanges(view: Pick<ClusterView, 'state'>): () => RecordedChanges | undefined {
  const { state } = view
  const rows: Row[] = []
  const objects = trackObjects(state)
  let generation = -1

  /** Returns the rows that changed, each as it was and as it is. */
  const changedRows = (): readonly (readonly [before: Row, now: Row])[] => {
    if (state.generation === generation) return []
    generation = state.generation
    const changed: (readonly [Row, Row])[] = []
    for (let row = 0; row < state.rowCount; row++) {
      const before = rows[row] ?? EMPTY_ROW
      const name = state.nodeName(row)
      const node = state.rowOf(name) === row ? state.node(row) : undefined
      const [pods, nominated] = [state.podsOn(row), state.nominatedPods(name)]
      if (
        node === before.node &&
        name === before.name &&
        isSameList(pods, before.pods) &&
        isSameList(nominated, before.nominated)
      ) {
        continue
      }
      const now = { name, node, pods, nominated }
      rows[row] = now
      changed.push([before, now])
    }
    return changed
  }

  return () => {
    const changed = changedRows()
    const nodes = difference(changed, ({ name, node }) => (node === undefined ? [] : [[name, node]]))
    const pods = difference<PodOnNode>(changed, ({ name, pods }) => pods.map((pod) => [uidOf(pod), [pod, name]]))
    const nominated = difference<PodOnNode>(changed, ({ name, nominated }) =>
      nominated.map((pod) => [uidOf(pod), [pod, name]]),
    )
    const changes: RecordedChanges = {
      kind: 'changes',
      nodes: nodes.set.map(redactNode),
      pods: pods.set.map(onNode),
      nominated: nominated.set.map(([pod, node]) => ({ pod: redactPod(pod), node })),
      goneNodes: nodes.gone.map(({ metadata }) => metadata.name ?? ''),
      gonePods: pods.gone.map(([pod]) => redactPod(pod)),
      goneNominated: nominated.gone.map(([pod]) => redactPod(pod)),
      ...objects(),
    }
    const { kind: _, ...lists } = changes
    return Object.values(lists).some((list) => list.length > 0) ? changes : undefined
  }
}

function isSameList(left: readonly Pod[], right: readonly Pod[]): boolean {
  return left === right || (left.length === 0 && right.length === 0)
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? objectKey(metadata)
}

/**
 * Returns what changed rows have now and did not have before, and what is gone. A pod that moved to another row is not gone: both rows
 * changed.
 *
 * @param entriesOf - Returns the keys and values of a row.
 */
function difference<T extends Node | PodOnNode>(
  changed: readonly (readonly [before: Row, now: Row])[],
  entriesOf: (row: Row) => readonly (readonly [key: string, value: T])[],
): { readonly set: readonly T[]; readonly gone: readonly T[] } {
  const before = new Map(changed.flatMap(([row]) => entriesOf(row)))
  const now = new Map(changed.flatMap(([, row]) => entriesOf(row)))
  return {
    set: [...now].flatMap(([key, value]) => (isSame(before.get(key), value) ? [] : [value])),
    gone: [...before].flatMap(([key, value]) => (now.has(key) ? [] : [value])),
  }
}

function isSame(left: Node | PodOnNode | undefined, right: Node | PodOnNode): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return left === right
  return left[0] === right[0] && left[1] === right[1]
}

/** Creates a function that returns the changes of the recorded kinds of objects since its last call. */
function trackObjects({ objects }: State): () => Pick<RecordedChanges, 'objects' | 'goneObjects'> {
  const known = new Map<ClusterObjectKind, ReadonlyMap<string, KubernetesObject>>()
  const generations = new Map<ClusterObjectKind, number>()
  return () => {
    const set: RecordedChanges['objects'][number][] = []
    const gone: RecordedChanges['goneObjects'][number][] = []
    for (const kind of KINDS) {
      if (generations.get(kind) === objects.generationOf(kind)) continue
      generations.set(kind, objects.generationOf(kind))
      const before = known.get(kind)
      const list: readonly KubernetesObject[] = objects.list(kind)
      const now = new Map(list.map((object) => [objectKey(object.metadata ?? {}), object] as const))
      known.set(kind, now)
      for (const [key, object] of now) if (before?.get(key) !== object) set.push([kind, redactObject(object)])
      for (const key of before?.keys() ?? []) if (!now.has(key)) gone.push([kind, key])
    }
    return { objects: set, goneObjects: gone }
  }
}

/** An assumed pod has no node in its spec yet. */
function onNode([pod, nodeName]: PodOnNode): Pod {
  return redactPod({ ...pod, spec: { ...pod.spec, nodeName } })
}

/** Keeps labels, selectors, the data of ConfigMaps and the disruptions that a budget allows. */
function redactObject(object: KubernetesObject): KubernetesObject {
  const { data, spec, status } = object as {
    readonly data?: unknown
    readonly spec?: { readonly selector?: unknown }
    readonly status?: PodDisruptionBudget['status']
  }
  const selector = spec?.selector
  const { disruptionsAllowed, disruptedPods } = status ?? {}
  return {
    metadata: redactMetadata(object),
    ...(data !== undefined && { data }),
    ...(selector !== undefined && { spec: { selector } }),
    ...(disruptionsAllowed !== undefined && { status: { disruptionsAllowed, disruptedPods } }),
  } as KubernetesObject
}
