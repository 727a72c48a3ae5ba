import type { KubernetesObject, Pod, Workload } from '@berth/types'
import { controllerOf } from '../explain/controller-of.ts'
import { itemNotes } from './item-notes.ts'
import type { KindRow, KindTable } from './kind-table.ts'
import { podLabelsOf } from './pod-labels.ts'
import { servedPods, type ServedPods } from './served-pods.ts'

/** One object in the output of `kubectl berth brief`, with its related objects. */
export interface BriefItem {
  /** Lower-case kind: `deployment`. */
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** Column name -> cell, without the name. */
  readonly cells: ReadonlyMap<string, string>
  /** Of a pod: requested and held extended resources, and why it is pending. Of others: conditions that are a problem. */
  readonly notes: readonly string[]
  readonly children: readonly BriefItem[]
}

/** All workloads of one kind. */
export interface BriefSection {
  readonly kind: string
  readonly columns: readonly string[]
  /** The columns of the kinds below the items. */
  readonly childColumns: ReadonlyMap<string, readonly string[]>
  readonly items: readonly BriefItem[]
}

/** The objects that `kubectl berth brief` has read, and its display options. */
export interface BriefInput {
  /** Kinds of workloads, in display order. */
  readonly workloads: readonly KindTable[]
  /** Objects between workloads and pods: ReplicaSets, and Jobs that a label selector left out. */
  readonly between: readonly KindTable[]
  readonly pods: KindTable
  /** The pods that the user named; undefined: those without a workload. */
  readonly shownPods?: readonly KindRow[] | undefined
  readonly services: KindTable
  readonly endpointSlices: readonly KubernetesObject[]
  /** Kinds that are related to a workload by owner, scale target, claim or equal name. */
  readonly related: readonly KindTable[]
  /** Plurals of the kinds whose objects are shown at the top, also when another object owns them. */
  readonly topKinds: ReadonlySet<string>
  /** Labels of the pods that an object scales, by uid of the object, where its scale subresource tells them. */
  readonly scaleSelectors: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** Whether to show the columns that the API server marks as wide. */
  readonly isWide: boolean
  /** Whether to show pods that belong to none of the workloads. */
  readonly withLoosePods: boolean
}

/** Groups objects under the workloads that own them, with their services and related objects. Omits sections without items. */
export function briefTree(input: BriefInput): readonly BriefSection[] {
  const { workloads, between, pods, isWide } = input
  const tree = new OwnerTree([...workloads, ...between, pods])
  const served = servedPods(input.endpointSlices)
  const itemsOf = (table: KindTable, isShown: (row: KindRow) => boolean): readonly BriefItem[] =>
    sorted(table.rows.filter(isShown).map((row) => workloadItem({ table, row }, tree, input, served)))
  const isTop = (table: KindTable) => (row: KindRow) => input.topKinds.has(table.resource.plural) || tree.isRoot(row)
  const sections = workloads.map((table) => section(table, itemsOf(table, isTop(table)), input))
  // A ReplicaSet without an owner is a workload of its own.
  const loose = between.map((table) =>
    section(table, input.withLoosePods ? itemsOf(table, (row) => tree.isRoot(row) && tree.hasPods(row)) : [], input),
  )
  // An object may select pods that it does not own.
  const placed = podsIn([...sections, ...loose].flatMap(({ items }) => items))
  const isLoose = (row: KindRow): boolean => tree.isRoot(row) && !placed.has(objectPlace(row.object))
  const loosePods = input.shownPods ?? (input.withLoosePods ? pods.rows.filter(isLoose) : [])
  const podItems = sorted(loosePods.map((row) => itemOf(pods, row, [], isWide)))
  return [...sections, ...loose, section(pods, podItems, input)].filter(({ items }) => items.length > 0)
}

/** Returns the pods among the items, as `namespace/name`. */
export function podsIn(items: readonly BriefItem[]): ReadonlySet<string> {
  return new Set(
    items.flatMap(({ kind, namespace, name, children }) =>
      kind === 'pod' ? [`${namespace}/${name}`] : [...podsIn(children)],
    ),
  )
}

/** Returns `namespace/name` of an object. */
export function objectPlace({ metadata }: KubernetesObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`
}

function section(table: KindTable, items: readonly BriefItem[], input: BriefInput): BriefSection {
  const kind = table.resource.kind.toLowerCase()
  const below = new Set(items.flatMap(kindsBelow))
  const tables = [...input.workloads, ...input.between, input.pods, input.services, ...input.related]
  const childColumns = new Map(
    tables.flatMap((one) => {
      const name = one.resource.kind.toLowerCase()
      return below.has(name) ? [[name, columnsOf(one, input.isWide)] as const] : []
    }),
  )
  return { kind, columns: columnsOf(table, input.isWide), childColumns, items }
}

function kindsBelow({ children }: BriefItem): readonly string[] {
  return children.flatMap((child) => [child.kind, ...kindsBelow(child)])
}

/** An object in the table of its kind. */
interface PlacedRow {
  readonly table: KindTable
  readonly row: KindRow
}

/** The objects below their owners. */
class OwnerTree {
  readonly #childrenByUid = new Map<string, PlacedRow[]>()
  readonly #known: ReadonlySet<string>

  constructor(tables: readonly KindTable[]) {
    this.#known = new Set(tables.flatMap(({ rows }) => rows.map(({ object }) => object.metadata?.uid ?? '')))
    for (const table of tables) {
      for (const row of table.rows) {
        const owner = this.#ownerOf(row)
        if (owner === undefined) continue
        const children = this.#childrenByUid.get(owner)
        if (children === undefined) this.#childrenByUid.set(owner, [{ table, row }])
        else children.push({ table, row })
      }
    }
  }

  /** Returns whether no object that was read owns the row. */
  readonly isRoot = (row: KindRow): boolean => this.#ownerOf(row) === undefined

  childrenOf({ object }: KindRow): readonly PlacedRow[] {
    return this.#childrenByUid.get(object.metadata?.uid ?? '') ?? []
  }

  hasPods(row: KindRow): boolean {
    return this.podsOf(row).length > 0
  }

  /** Returns the pods of the row, at any depth. */
  podsOf(row: KindRow, depth = 0): readonly Pod[] {
    // Owner chains are short. The limit ends a cycle of owners.
    if (depth > 8) return []
    return this.childrenOf(row).flatMap(({ table, row: child }) =>
      table.resource.plural === 'pods' ? [child.object as Pod] : this.podsOf(child, depth + 1),
    )
  }

  #ownerOf({ object }: KindRow): string | undefined {
    const owners = object.metadata?.ownerReferences
    const uid = (controllerOf(owners) ?? owners?.[0])?.uid
    return uid !== undefined && uid !== object.metadata?.uid && this.#known.has(uid) ? uid : undefined
  }
}

function workloadItem({ table, row }: PlacedRow, tree: OwnerTree, input: BriefInput, served: ServedPods): BriefItem {
  const owned = tree.podsOf(row)
  const selected = owned.length > 0 ? [] : selectedPods({ table, row }, input, served)
  const pods = [...owned, ...selected.map(({ object }) => object as Pod)]
  const labels = (row.object as Workload).spec?.template?.metadata?.labels
  const services = input.services.rows.filter(
    ({ object }) =>
      table.resource.plural !== 'services' &&
      table.resource.plural !== 'nodes' &&
      object.metadata?.namespace === row.object.metadata?.namespace &&
      served.serves(object, pods, labels),
  )
  return itemOf(
    table,
    row,
    [
      ...ownedItems(row, tree, input.isWide),
      ...sorted(selected.map((pod) => itemOf(input.pods, pod, [], input.isWide))),
      ...sorted(services.map((service) => itemOf(input.services, service, [], input.isWide))),
      ...input.related.flatMap((kind) =>
        sorted(
          kind.rows
            .filter(({ object }) => belongsTo(object, row.object, pods))
            .map((one) => itemOf(kind, one, [], input.isWide)),
        ),
      ),
    ],
    input.isWide,
  )
}

/**
 * Returns the pods that belong to an object that owns none: those on a Node, those that a Service serves, and those that
 * the selector of the object or of its scale subresource selects.
 */
function selectedPods({ table, row }: PlacedRow, input: BriefInput, served: ServedPods): readonly KindRow[] {
  const { metadata } = row.object
  const { rows } = input.pods
  if (table.resource.plural === 'nodes')
    return rows.filter(({ object }) => (object as Pod).spec.nodeName === metadata?.name)
  const near = rows.filter(({ object }) => object.metadata?.namespace === metadata?.namespace)
  if (table.resource.plural === 'services')
    return near.filter(({ object }) => served.serves(row.object, [object as Pod], undefined))
  const labels = input.scaleSelectors.get(metadata?.uid ?? '') ?? podLabelsOf(row.object) ?? {}
  const wanted = Object.entries(labels)
  if (wanted.length === 0) return []
  return near.filter(({ object }) => {
    const own = new Map(Object.entries(object.metadata?.labels ?? {}))
    return wanted.every(([key, value]) => own.get(key) === value)
  })
}

/** Returns the objects that the row owns, with theirs. Old ReplicaSets, which have no pods, are left out. */
function ownedItems(row: KindRow, tree: OwnerTree, isWide: boolean, depth = 0): readonly BriefItem[] {
  if (depth > 8) return []
  const shown = tree
    .childrenOf(row)
    .filter(
      ({ table, row: child }) => table.resource.plural !== 'replicasets' || tree.hasPods(child) || isWanted(child),
    )
  return sorted(
    shown.map(({ table, row: child }) => itemOf(table, child, ownedItems(child, tree, isWide, depth + 1), isWide)),
  )
}

function isWanted({ object }: KindRow): boolean {
  return ((object as Workload).spec?.replicas ?? 1) > 0
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
    notes: itemNotes({ ...row.object, kind: kind ?? table.resource.kind }),
    children,
  }
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
