import { isApiStatus, resourceRefs, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import type { BriefInput } from './brief-tree.ts'
import { listTable, type KindTable, type TableQuery } from './kind-table.ts'

const scalers: ResourceRef = {
  group: 'autoscaling',
  version: 'v2',
  plural: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
}

/** Workloads that are shown by default. */
export const defaultKinds: readonly ResourceRef[] = [
  resourceRefs.deployments,
  resourceRefs.statefulSets,
  resourceRefs.daemonSets,
  resourceRefs.jobs,
]

/** Options of {@link readBrief}. */
export interface BriefQuery extends TableQuery {
  readonly kinds: readonly ResourceRef[]
  /** Further kinds whose objects have a workload's name or owner. */
  readonly related: readonly ResourceRef[]
  readonly isWide: boolean
  /** Receives a sentence for each kind that this user may not list. */
  readonly onMissing: (sentence: string) => void
}

/**
 * Reads the objects of a brief. Skips kinds that the server does not serve, and skips and reports kinds that this user
 * may not list, because an incomplete brief is better than none.
 *
 * @throws the client's errors for every other failed call, or when the user may list none of the kinds.
 */
export async function readBrief(client: ApiClient, query: BriefQuery): Promise<BriefInput> {
  const { kinds, isWide, onMissing, labelSelector } = query
  const all = { namespace: query.namespace, signal: query.signal, deadline: query.deadline }
  const refused: unknown[] = []
  const sentences: string[] = []
  let answers = 0
  const read = (resource: ResourceRef, labels?: string): Promise<KindTable> =>
    listTable(client, resource, { ...all, ...(labels !== undefined && { labelSelector: labels }) }).then(
      (table) => {
        answers++
        return table
      },
      (error: unknown) => {
        if (isApiStatus(error, 403)) {
          refused.push(error)
          sentences.push(`${resource.plural} are skipped: ${error.serverMessage}`)
        } else if (!isApiStatus(error, 404)) throw error
        return { resource, columns: [], rows: [] }
      },
    )
  const [workloads, replicaSets, pods, services, related] = await Promise.all([
    Promise.all(kinds.map((kind) => read(kind, labelSelector))),
    read(resourceRefs.replicaSets),
    read(resourceRefs.pods),
    read(resourceRefs.services),
    Promise.all([scalers, resourceRefs.persistentVolumeClaims, ...query.related].map((kind) => read(kind))),
  ])
  if (answers === 0 && refused.length > 0) throw refused[0]
  for (const sentence of sentences) onMissing(sentence)
  return {
    workloads,
    between: replicaSets.rows.map(({ object }) => object),
    pods,
    services,
    related,
    isWide,
    withLoosePods: labelSelector === undefined,
  }
}
