import type { CommandLine } from '@berth/process/command'
import {
  buildExtenderProfile,
  extenderPlugin,
  type ExtenderPlugin,
  RECORDING_VERSION,
  type RecordingStart,
} from '@berth/scheduler-config'
import { errorText } from '@berth/text/error-text'
import { firstLine } from '@berth/text/first-line'
import { escapeUnprintable } from '@berth/text/printable'
import { silentLogger } from '@berth/types'
import { parse } from 'yaml'
import { z } from 'zod'
import type { CommandContext } from '../cli/command.ts'
import { CommandError, UsageError } from '../errors.ts'
import type { CsvTable } from '../output/csv-text.ts'
import { fitTable } from '../output/fit-table.ts'
import { inFormat, outputFormat } from '../output/output-format.ts'
import { tableWidth } from '../output/table-width.ts'
import { wrapSentence } from '../output/wrap-sentence.ts'
import { type Replay, replayVerdicts, startOfRecording } from './replay-verdicts.ts'

/** The keys of the extender's configuration that decide verdicts. */
const policy = z.looseObject({
  plugins: z.array(extenderPlugin).min(1).optional(),
  ignoredResources: z.array(z.string()).optional(),
})

interface Policy {
  readonly plugins: readonly ExtenderPlugin[]
  readonly ignoredResources: readonly string[]
}

const DEFAULT_PLUGINS: readonly ExtenderPlugin[] = [{ name: 'NodeResourcesFit', weight: 1, args: {} }]

/**
 * Runs `kubectl berth replay`.
 *
 * @throws UsageError BERTH_KUBECTL_USAGE for a configuration that is wrong; CommandError BERTH_KUBECTL_FILE for a file that
 * cannot be read, BERTH_KUBECTL_REPLAY after the output if a verdict changes.
 */
export async function runReplay(
  line: CommandLine,
  { terminal, loadPlugins }: Pick<CommandContext, 'terminal' | 'loadPlugins'>,
): Promise<void> {
  const [file = ''] = line.words
  const text = await readText(terminal, file)
  const start = startOfRecording(text)
  if (start?.version !== RECORDING_VERSION) {
    throw new CommandError(`read ${file}: it is not a recording of version ${RECORDING_VERSION}`, {
      code: 'BERTH_KUBECTL_FILE',
      hint: 'Let the extender write one with --record FILE.',
    })
  }
  const { plugins, ignoredResources } = await policyOf(line.text('config'), start, terminal)
  const registry = await loadPlugins(line.text('plugin-dir'))
  const { clock, random } = terminal
  const profile = buildExtenderProfile(plugins, registry, () => ({ log: silentLogger, clock, random }))
  const replay = replayVerdicts(text, { profile, ignoredResources: new Set(ignoredResources), random })
  terminal.out(
    inFormat(outputFormat(line), {
      text: (isWide) => replayText(replay, { columns: terminal.columns, tableColumns: tableWidth(terminal, isWide) }),
      value: () => replay,
      csv: () => replayCsv(replay),
    }),
  )
  if (replay.endedEarly !== undefined)
    terminal.note(
      `${wrapSentence(`The recording is not complete: ${replay.endedEarly}.`, terminal.columns).join('\n')}\n`,
    )
  if (replay.changed.length > 0) {
    throw new CommandError(`replay ${file}: the verdicts of ${replay.changed.length} of ${replay.calls} calls change`, {
      code: 'BERTH_KUBECTL_REPLAY',
    })
  }
}

async function readText(terminal: CommandContext['terminal'], file: string): Promise<string> {
  try {
    return await terminal.readFile(file)
  } catch (error) {
    throw new CommandError(`read ${file}: ${errorText(error)}`, { code: 'BERTH_KUBECTL_FILE', cause: error })
  }
}

async function policyOf(
  file: string | undefined,
  { plugins, ignoredResources }: RecordingStart,
  terminal: CommandContext['terminal'],
): Promise<Policy> {
  if (file === undefined) return { plugins, ignoredResources }
  const refuse = (reason: string): UsageError =>
    new UsageError(`read ${file}: ${reason}`, 'It must be a configuration file of the extender.')
  let content: unknown
  try {
    content = parse(await readText(terminal, file), { maxAliasCount: 100 }) ?? {}
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw refuse(firstLine(errorText(error)))
  }
  const parsed = policy.safeParse(content)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw refuse(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`)
  }
  return { plugins: parsed.data.plugins ?? DEFAULT_PLUGINS, ignoredResources: parsed.data.ignoredResources ?? [] }
}

const replayColumns = [
  { header: 'TIME', rank: 1 },
  ...['VERB', 'POD', 'NODE', 'RECORDED', 'REPLAYED'].map((header) => ({ header, rank: 0 })),
]

function replayText(
  { calls, changed, unreadableLines }: Replay,
  { columns, tableColumns }: { readonly columns: number; readonly tableColumns: number },
): string {
  const rows = changedRows(changed)
  const table =
    rows.length === 0 ? '' : `${fitTable(replayColumns, rows, tableColumns, { wrapsLast: true }).join('\n')}\n`
  const unreadable = unreadableLines === 0 ? '' : ` ${unreadableLines} line(s) cannot be read.`
  const sentence = wrapSentence(`${changed.length} of ${calls} calls change.${unreadable}`, columns)
  return escapeUnprintable(`${table}${sentence.join('\n')}\n`)
}

function replayCsv({ changed }: Replay): CsvTable {
  return { columns: ['time', 'verb', 'pod', 'node', 'before', 'after'], rows: changedRows(changed) }
}

/** Returns one row for each node whose verdict changes in a call, and one for those that are left out. */
function changedRows(changed: Replay['changed']): readonly (readonly string[])[] {
  return changed.flatMap(({ time, verb, pod, nodes, moreNodes = 0 }) => [
    ...nodes.map(({ node, before, after }) => [time, verb, pod, node, before, after]),
    ...(moreNodes > 0 ? [[time, verb, pod, `${moreNodes} more`, '', '']] : []),
  ])
}
