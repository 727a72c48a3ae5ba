import type { CommandLine } from '@berth/process/command'
import { counted } from '@berth/text/counted'
import { printableLine } from '@berth/text/printable'
import type { Workload } from '@berth/types'
import { type ClusterSnapshot, isListed, snapshotCluster } from '@berth/cluster-view'
import { isApiStatus, type ResourceRef, resourceRefs } from '@berth/k8s-client'
import type { CommandContext } from '../cli/command.ts'
import { withProgress } from '../cli/progress.ts'
import { CommandError } from '../errors.ts'
import type { CsvTable } from '../output/csv-text.ts'
import { evaluatedWithout, skippedUnreadable } from '../output/evaluated-without.ts'
import { fitTable } from '../output/fit-table.ts'
import { inFormat, outputFormat } from '../output/output-format.ts'
import { tableWidth } from '../output/table-width.ts'
import { wrapSentence } from '../output/wrap-sentence.ts'
import { loadProfiles, printNotes } from '../profile/load-profiles.ts'
import { evaluablePod } from '../explain/evaluable-pod.ts'
import { type Changes, readChanges } from './changes.ts'
import type { EvictionBudget } from './eviction-budgets.ts'
import { clusterOfFile, type ListableCluster, snapshotOfFile } from './snapshot-file.ts'
import { type PodOutcome, tryChanges } from './try-changes.ts'
import type { WhatIf } from './what-if.ts'

/** Runs `kubectl berth whatif`. */
export async function runWhatif(line: CommandLine, context: CommandContext): Promise<void> {
  const { terminal } = context
  const changes = readChanges(line)
  const profiles = await loadProfiles(line, context)
  printNotes(profiles, profiles.all, terminal)
  const { snapshot, namespace, ...objects } = await readCluster(line, { changes, profiles, context })
  const { clock, random } = terminal
  const pods = tryChanges({ snapshot, changes, namespace, ...objects, profiles, clock, random })
  for (const sentence of [...skippedUnreadable(snapshot.unreadable), ...leftOutOf(pods, snapshot)])
    terminal.note(`${sentence}\n`)
  terminal.out(
    inFormat(outputFormat(line), {
      text: (isWide) =>
        pods.length === 0
          ? `${wrapSentence(noneAffected(snapshot), terminal.columns).join('\n')}\n`
          : outcomeText(pods, tableWidth(terminal, isWide), terminal.columns),
      value: () => ({ pods, ...(snapshot.forbidden.length > 0 && { missing: snapshot.forbidden }) }),
      csv: () => outcomeCsv(pods),
    }),
  )
}

interface ReadCluster extends Pick<WhatIf, 'budgets' | 'namespace' | 'replicaSets'> {
  readonly snapshot: ClusterSnapshot
}

async function readCluster(
  line: CommandLine,
  { changes, profiles: { configMaps }, context }: Pick<WhatIf, 'changes' | 'profiles'> & { context: CommandContext },
): Promise<ReadCluster> {
  const { terminal, connect, stop } = context
  const file = line.text('snapshot')
  const namespace = line.text('namespace')
  if (file !== undefined) {
    const cluster = await clusterOfFile(terminal, file)
    const snapshot = await snapshotOfFile(cluster, file, configMaps)
    return { snapshot, namespace: namespace ?? 'default', ...(await readOwners(cluster, changes, {})) }
  }
  await using session = await connect()
  const { client } = session.cluster
  const fallbackNamespace = namespace ?? session.namespace
  const [snapshot, objects] = await withProgress(terminal, 'Reading nodes and pods', () =>
    Promise.all([
      snapshotCluster(client, { signal: stop, configMaps, fallbackNamespace }),
      readOwners(client, changes, { namespace: fallbackNamespace, signal: stop }),
    ]),
  )
  if (snapshot.forbidden.includes('nodes'))
    throw new CommandError('try a change: this user may not list nodes', {
      code: 'BERTH_KUBECTL_FORBIDDEN',
      hint: 'Grant the verb list on nodes, or give a recorded cluster with --snapshot.',
    })
  for (const sentence of evaluatedWithout(snapshot.forbidden)) terminal.note(`${sentence}\n`)
  return { snapshot, namespace: fallbackNamespace, ...objects }
}

/** Reads what the changes need besides nodes and pods. The snapshot names what may not be listed. */
async function readOwners(
  cluster: ListableCluster,
  { drainedNodes, requests }: Changes,
  { namespace, signal }: { readonly namespace?: string; readonly signal?: AbortSignal },
): Promise<Pick<WhatIf, 'budgets' | 'replicaSets'>> {
  const inNamespace = namespace === undefined ? {} : { namespace }
  const list = async <T>(
    ref: ResourceRef,
    where: { readonly namespace?: string } = {},
  ): Promise<readonly T[] | undefined> => {
    try {
      return (await cluster.list<T>(ref, { ...where, ...(signal !== undefined && { signal }) })).items
    } catch (error) {
      if (isApiStatus(error, 403)) return undefined
      if (isApiStatus(error, 404)) return []
      throw error
    }
  }
  // As the snapshot does: a user with rights in one namespace may list its budgets.
  const listBudgets = async (): Promise<readonly EvictionBudget[]> =>
    (await list<EvictionBudget>(resourceRefs.podDisruptionBudgets)) ??
    (await list<EvictionBudget>(resourceRefs.podDisruptionBudgets, inNamespace)) ??
    []
  const hasDeployments = requests?.subjects.some(({ resource }) => resource.plural === 'deployments') ?? false
  const [budgets, replicaSets] = await Promise.all([
    drainedNodes.length > 0 ? listBudgets() : [],
    hasDeployments ? list<Workload>(resourceRefs.replicaSets, inNamespace) : [],
  ])
  return { budgets, replicaSets }
}

/** Says that the changes affect no pod, as far as pods could be listed. */
function noneAffected(snapshot: ClusterSnapshot): string {
  const { fallbackNamespace = '' } = snapshot
  if (isListed(snapshot, 'pods')) return 'No pod is pending, and none loses its node.'
  return isListed(snapshot, 'pods', fallbackNamespace)
    ? `No pod of namespace ${fallbackNamespace} is pending or loses its node. Pods of other namespaces are unknown: this user may not list them.`
    : 'Whether pods are pending or lose their node is unknown: this user may not list pods.'
}

/** Names the parts of the pods that were not evaluated. */
function leftOutOf(outcomes: readonly PodOutcome[], snapshot: ClusterSnapshot): readonly string[] {
  const affected = new Set(outcomes.map(({ namespace, name }) => `${namespace}/${name}`))
  return snapshot.pods.flatMap((pod) => {
    const name = `${pod.metadata.namespace ?? 'default'}/${pod.metadata.name ?? ''}`
    return affected.has(name)
      ? evaluablePod(pod, snapshot).leftOut.map((part) => `Not evaluated: pod ${name}: ${part}.`)
      : []
  })
}

function outcomeText(pods: readonly PodOutcome[], width: number, columns: number): string {
  const placed = pods.filter(({ nodeAfter }) => nodeAfter !== undefined).length
  const rows = pods.map(({ namespace, name, nodeNow, fitsNow, nodeAfter, message }) => [
    `${namespace}/${name}`,
    nodeNow ?? (fitsNow ? 'Pending, fits' : 'Pending'),
    nodeAfter ?? 'none',
    printableLine(message),
  ])
  const table = fitTable(outcomeColumns, rows, width, { wrapsLast: true })
  const blocked = pods.filter(({ blockedBy }) => blockedBy.length > 0).length
  const sentences = [
    `${placed} of ${pods.length} pods would have a node.`,
    ...(blocked === 0
      ? []
      : [`The drain does not end: PodDisruptionBudgets keep ${counted(blocked, 'pod')} on drained nodes.`]),
  ]
  return `${[...table, '', ...sentences.flatMap((one) => wrapSentence(one, columns))].join('\n')}\n`
}

const outcomeColumns = ['POD', 'NOW', 'THEN', 'WHY'].map((header) => ({ header, rank: header === 'NOW' ? 1 : 0 }))

function outcomeCsv(pods: readonly PodOutcome[]): CsvTable {
  return {
    columns: ['namespace', 'name', 'nodeNow', 'fitsNow', 'nodeAfter', 'message', 'blockedBy'],
    rows: pods.map(({ namespace, name, nodeNow, fitsNow, nodeAfter, message, blockedBy }) => [
      namespace,
      name,
      nodeNow,
      fitsNow,
      nodeAfter,
      message,
      blockedBy.join(' '),
    ]),
  }
}
