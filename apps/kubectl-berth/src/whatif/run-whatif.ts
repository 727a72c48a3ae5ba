import type { CommandLine } from '@berth/process/command'
import { counted } from '@berth/text/counted'
import { printableLine } from '@berth/text/printable'
import type { Workload } from '@berth/types'
import { type ClusterSnapshot, snapshotCluster } from '@berth/cluster-view'
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
  for (const sentence of skippedUnreadable(snapshot.unreadable)) terminal.note(`${sentence}\n`)
  terminal.out(
    inFormat(outputFormat(line), {
      text: (isWide) => outcomeText(pods, tableWidth(terminal, isWide), terminal.columns),
      value: () => ({ pods }),
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

/** Reads what the changes need besides nodes and pods. What may not be listed is empty; the snapshot names it. */
async function readOwners(
  cluster: ListableCluster,
  { drainedNodes, requests }: Changes,
  { namespace, signal }: { readonly namespace?: string; readonly signal?: AbortSignal },
): Promise<Pick<WhatIf, 'budgets' | 'replicaSets'>> {
  const list = async <T>(ref: ResourceRef, where: { readonly namespace?: string } = {}): Promise<readonly T[]> => {
    try {
      return (await cluster.list<T>(ref, { ...where, ...(signal !== undefined && { signal }) })).items
    } catch (error) {
      if (isApiStatus(error, 403) || isApiStatus(error, 404)) return []
      throw error
    }
  }
  const hasDeployments = requests?.subjects.some(({ resource }) => resource.plural === 'deployments') ?? false
  const inNamespace = namespace === undefined ? {} : { namespace }
  const [budgets, replicaSets] = await Promise.all([
    drainedNodes.length > 0 ? list<EvictionBudget>(resourceRefs.podDisruptionBudgets) : [],
    hasDeployments ? list<Workload>(resourceRefs.replicaSets, inNamespace) : [],
  ])
  return { budgets, replicaSets }
}

function outcomeText(pods: readonly PodOutcome[], width: number, columns: number): string {
  if (pods.length === 0) return 'No pod is pending, and none loses its node.\n'
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
