import type { ClusterView } from '@berth/cluster-view'
import { objectKey } from '@berth/fit-engine'
import { type RecordedChanges, redactMetadata, redactNode, redactPod } from '@berth/scheduler-config'
import type { ClusterObjectKind, KubernetesObject, Node, Pod } from '@berth/types'

/** Kinds of objects that are recorded. Their specs hold no secrets. Of ConfigMaps, the view has those that plugins read. */
const KINDS: readonly ClusterObjectKind[] = [
  'namespaces',
  'services',
  'replicationControllers',
  'replicaSets',
  'statefulSets',
  'configMaps',
]

/** Creates a function that returns the changes of the state since its last call; undefined if there are none. */
export function trackChanges(view: Pick<ClusterView, 'state' | 'nodes'>): () => RecordedChanges | undefined {
  let nodes: ReadonlyMap<string, Node> = new Map()
  let pods: ReadonlyMap<string, readonly [Pod, string]> = new Map()
  let nominated: ReadonlyMap<string, readonly [Pod, string]> = new Map()
  let objects: ReadonlyMap<KeyedObject[0], KeyedObject[1]> = new Map()
  const uidOf = ({ metadata }: Pod): string => metadata.uid ?? objectKey(metadata)

  return () => {
    const { state } = view
    const nowNodes = new Map([...view.nodes()].map((node) => [node.metadata.name ?? '', node] as const))
    const nowPods = new Map(
      [...state.pods()].map((pod) => [uidOf(pod), [pod, state.placementOf(pod)?.nodeName ?? ''] as const] as const),
    )
    const nowNominated = new Map(
      [...nowNodes.keys()].flatMap((name) =>
        state.nominatedPods(name).map((pod) => [uidOf(pod), [pod, name] as const] as const),
      ),
    )
    const nowObjects = new Map(KINDS.flatMap((kind) => listObjects(state, kind)))
    const isSame = (left: readonly unknown[] | undefined, right: readonly unknown[]): boolean =>
      left?.[0] === right[0] && left?.[1] === right[1]
    const changes: RecordedChanges = {
      kind: 'changes',
      nodes: [...nowNodes].flatMap(([name, node]) => (nodes.get(name) === node ? [] : redactNode(node))),
      pods: [...nowPods].flatMap(([uid, entry]) => (isSame(pods.get(uid), entry) ? [] : onNode(...entry))),
      nominated: [...nowNominated].flatMap(([uid, entry]) =>
        isSame(nominated.get(uid), entry) ? [] : { pod: redactPod(entry[0]), node: entry[1] },
      ),
      objects: [...nowObjects].flatMap(([key, entry]) =>
        isSame(objects.get(key), entry) ? [] : [[entry[0], redactObject(entry[1])] as const],
      ),
      goneNodes: [...nodes.keys()].filter((name) => !nowNodes.has(name)),
      gonePods: [...pods].flatMap(([uid, [pod]]) => (nowPods.has(uid) ? [] : redactPod(pod))),
      goneNominated: [...nominated].flatMap(([uid, [pod]]) => (nowNominated.has(uid) ? [] : redactPod(pod))),
      goneObjects: [...objects].flatMap(([key, [kind, object]]) =>
        nowObjects.has(key) ? [] : [[kind, objectKey(object.metadata ?? {})] as const],
      ),
    }
    ;[nodes, pods, nominated, objects] = [nowNodes, nowPods, nowNominated, nowObjects]
    const { kind: _, ...lists } = changes
    return Object.values(lists).some((list) => list.length > 0) ? changes : undefined
  }
}

type KeyedObject = readonly [key: string, readonly [ClusterObjectKind, KubernetesObject]]

function listObjects(state: ClusterView['state'], kind: ClusterObjectKind): readonly KeyedObject[] {
  const objects: readonly KubernetesObject[] = state.objects.list(kind)
  return objects.map((object) => [`${kind} ${objectKey(object.metadata ?? {})}`, [kind, object]])
}

/** An assumed pod has no node in its spec yet. */
function onNode(pod: Pod, nodeName: string): Pod {
  return redactPod({ ...pod, spec: { ...pod.spec, nodeName } })
}

/** Keeps labels, selectors and the data of ConfigMaps. */
function redactObject(object: KubernetesObject): KubernetesObject {
  const { data, spec } = object as { readonly data?: unknown; readonly spec?: { readonly selector?: unknown } }
  const selector = spec?.selector
  return {
    metadata: redactMetadata(object),
    ...(data !== undefined && { data }),
    ...(selector !== undefined && { spec: { selector } }),
  } as KubernetesObject
}
