import { type ExtenderBindingArgs, isRecord, type MetaVictims, type Node, type Pod } from '@berth/types'
import { RefusalError } from './errors.ts'

/** A parsed filter or prioritize request. */
export interface NodesRequest {
  readonly pod: Pod
  /** Node names of the request, without duplicates, in the order of the request. */
  readonly names: readonly string[]
  /** Whether JSON escapes nothing in the names, so that they can be written without a look at each. Default: false. */
  readonly hasPlainNames?: boolean
  /** The nodes of the request if it contains whole nodes. The response then contains nodes too. */
  readonly nodes: ReadonlyMap<string, Node> | undefined
}

/** A parsed preempt request. */
export interface PreemptRequest {
  readonly pod: Pod
  /** The proposed victims by node name. */
  readonly victims: ReadonlyMap<string, MetaVictims>
}

type JsonObject = Readonly<Record<string, unknown>>

function refuse(reason: string): never {
  throw new RefusalError(`read request: ${reason}`, { code: 'BERTH_EXTENDER_REQUEST' })
}

/** Reads a field like Go's decoder, which ignores the case of keys and prefers an exact match. */
function field(value: JsonObject, name: string): unknown {
  if (Object.hasOwn(value, name)) return value[name]
  const lowerCaseName = name.toLowerCase()
  const key = Object.keys(value).find((candidate) => candidate.toLowerCase() === lowerCaseName)
  return key === undefined ? undefined : value[key]
}

/** Checks the fields that plugins rely on. The rest of the pod is passed on unchanged. */
function readPod(value: unknown): Pod {
  if (!isRecord(value)) refuse('Pod is missing')
  if (!isRecord(value['metadata'])) refuse('Pod.metadata is missing')
  const spec = value['spec'] ?? {}
  if (!isRecord(spec)) refuse('Pod.spec is not an object')
  for (const key of ['containers', 'initContainers']) {
    const containers = spec[key] ?? []
    if (!Array.isArray(containers) || !containers.every(isRecord)) refuse(`Pod.spec.${key} is not a list of objects`)
  }
  return { ...value, spec: { ...spec, containers: spec['containers'] ?? [] } } as unknown as Pod
}

function checkCount(nodes: number, maxNodes: number): void {
  if (nodes > maxNodes) refuse(tooManyNodes(maxNodes))
}

/** Returns the reason for refusing a request with more nodes than allowed. */
export function tooManyNodes(maxNodes: number): string {
  return `it names more than ${maxNodes} nodes: raise maxNodesPerRequest`
}

/**
 * Parses `ExtenderArgs` (k8s.io/kube-scheduler/extender/v1, v1.36).
 *
 * @param maxNodes - Maximum number of nodes.
 * @param uniqueNames - The value of NodeNames without duplicates and escapes, when it was read apart.
 * @throws RefusalError BERTH_EXTENDER_REQUEST
 */
export function readNodesRequest(body: unknown, maxNodes = Infinity, uniqueNames?: readonly string[]): NodesRequest {
  if (!isRecord(body)) refuse('the body is not an object')
  const pod = readPod(field(body, 'Pod'))
  if (uniqueNames !== undefined) {
    checkCount(uniqueNames.length, maxNodes)
    return { pod, names: uniqueNames, hasPlainNames: true, nodes: undefined }
  }
  const names = field(body, 'NodeNames') ?? undefined
  if (names !== undefined) {
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
      refuse('NodeNames is not a list of names')
    checkCount(names.length, maxNodes)
    const unique = new Set(names)
    return { pod, names: unique.size === names.length ? names : [...unique], nodes: undefined }
  }
  const list = field(body, 'Nodes') ?? undefined
  if (list === undefined) return { pod, names: [], nodes: undefined }
  const items = isRecord(list) ? (list['items'] ?? []) : undefined
  if (!Array.isArray(items)) refuse('Nodes is not a list')
  checkCount(items.length, maxNodes)
  const nodes = new Map<string, Node>()
  for (const item of items as readonly unknown[]) {
    const name = isRecord(item) && isRecord(item['metadata']) ? item['metadata']['name'] : undefined
    if (typeof name !== 'string') refuse('a node in Nodes has no name')
    nodes.set(name, item as Node)
  }
  return { pod, names: [...nodes.keys()], nodes }
}

/**
 * Parses `ExtenderBindingArgs`.
 *
 * @throws RefusalError BERTH_EXTENDER_REQUEST
 */
export function readBindRequest(body: unknown): ExtenderBindingArgs {
  if (!isRecord(body)) refuse('the body is not an object')
  const text = (name: keyof ExtenderBindingArgs): string => {
    const value = field(body, name)
    if (typeof value !== 'string' || value === '') refuse(`${name} is missing`)
    return value
  }
  return {
    PodName: text('PodName'),
    PodNamespace: text('PodNamespace'),
    PodUID: text('PodUID'),
    Node: text('Node'),
  }
}

/**
 * Parses `ExtenderPreemptionArgs`. Victims sent as whole pods are reduced to their uids.
 *
 * @param maxNodes - Maximum number of nodes.
 * @throws RefusalError BERTH_EXTENDER_REQUEST
 */
export function readPreemptRequest(body: unknown, maxNodes = Infinity): PreemptRequest {
  if (!isRecord(body)) refuse('the body is not an object')
  const pod = readPod(field(body, 'Pod'))
  const meta = field(body, 'NodeNameToMetaVictims') ?? undefined
  const whole = field(body, 'NodeNameToVictims') ?? undefined
  const victimsByNode = meta ?? whole ?? {}
  if (!isRecord(victimsByNode)) refuse('NodeNameToMetaVictims is not an object')
  const entries = Object.entries(victimsByNode)
  checkCount(entries.length, maxNodes)
  return { pod, victims: new Map(entries.map(([node, victims]) => [node, readVictims(node, victims)])) }
}

function readVictims(node: string, victims: unknown): MetaVictims {
  const pods = isRecord(victims) ? (field(victims, 'Pods') ?? []) : undefined
  if (!isRecord(victims) || !Array.isArray(pods)) refuse(`the victims on ${node} are not a list`)
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
