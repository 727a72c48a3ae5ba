import type { CommandLine } from '@berth/process/command'
import { snapshotCluster } from '@berth/cluster-view'
import type { CommandContext } from '../cli/command.ts'
import { paintFor } from '../output/paint.ts'
import { withProgress } from '../cli/progress.ts'
import { structuredText } from '../output/structured-text.ts'
import { loadProfiles, printNotes } from '../profile/load-profiles.ts'
import { capacityRows } from './rows/capacity-rows.ts'
import { capacityText } from './output/capacity-text.ts'
import { requestedText, requestedUnits } from './output/requested-text.ts'
import { decidedRoom } from './rows/decided-room.ts'
import { heldDevices } from './devices/held-devices.ts'

/** Runs `kubectl berth capacity`. */
export async function runCapacity(line: CommandLine, context: CommandContext): Promise<void> {
  const { terminal, connect, stop } = context
  const profiles = await loadProfiles(line, context)
  printNotes(profiles, [profiles.first], terminal)
  await using session = await connect()
  const snapshot = await withProgress(terminal, 'Reading nodes and pods', () =>
    snapshotCluster(session.cluster.client, {
      signal: stop,
      configMaps: profiles.configMaps,
      fallbackNamespace: session.namespace,
      ...(!profiles.isChosen && { kinds: [] }),
    }),
  )
  const { forbidden } = snapshot
  const wanted = { withNative: line.has('all'), resourceName: line.words[0] }
  const format = line.text('output')
  for (const sentence of missingSentences(forbidden, session.namespace)) terminal.note(`${sentence}\n`)
  if (forbidden.includes('nodes')) {
    const requested = requestedUnits(snapshot.pods, wanted)
    terminal.out(
      format === 'json' || format === 'yaml'
        ? structuredText({ missing: forbidden, requested }, format)
        : requestedText(requested, paintFor(terminal)),
    )
    return
  }
  const rows = capacityRows(snapshot, wanted)
  const { framework } = profiles.first
  const { clock, random } = terminal
  const decided = profiles.isChosen
    ? rows.map((row) => decidedRoom(row, { framework, state: snapshot.state, clock, random }))
    : rows
  const held = line.has('devices') ? heldDevices(snapshot.pods) : undefined
  const resources =
    held === undefined ? decided : decided.map((row) => ({ ...row, devices: held.get(row.resourceName) ?? [] }))
  if (held !== undefined && !resources.some(({ resourceName }) => held.has(resourceName))) {
    terminal.note(
      'No pod status names a device. Kubelets report the devices of device plugins from Kubernetes 1.36 (feature gate ResourceHealthStatus).\n',
    )
  }
  if (format === 'json' || format === 'yaml') {
    terminal.out(structuredText({ resources, ...(forbidden.length > 0 && { missing: forbidden }) }, format))
    return
  }
  if (resources.length === 0) {
    const what = line.words[0] ?? 'any extended resource'
    terminal.note(`None of the ${snapshot.nodes.size} nodes offers ${what}. To see all: kubectl berth capacity --all\n`)
    return
  }
  terminal.out(capacityText(resources, paintFor(terminal)))
}

/** Says what is missing from the numbers, and which permission would complete them. */
function missingSentences(forbidden: readonly string[], namespace: string): readonly string[] {
  const others = forbidden.filter((plural) => !/^(?:nodes|pods)\b/.test(plural))
  return [
    ...(forbidden.includes('nodes')
      ? [
          'This user may not list nodes, so only what pods request is shown. Grant the verb list on nodes to see the rest.',
        ]
      : []),
    ...(forbidden.includes('pods (other namespaces)')
      ? [`Only pods of namespace ${namespace} are counted: this user may not list pods of other namespaces.`]
      : []),
    ...(forbidden.includes('pods') ? ['No pods are counted: this user may not list pods.'] : []),
    ...(others.length > 0 ? [`Evaluated without ${others.join(', ')}: this user may not list them.`] : []),
  ]
}
