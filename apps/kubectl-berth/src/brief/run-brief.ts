import type { CommandLine } from '@berth/process/command'
import { resourceRefs, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import { shellCommand } from '@berth/text/shell-command'
import type { Pod } from '@berth/types'
import type { CommandContext } from '../cli/command.ts'
import { paintFor } from '../output/paint.ts'
import { withProgress } from '../cli/progress.ts'
import { type CommandOutput, watchOutput } from '../cli/watch-output.ts'
import { UsageError } from '../errors.ts'
import { readOptionsOf, type ReadOptions } from '../output/read-json.ts'
import { inFormat, isForPeople, outputFormat } from '../output/output-format.ts'
import { tableWidth } from '../output/table-width.ts'
import { defaultKinds } from './default-kinds.ts'
import { briefCsv } from './brief-csv.ts'
import { briefText } from './brief-text.ts'
import { briefTree, objectPlace, podsIn } from './brief-tree.ts'
import { findKind } from './find-kind.ts'
import { isUnscheduled } from './item-notes.ts'
import { type NamedObject, parseNamedObjects } from './named-objects.ts'
import { type NamedKind, readBrief } from './read-brief.ts'

/** Runs `kubectl berth brief`. */
export async function runBrief(line: CommandLine, { terminal, connect, stop }: CommandContext): Promise<void> {
  const objects = parseNamedObjects(line.words)
  const isWatching = line.has('watch')
  if (isWatching && !isForPeople(outputFormat(line)))
    throw new UsageError('brief: --watch prints text only', 'Leave out --output, or use -o wide.')
  await using session = await connect()
  const { client } = session.cluster
  const namespace = line.has('all-namespaces') ? undefined : (line.text('namespace') ?? session.namespace)
  const options = readOptionsOf(session, { terminal, stop })
  // Read once: kinds do not change while a command watches.
  const kinds = await findKinds(client, line.texts('kind'), options)
  const named = await findNamed(client, objects, options)
  const related = await findKinds(client, line.texts('related'), options)
  const read = (): Promise<CommandOutput> =>
    briefOutput(line, {
      terminal,
      client,
      query: { namespace, ...options },
      fallbackNamespace: session.namespace,
      kinds,
      named,
      related,
    })
  if (isWatching) {
    await watchOutput(terminal, stop, read)
    return
  }
  const { text, notes } = await withProgress(terminal, 'Reading workloads and pods', read)
  terminal.out(text)
  terminal.note(notes)
}

/** Objects and settings that a brief is made from. */
interface BriefSources {
  readonly terminal: CommandContext['terminal']
  readonly client: ApiClient
  readonly query: ReadOptions & { readonly namespace: string | undefined }
  readonly fallbackNamespace: string
  readonly kinds: readonly ResourceRef[]
  readonly named: readonly NamedKind[]
  readonly related: readonly ResourceRef[]
}

async function briefOutput(
  line: CommandLine,
  { terminal, client, query, fallbackNamespace, kinds, named, related }: BriefSources,
): Promise<CommandOutput> {
  const notes: string[] = []
  const onMissing = (sentence: string): void => void notes.push(`${sentence}\n`)
  const { namespace } = query
  const format = outputFormat(line)
  const isWide = format === 'wide'
  const topKinds = new Set([...kinds, ...named.map(({ resource }) => resource)].map(({ plural }) => plural))
  const others = defaultKinds.filter(({ plural }) => !topKinds.has(plural))
  const selection = { kinds: [...kinds, ...others], named, topKinds, related, labelSelector: line.text('selector') }
  const input = await readBrief(client, { ...query, fallbackNamespace, onMissing, ...selection, isWide })
  const sections = briefTree(input)
  const names = line.texts('control-match')
  // Loaded only when needed: it looks for controllers as `extensions` does.
  const control = line.has('control') ? await import('./control-panel.ts') : undefined
  const panel = await control?.readControlPanel(client, {
    ...query,
    fallbackNamespace,
    onMissing,
    matching: names.length > 0 ? names : undefined,
  })
  if (!isForPeople(format)) {
    const text = inFormat(format, {
      text: () => '',
      value: () => ({ sections, ...(panel !== undefined && { controlPanel: panel }) }),
      csv: () => briefCsv(sections),
    })
    return { text, notes: notes.join('') }
  }
  const paint = paintFor(terminal)
  if (sections.length === 0)
    notes.push(
      `Nothing ${notes.length > 0 ? 'that you may list ' : ''}runs in ${namespace === undefined ? 'this cluster' : `namespace ${namespace}`}.\n`,
    )
  const widths = { columns: terminal.columns, tableColumns: tableWidth(terminal, isWide) }
  const textOptions = { ...widths, paint, withNamespace: namespace === undefined, isWide }
  const parts = [
    briefText(sections, textOptions),
    ...(panel === undefined || control === undefined ? [] : [control.controlText(panel, { ...widths, paint })]),
  ]
  const shown = podsIn(sections.flatMap(({ items }) => items))
  const waiting = input.pods.rows.find(({ object }) => isUnscheduled(object as Pod) && shown.has(objectPlace(object)))
    ?.object.metadata
  if (waiting !== undefined) {
    const { name = '', namespace: pods = '' } = waiting
    const command = shellCommand('kubectl', 'berth', 'explain', 'pod', name, '-n', pods)
    notes.push(`\nTo see why it is pending: ${command}\n`)
  }
  return { text: parts.filter((part) => part !== '').join('\n'), notes: notes.join('') }
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
