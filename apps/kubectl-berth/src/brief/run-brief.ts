import type { CommandLine } from '@berth/process/command'
import { resourceRefs, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import { shellCommand } from '@berth/text/shell-command'
import type { Pod } from '@berth/types'
import type { CommandContext } from '../cli/command.ts'
import { paintFor } from '../output/paint.ts'
import { withProgress } from '../cli/progress.ts'
import type { ReadOptions } from '../output/read-json.ts'
import { structuredText } from '../output/structured-text.ts'
import { defaultKinds } from './brief-refs.ts'
import { briefText } from './brief-text.ts'
import { briefTree } from './brief-tree.ts'
import { controlNames } from './control-names.ts'
import { controlText, readControlPanel } from './control-panel.ts'
import { findKind } from './find-kind.ts'
import type { KindRow } from './kind-table.ts'
import { type NamedObject, parseNamedObjects } from './named-objects.ts'
import { type NamedKind, readBrief } from './read-brief.ts'

/** Runs `kubectl berth brief`. */
export async function runBrief(line: CommandLine, { terminal, connect, stop }: CommandContext): Promise<void> {
  const objects = parseNamedObjects(line.words)
  await using session = await connect()
  const { client } = session.cluster
  const namespace = line.has('all-namespaces') ? undefined : (line.text('namespace') ?? session.namespace)
  let hasGaps = false
  const onMissing = (sentence: string): void => {
    hasGaps = true
    terminal.note(`${sentence}\n`)
  }
  const isWide = line.text('output') === 'wide'
  const read = { signal: stop, deadline: { clock: terminal.clock, ms: session.deadlineMs } }
  const query = { namespace, ...read, onMissing }

  const input = await withProgress(terminal, 'Reading workloads and pods', async () => {
    const kinds = await findKinds(client, line.texts('kind'), read)
    const named = await findNamed(client, objects, read)
    const related = await findKinds(client, line.texts('related'), read)
    const labelSelector = line.text('selector')
    const topKinds = new Set([...kinds, ...named.map(({ resource }) => resource)].map(({ plural }) => plural))
    const others = defaultKinds.filter(({ plural }) => !topKinds.has(plural))
    return readBrief(client, {
      ...query,
      kinds: [...kinds, ...others],
      named,
      topKinds,
      related,
      labelSelector,
      isWide,
    })
  })
  const sections = briefTree(input)
  const names = line.texts('control-match')
  const panel = line.has('control')
    ? await readControlPanel(client, { ...query, matching: names.length > 0 ? names : controlNames })
    : undefined

  const format = line.text('output')
  if (format === 'json' || format === 'yaml') {
    terminal.out(structuredText({ sections, ...(panel !== undefined && { controlPanel: panel }) }, format))
    return
  }
  const paint = paintFor(terminal)
  if (sections.length === 0)
    terminal.note(
      `Nothing ${hasGaps ? 'that you may list ' : ''}runs in ${namespace === undefined ? 'this cluster' : `namespace ${namespace}`}.\n`,
    )
  const textOptions = { columns: terminal.columns, paint, withNamespace: namespace === undefined, isWide }
  terminal.out(briefText(sections, textOptions))
  if (panel !== undefined) terminal.out(`${sections.length > 0 ? '\n' : ''}${controlText(panel, paint)}`)
  const waiting = input.pods.rows.find(isUnscheduled)?.object.metadata
  if (waiting !== undefined) {
    const { name = '', namespace: pods = '' } = waiting
    terminal.note(
      `\nTo see why it is pending: ${shellCommand('kubectl', 'berth', 'explain', 'pod', name, '-n', pods)}\n`,
    )
  }
}

async function findNamed(
  client: ApiClient,
  named: readonly NamedObject[],
  options: ReadOptions,
): Promise<readonly NamedKind[]> {
  const byKind = Map.groupBy(named, ({ kind }) => kind)
  const resources = await findKinds(client, [...byKind.keys()], options)
  return [...byKind.values()].flatMap((objects, index) => {
    const resource = resources[index]
    if (resource === undefined) return []
    const names = objects.flatMap(({ name }) => name ?? [])
    return { resource, names: names.length > 0 ? names : undefined }
  })
}

async function findKinds(
  client: ApiClient,
  words: readonly string[],
  options: ReadOptions,
): Promise<readonly ResourceRef[]> {
  const known = [...Object.values(resourceRefs), ...defaultKinds]
  return Promise.all(
    words.map(
      async (word) =>
        known.find(({ plural, kind }) => plural === word || kind.toLowerCase() === word) ??
        findKind(client, word, options),
    ),
  )
}

function isUnscheduled({ object }: KindRow): boolean {
  const { status } = object as Pod
  return status?.conditions?.some((one) => one.type === 'PodScheduled' && one.status === 'False') ?? false
}
