import type { CommandLine } from '@berth/process/command'
import { type ClusterSnapshot, isListed, SNAPSHOT_PAGE_SIZE, snapshotCluster } from '@berth/cluster-view'
import { type ApiClient, resourceRefs } from '@berth/k8s-client'
import type { Node } from '@berth/types'
import type { CommandContext } from '../cli/command.ts'
import type { Session } from '../cli/session.ts'
import { withProgress } from '../cli/progress.ts'
import { type CommandOutput, watchOutput } from '../cli/watch-output.ts'
import { UsageError } from '../errors.ts'
import { inFormat, isForPeople, outputFormat } from '../output/output-format.ts'
import { paintFor } from '../output/paint.ts'
import { readOptionsOf, type ReadOptions } from '../output/read-json.ts'
import { tableWidth } from '../output/table-width.ts'
import { loadProfiles, printNotes, type Profiles } from '../profile/load-profiles.ts'
import { missingSentences } from './missing-sentences.ts'
import { findDevices } from './devices/find-devices.ts'
import { capacityText } from './output/capacity-text.ts'
import { requestedCsv, requestedText, requestedUnits, requestedValue } from './output/requested-text.ts'
import { capacityCsv, capacityValue, type ShownCapacity } from './output/shown-capacity.ts'
import { capacityRows, groupByLabel, type ResourceCapacity } from './rows/capacity-rows.ts'
import { decidedRoom } from './rows/decided-room.ts'
import { podUnits } from './rows/pod-units.ts'
import { sortKeys, sortRows } from './rows/sort-rows.ts'

/** Runs `kubectl berth capacity`. */
export async function runCapacity(line: CommandLine, context: CommandContext): Promise<void> {
  const { terminal, connect, stop } = context
  const isWatching = line.has('watch')
  if (isWatching && !isForPeople(outputFormat(line)))
    throw new UsageError('capacity: --watch prints text only', 'Leave out --output, or use -o wide.')
  const profiles = await loadProfiles(line, context)
  printNotes(profiles, [profiles.first], terminal)
  await using session = await connect()
  const read = (): Promise<CommandOutput> => capacityOutput(line, { context, session, profiles })
  if (isWatching) {
    await watchOutput(terminal, stop, read)
    return
  }
  const { text, notes } = await withProgress(terminal, 'Reading nodes and pods', read)
  terminal.note(notes)
  terminal.out(text)
}

async function capacityOutput(
  line: CommandLine,
  { context, session, profiles }: { context: CommandContext; session: Session; profiles: Profiles },
): Promise<CommandOutput> {
  const { terminal, stop } = context
  const { client } = session.cluster
  const options = readOptionsOf(session, { terminal, stop })
  const selector = line.text('selector')
  const namespace = line.text('namespace')
  const fallbackNamespace = namespace ?? session.namespace
  const [snapshot, nodeNames] = await Promise.all([
    snapshotCluster(client, {
      signal: stop,
      configMaps: profiles.configMaps,
      fallbackNamespace,
      ...(!profiles.isChosen && { kinds: [], needsImages: false }),
    }),
    selector === undefined ? undefined : namesOf(client, selector, stop),
  ])
  const { forbidden } = snapshot
  const wanted = { withNative: line.has('all'), resourceName: line.words[0] }
  const format = outputFormat(line)
  const paint = paintFor(terminal)
  const notes = [...missingSentences(forbidden, fallbackNamespace)]
  const output = (text: string): CommandOutput => ({ text, notes: notes.map((note) => `${note}\n`).join('') })
  const units = podUnits(snapshot.pods, { ...wanted, namespace })
  if (forbidden.includes('nodes')) {
    const requested = requestedUnits(units)
    return output(
      inFormat(format, {
        text: (isWide) =>
          requestedText(requested, {
            paint,
            columns: tableWidth(terminal, isWide),
            none: noneRequests(snapshot, namespace),
          }),
        value: () => ({ missing: forbidden, requested: requestedValue(requested) }),
        csv: () => requestedCsv(requested),
      }),
    )
  }
  const rows = capacityRows(snapshot, { ...wanted, pods: units, nodeNames })
  const decided = profiles.isChosen ? rows.map((row) => decide(row, { snapshot, profiles, context })) : rows
  const devices = line.has('devices') ? await findDevices(client, { snapshot, rows, ...options }) : undefined
  notes.push(...(devices?.notes ?? []))
  const resources = shown(line, snapshot, decided, devices?.devices)
  const groupBy = line.text('group-by')
  const [withPods, withDevices] = [line.has('pods'), line.has('devices')]
  if (resources.length === 0 && isForPeople(format)) {
    const count = nodeNames?.size ?? snapshot.nodes.size
    const what = wanted.resourceName ?? 'any extended resource'
    notes.push(`None of the ${count} nodes offers ${what}. To see all: kubectl berth capacity --all`)
    return output('')
  }
  return output(
    inFormat(format, {
      text: (isWide) => capacityText(resources, { columns: tableWidth(terminal, isWide), paint, groupBy, withPods }),
      value: () => ({ resources: capacityValue(resources), ...(forbidden.length > 0 && { missing: forbidden }) }),
      csv: () => capacityCsv(resources, { groupBy, withPods, withDevices }),
    }),
  )
}

/** Says that no pod requests a resource, as far as pods could be listed. Undefined: in all namespaces. */
function noneRequests(snapshot: ClusterSnapshot, namespace: string | undefined): string {
  const { fallbackNamespace } = snapshot
  const read = isListed(snapshot, 'pods', namespace) ? namespace : fallbackNamespace
  if (!isListed(snapshot, 'pods', read))
    return 'Which pods with a node request it is unknown: this user may not list pods.'
  return `No pod ${read === undefined ? '' : `of namespace ${read} `}with a node requests it.`
}

/** Returns the names of the nodes with labels. Asked for separately, because a decision is about all nodes. */
async function namesOf(
  client: Pick<ApiClient, 'list'>,
  labelSelector: string,
  signal: ReadOptions['signal'],
): Promise<ReadonlySet<string>> {
  const { items } = await client.list<Node>(resourceRefs.nodes, { labelSelector, signal, pageSize: SNAPSHOT_PAGE_SIZE })
  return new Set(items.map(({ metadata }) => metadata.name ?? ''))
}

function decide(
  row: ResourceCapacity,
  { snapshot, profiles, context }: { snapshot: ClusterSnapshot; profiles: Profiles; context: CommandContext },
): ResourceCapacity {
  const { clock, random } = context.terminal
  return decidedRoom(row, { framework: profiles.first.framework, state: snapshot.state, clock, random })
}

/** Adds devices and groups, and sorts. */
function shown(
  line: CommandLine,
  snapshot: ClusterSnapshot,
  resources: readonly ResourceCapacity[],
  devices: Awaited<ReturnType<typeof findDevices>>['devices'] | undefined,
): readonly ShownCapacity[] {
  const key = sortKeys.find((one) => one === line.text('sort-by')) ?? 'name'
  const label = line.text('group-by')
  return resources.map((resource) => ({
    ...resource,
    nodes: sortRows(resource.nodes, key),
    ...(label !== undefined && {
      groups: sortRows(
        groupByLabel(resource, (node) => snapshot.nodes.get(node)?.metadata.labels?.[label]),
        key,
      ),
    }),
    ...(devices !== undefined && { devices: devices.get(resource.resourceName) ?? [] }),
  }))
}
