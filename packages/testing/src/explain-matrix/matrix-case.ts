/** An API object as a test writes it. */
export interface MatrixObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly [field: string]: unknown
  }
  readonly [field: string]: unknown
}

type Json = object

/** One cause for which a pod waits, with the objects that bring it about. */
export interface MatrixCase {
  /** Also the name of the pod and of its first node; every other name begins with it. */
  readonly name: string
  readonly nodes: readonly MatrixObject[]
  /** Objects besides nodes and the pod, in the order in which they must be created. */
  readonly objects: readonly MatrixObject[]
  readonly pod: MatrixObject
  /** Texts that the explanation contains, white space aside. */
  readonly causes: readonly string[]
  /** Texts about fixes that the explanation contains when the nodes of the case are the only ones. */
  readonly fixes: readonly string[]
  /**
   * Reasons of kube-scheduler for the nodes of the case, with their numbers of nodes; a text when it rejects the pod before
   * it looks at nodes. Undefined when kube-scheduler does not look at the pod at all.
   */
  readonly reasons: Readonly<Record<string, number>> | string | undefined
}

/** A case without its name. */
export interface CaseOptions {
  /** Fields of the pod's spec. */
  readonly spec?: Json
  readonly podMetadata?: Json
  readonly podStatus?: Json
  /** Changes of the nodes of the case. Default: one node without changes. */
  readonly nodes?: readonly NodeOptions[]
  readonly objects?: readonly MatrixObject[]
  readonly causes: readonly string[]
  readonly fixes?: readonly string[]
  readonly reasons: MatrixCase['reasons']
}

/** Properties that distinguish a node from the others. */
export interface NodeOptions {
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Json[]
  readonly isCordoned?: boolean
  readonly allocatable?: Readonly<Record<string, string>>
}

const usualAmounts = { cpu: '4', memory: '8Gi', 'ephemeral-storage': '10Gi', pods: '20' }

/** The label by which every pod of the matrix selects the nodes of its case. */
const CASE_LABEL = 'berth.dev/case'

/** Makes a case. Its pod selects the nodes of the case, so that all cases can share a cluster. */
export function matrixCase(name: string, options: CaseOptions): MatrixCase {
  const { spec = {}, podMetadata = {}, podStatus, nodes = [{}], objects = [], causes, fixes = [], reasons } = options
  const { nodeSelector, ...rest } = spec as { readonly nodeSelector?: Json }
  const { labels, ...metadata } = podMetadata as { readonly labels?: Json }
  return {
    name,
    nodes: nodes.map((node, index) => nodeOf(name, index, node)),
    objects,
    pod: podObject(
      name,
      { ...rest, nodeSelector: { [CASE_LABEL]: name, ...nodeSelector } },
      { ...metadata, labels: { app: name, ...labels } },
      podStatus,
    ),
    causes,
    fixes,
    reasons,
  }
}

/** Returns the name of a node of a case: that of the case for the first, and `NAME-1` for the second. */
export function nodeName(name: string, index = 0): string {
  return index === 0 ? name : `${name}-${index}`
}

function nodeOf(name: string, index: number, { labels, taints, isCordoned, allocatable }: NodeOptions): MatrixObject {
  const amounts = { ...usualAmounts, ...allocatable }
  const own = nodeName(name, index)
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: own, labels: { 'kubernetes.io/hostname': own, [CASE_LABEL]: name, ...labels } },
    spec: { taints: taints ?? [], ...(isCordoned === true && { unschedulable: true }) },
    status: { capacity: amounts, allocatable: amounts },
  }
}

/** Returns a pod in the namespace `default` with one container, unless the spec has others. */
export function podObject(name: string, spec: Json = {}, metadata: Json = {}, status?: Json): MatrixObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', ...metadata },
    spec: { terminationGracePeriodSeconds: 0, containers: [container()], ...spec },
    ...(status !== undefined && { status }),
  }
}

/** Returns a container that requests and is limited to these amounts. */
export function container(amounts: Readonly<Record<string, string>> = {}, more: Json = {}): Json {
  return { name: 'ctr', image: 'none', resources: { requests: amounts, limits: amounts }, ...more }
}

/** Returns a pod that is bound to the first node of a case. */
export function occupant(name: string, spec: Json = {}, labels: Json = {}, index = 0): MatrixObject {
  const suffix = index === 0 ? 'occupant' : `occupant-${index}`
  return podObject(`${name}-${suffix}`, { nodeName: nodeName(name, index), ...spec }, { labels })
}
