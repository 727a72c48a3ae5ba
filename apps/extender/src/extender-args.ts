import { isRecord, type MetaVictims, type Node, type Pod } from '@berth/types'
import { RefusalError } from './errors.ts'

/** A filter or prioritize call, read. */
export interface NodesCall {
  readonly pod: Pod
  /** Names that were asked about, each once, in the order of the request. */
  readonly names: readonly string[]
  /** The nodes as they were sent, when whole nodes were sent: the answer then holds nodes as well. */
  readonly nodes: ReadonlyMap<string, Node> | undefined
}

type JsonObject = Readonly<Record<string, unknown>>

function refuse(reason: string): never {
  throw new RefusalError(`read request: ${reason}`, { code: 'BERTH_EXTENDER_REQUEST' })
}

/** Go matches keys without regard to case and prefers the exact one. */
function field(value: JsonObject, name: string): unknown {
  if (Object.hasOwn(value, name)) return value[name]
  const wanted = name.toLowerCase()
  const key = Object.keys(value).find((candidate) => candidate.toLowerCase() === wanted)
  return key === undefined ? undefined : value[key]
}

/** Checks what the plugins rely on; everything else of the pod is handed through as it came. */
function readPod(value: unknown): Pod {
  if (!isRecord(value)) refuse('Pod is missing')
  if (!isRecord(value['metadata'])) refuse('Pod.metadata is missing')
  const spec = value['spec'] ?? {}
  if (!isRecord(spec)) refuse('Pod.spec is no object')
  for (const key of ['containers', 'initContainers']) {
    const containers = spec[key] ?? []
    if (!Array.isArray(containers) || !containers.every(isRecord)) refuse(`Pod.spec.${key} is no list of objects`)
  }
  return { ...value, spec: { ...spec, containers: spec['containers'] ?? [] } } as unknown as Pod
}

/**
 * Reads `ExtenderArgs` (k8s.io/kube-scheduler/extender/v1, v1.36).
 *
 * @throws RefusalError BERTH_EXTENDER_REQUEST
 */
export function readNodesCall(body: unknown): NodesCall {
  if (!isRecord(body)) refuse('the body is no object')
  const pod = readPod(field(body, 'Pod'))
  const names = field(body, 'NodeNames') ?? undefined
  if (names !== undefined) {
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
      refuse('NodeNames is no list of names')
    return { pod, names: [...new Set(names)], nodes: undefined }
  }
  const list = field(body, 'Nodes') ?? undefined
  if (list === undefined) return { pod, names: [], nodes: undefined }
  const items = isRecord(list) ? (list['items'] ?? []) : undefined
  if (!Array.isArray(items)) refuse('Nodes is no list')
  const nodes = new Map<string, Node>()
  for (const item of items as readonly unknown[]) {
    const name = isRecord(item) && isRecord(item['metadata']) ? item['metadata']['name'] : undefined
    if (typeof name !== 'string') refuse('a node in Nodes has no name')
    nodes.set(name, item as Node)
  }
  return { pod, names: [...nodes.keys()], nodes }
}

/**
 * Reads `ExtenderPreemptionArgs`; victims given as whole pods become their uids.
 *
 * @returns Node name -> victims, as they came.
 * @throws RefusalError BERTH_EXTENDER_REQUEST
 */
export function readPreemptCall(body: unknown): ReadonlyMap<string, MetaVictims> {
  if (!isRecord(body)) refuse('the body is no object')
  const meta = field(body, 'NodeNameToMetaVictims') ?? undefined
  const whole = field(body, 'NodeNameToVictims') ?? undefined
  const victimsByNode = meta ?? whole ?? {}
  if (!isRecord(victimsByNode)) refuse('NodeNameToMetaVictims is no object')
  return new Map(Object.entries(victimsByNode).map(([node, victims]) => [node, readVictims(node, victims)]))
}

function readVictims(node: string, victims: unknown): MetaVictims {
  const pods = isRecord(victims) ? (field(victims, 'Pods') ?? []) : undefined
  if (!isRecord(victims) || !Array.isArray(pods)) refuse(`the victims on ${node} are no list`)
  const violations = field(victims, 'NumPDBViolations')
  return {
    Pods: (pods as readonly unknown[]).map((pod) => ({
      UID: victimUid(pod) ?? refuse(`a victim on ${node} has no UID`),
    })),
    NumPDBViolations: typeof violations === 'number' ? violations : 0,
  }
}

function victimUid(pod: unknown): string | undefined {
  if (!isRecord(pod)) return undefined
  const uid = field(pod, 'UID') ?? (isRecord(pod['metadata']) ? pod['metadata']['uid'] : undefined)
  return typeof uid === 'string' ? uid : undefined
}
