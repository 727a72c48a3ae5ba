import { isExtendedResourceName, podRequest } from '@berth/resources'
import type { KubernetesObject, Pod, Service, Workload } from '@berth/types'
import type { KindRow, KindTable } from './kind-table.ts'

/** One object in the output of `kubectl berth brief`, with its related objects. */
export interface BriefItem {
  /** Lower-case kind: `deployment`. */
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** Column name -> cell, without the name. */
  readonly cells: ReadonlyMap<string, string>
  /** For pods only: requested extended resources, and why the pod is pending. */
  readonly notes: readonly string[]
  readonly children: readonly BriefItem[]
}

/** All workloads of one kind. */
export interface BriefSection {
  readonly kind: string
  readonly columns: readonly string[]
  readonly items: readonly BriefItem[]
}

/** The objects that `kubectl berth brief` has read, and its display options. */
export interface BriefInput {
  /** Kinds of workloads, in display order. */
  readonly workloads: readonly KindTable[]
  /** Objects between workloads and pods, such as ReplicaSets. */
  readonly between: readonly KubernetesObject[]
  readonly pods: KindTable
  readonly services: KindTable
  /** Kinds that are related to a workload by owner, scale target, claim or equal name. */
  readonly related: readonly KindTable[]
  /** Whether to show the columns that the API server marks as wide. */
  readonly isWide: boolean
  /** Whether to show pods that belong to none of the workloads. */
  readonly withLoosePods: boolean
}

/** Groups pods, services and related objects under their workloads. Omits sections without items. */
export function briefTree(input: BriefInput): readonly BriefSection[] {
  const { workloads, pods, related, isWide } = input
  const ownerByUid = new Map<string, string>()
  const objects = [...input.between, ...workloads.flatMap(({ rows }) => rows.map(({ object }) => object))]
  for (const { metadata } of objects) {
    const owner = controllerOf(metadata?.ownerReferences)
    if (metadata?.uid !== undefined && owner !== undefined) ownerByUid.set(metadata.uid, owner)
  }
  const known = new Set(workloads.flatMap(({ rows }) => rows.map(({ object }) => object.metadata?.uid ?? '')))
  const rowsByRoot = Map.groupBy(pods.rows, ({ object }) => rootOf(object, ownerByUid, known))
  const item = (table: KindTable, row: KindRow, children: readonly BriefItem[] = []): BriefItem =>
    itemOf(table, row, children, isWide)

  const sections = workloads.map((table) => ({
    kind: table.resource.kind.toLowerCase(),
    columns: columnsOf(table, isWide),
    items: sorted(
      table.rows.map((row) => {
        const own = rowsByRoot.get(row.object.metadata?.uid) ?? []
        const podObjects = own.map(({ object }) => object as Pod)
        return item(table, row, [
          ...sorted(own.map((pod) => item(pods, pod))),
          ...sorted(
            input.services.rows
              .filter((service) => serves(service, row, podObjects))
              .map((service) => item(input.services, service)),
          ),
          ...related.flatMap((kind) =>
            sorted(
              kind.rows.filter(({ object }) => belongsTo(object, row.object, podObjects)).map((one) => item(kind, one)),
            ),
          ),
        ])
      }),
    ),
  }))
  const loose = input.withLoosePods ? (rowsByRoot.get(undefined) ?? []) : []
  const looseSection = {
    kind: 'pod',
    columns: columnsOf(pods, isWide),
    items: sorted(loose.map((row) => item(pods, row))),
  }
  return [...sections, looseSection].filter(({ items }) => items.length > 0)
}

/** Returns the displayed column titles of a table, without the name column. */
function columnsOf({ columns }: KindTable, isWide: boolean): readonly string[] {
  return columns.slice(1).flatMap((column) => (isWide || !column.isWide ? [column.name.toUpperCase()] : []))
}

function itemOf(table: KindTable, row: KindRow, children: readonly BriefItem[], isWide: boolean): BriefItem {
  const { metadata, kind } = row.object
  const cells = table.columns.flatMap((column, index): [string, string][] =>
    index === 0 || (column.isWide && !isWide) ? [] : [[column.name.toUpperCase(), row.cells[index] ?? '']],
  )
  return {
    kind: (kind ?? table.resource.kind).toLowerCase(),
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    cells: new Map(cells),
    notes: table.resource.plural === 'pods' ? podNotes(row.object as Pod) : [],
    children,
  }
}

/** Returns the extended resources that a pod requests, and why it is not scheduled. */
export function podNotes(pod: Pod): readonly string[] {
  const asks = [...podRequest(pod).scalar]
    .filter(([name, units]) => isExtendedResourceName(name) && units > 0n)
    .map(([name, units]) => `${name}: ${units}`)
    .toSorted()
  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False')
  return [
    ...(asks.length > 0 ? [`requests ${asks.join(', ')}`] : []),
    ...(unscheduled?.message === undefined ? [] : [unscheduled.message]),
  ]
}

function rootOf(
  object: KubernetesObject,
  ownerByUid: ReadonlyMap<string, string>,
  known: ReadonlySet<string>,
): string | undefined {
  let uid = controllerOf(object.metadata?.ownerReferences)
  let root: string | undefined
  // Owner chains are short. The limit ends a cycle of owners.
  for (let depth = 0; uid !== undefined && depth < 8; depth++) {
    if (known.has(uid)) root = uid
    uid = ownerByUid.get(uid)
  }
  return root
}

function controllerOf(
  owners: readonly { readonly uid: string; readonly controller?: boolean }[] | undefined,
): string | undefined {
  return (owners?.find(({ controller }) => controller === true) ?? owners?.[0])?.uid
}

function serves(service: KindRow, workload: KindRow, pods: readonly Pod[]): boolean {
  if (service.object.metadata?.namespace !== workload.object.metadata?.namespace) return false
  const selector = Object.entries((service.object as Service).spec?.selector ?? {})
  if (selector.length === 0) return false
  const template = (workload.object as Workload).spec?.template?.metadata?.labels
  const labels = [...(template === undefined ? [] : [template]), ...pods.map(({ metadata }) => metadata.labels ?? {})]
  return labels.some((some) => {
    const map = new Map(Object.entries(some))
    return selector.every(([key, value]) => map.get(key) === value)
  })
}

function belongsTo(object: KubernetesObject, workload: KubernetesObject, pods: readonly Pod[]): boolean {
  const { metadata } = object
  if (metadata?.namespace !== workload.metadata?.namespace) return false
  if (metadata?.ownerReferences?.some(({ uid }) => uid === workload.metadata?.uid) === true) return true
  const target = (object as { spec?: { scaleTargetRef?: { kind?: string; name?: string } } }).spec?.scaleTargetRef
  if (target !== undefined) return target.kind === workload.kind && target.name === workload.metadata?.name
  if (object.kind === 'PersistentVolumeClaim') {
    return pods.some(({ spec }) =>
      spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === metadata?.name),
    )
  }
  return metadata?.name === workload.metadata?.name
}

function sorted(items: readonly BriefItem[]): readonly BriefItem[] {
  const keyOf = ({ namespace, name }: BriefItem): string => `${namespace}/${name}`
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}
