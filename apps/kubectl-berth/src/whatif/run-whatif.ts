import type { CommandLine } from '@berth/process/command'
import { printableLine } from '@berth/text/printable'
import { type ClusterSnapshot, snapshotCluster } from '@berth/cluster-view'
import type { CommandContext } from '../cli/command.ts'
import { withProgress } from '../cli/progress.ts'
import type { CsvTable } from '../output/csv-text.ts'
import { evaluatedWithout, skippedUnreadable } from '../output/evaluated-without.ts'
import { fitTable } from '../output/fit-table.ts'
import { inFormat, outputFormat } from '../output/output-format.ts'
import { tableWidth } from '../output/table-width.ts'
import { loadProfiles, printNotes } from '../profile/load-profiles.ts'
import { readChanges } from './changes.ts'
import { readSnapshotFile } from './snapshot-file.ts'
import { type PodOutcome, tryChanges } from './try-changes.ts'

/** Runs `kubectl berth whatif`. */
export async function runWhatif(line: CommandLine, context: CommandContext): Promise<void> {
  const { terminal } = context
  const changes = readChanges(line)
  const profiles = await loadProfiles(line, context)
  printNotes(profiles, profiles.all, terminal)
  const { snapshot, namespace } = await readCluster(line, profiles.configMaps, context)
  const { clock, random } = terminal
  const pods = tryChanges({ snapshot, changes, namespace, profiles, clock, random })
  for (const sentence of skippedUnreadable(snapshot.unreadable)) terminal.note(`${sentence}\n`)
  terminal.out(
    inFormat(outputFormat(line), {
      text: (isWide) => outcomeText(pods, tableWidth(terminal, isWide)),
      value: () => ({ pods }),
      csv: () => outcomeCsv(pods),
    }),
  )
}

async function readCluster(
  line: CommandLine,
  configMaps: ReadonlySet<string>,
  { terminal, connect, stop }: CommandContext,
): Promise<{ readonly snapshot: ClusterSnapshot; readonly namespace: string }> {
  const file = line.text('snapshot')
  const namespace = line.text('namespace')
  if (file !== undefined) {
    return { snapshot: await readSnapshotFile(terminal, file, configMaps), namespace: namespace ?? 'default' }
  }
  await using session = await connect()
  const snapshot = await withProgress(terminal, 'Reading nodes and pods', () =>
    snapshotCluster(session.cluster.client, { signal: stop, configMaps }),
  )
  for (const sentence of evaluatedWithout(snapshot.forbidden)) terminal.note(`${sentence}\n`)
  return { snapshot, namespace: namespace ?? session.namespace }
}

function outcomeText(pods: readonly PodOutcome[], width: number): string {
  if (pods.length === 0) return 'No pod is pending, and none loses its node.\n'
  const placed = pods.filter(({ nodeAfter }) => nodeAfter !== undefined).length
  const rows = pods.map(({ namespace, name, nodeNow, fitsNow, nodeAfter, message }) => [
    `${namespace}/${name}`,
    nodeNow ?? (fitsNow ? 'Pending, fits' : 'Pending'),
    nodeAfter ?? 'none',
    printableLine(message),
  ])
  const table = fitTable(outcomeColumns, rows, width, { wrapsLast: true })
  return `${table.join('\n')}\n\n${placed} of ${pods.length} pods would have a node.\n`
}

const outcomeColumns = ['POD', 'NOW', 'THEN', 'WHY'].map((header) => ({ header, rank: header === 'NOW' ? 1 : 0 }))

function outcomeCsv(pods: readonly PodOutcome[]): CsvTable {
  return {
    columns: ['namespace', 'name', 'nodeNow', 'fitsNow', 'nodeAfter', 'message'],
    rows: pods.map(({ namespace, name, nodeNow, fitsNow, nodeAfter, message }) => [
      namespace,
      name,
      nodeNow,
      fitsNow,
      nodeAfter,
      message,
    ]),
  }
}
