import type { CommandLine } from '@berth/process/command'
import { isListed, snapshotCluster } from '@berth/cluster-view'
import type { CommandContext } from '../cli/command.ts'
import { withProgress } from '../cli/progress.ts'
import { evaluatedWithout, skippedUnreadable } from '../output/evaluated-without.ts'
import { inFormat, outputFormat } from '../output/output-format.ts'
import { paintFor } from '../output/paint.ts'
import { tableWidth } from '../output/table-width.ts'
import { loadProfiles } from '../profile/load-profiles.ts'
import { answerText } from './answer-text.ts'
import { nodesCsv, podsCsv } from './answer-csv.ts'
import { explainTargets } from './explainer.ts'
import { groupAnswers } from './groups/group-answers.ts'
import { groupText } from './groups/group-text.ts'
import type { PodAnswer } from './pod-answer.ts'
import { parseSubjects } from './subjects/parse-subjects.ts'
import { readSubjects } from './subjects/read-subjects.ts'

/** Runs `kubectl berth explain`. */
export async function runExplain(line: CommandLine, context: CommandContext): Promise<void> {
  const { terminal, connect, stop } = context
  const wanted = parseSubjects(line)
  const given = await loadProfiles(line, context)
  for (const note of given.notes) terminal.note(`${note}\n`)
  await using session = await connect()
  const { cluster } = session
  const namespace = line.text('namespace') ?? session.namespace
  const { answers, notes, known } = await withProgress(terminal, 'Reading nodes and pods', async () => {
    const snapshot = await snapshotCluster(cluster.client, {
      signal: stop,
      configMaps: given.configMaps,
      fallbackNamespace: namespace,
    })
    const { forbidden, unreadable } = snapshot
    const targets = await readSubjects(wanted, { client: cluster.client, snapshot, namespace, terminal, signal: stop })
    const answers = await explainTargets(targets, { line, context, cluster, snapshot, given })
    // After the answers: a command that fails prints only its error.
    const incomplete = [...evaluatedWithout(forbidden), ...skippedUnreadable(unreadable)]
    return {
      answers,
      notes: [...incomplete, ...targets.notes],
      known: { forbidden, hasUnknownPods: !isListed(snapshot, 'pods') },
    }
  })
  for (const note of notes) terminal.note(`${note}\n`)
  terminal.out(outputOf(answers, line, { terminal, ...known }))
}

function outputOf(
  answers: readonly PodAnswer[],
  line: CommandLine,
  {
    terminal,
    forbidden,
    hasUnknownPods,
  }: Pick<CommandContext, 'terminal'> & { readonly forbidden: readonly string[]; readonly hasUnknownPods: boolean },
): string {
  const [only, ...others] = answers
  const single = others.length === 0 && !line.has('all-pending') ? only : undefined
  return inFormat(outputFormat(line), {
    text: (isWide) => {
      if (answers.length === 0) return ''
      const { columns, clock } = terminal
      const widths = { columns, tableColumns: tableWidth(terminal, isWide) }
      const options = { ...widths, paint: paintFor(terminal), isWide, nowMs: clock.now(), hasUnknownPods }
      return single === undefined ? groupText(groupAnswers(answers), options) : answerText(single, options)
    },
    value: () => ({
      ...(single ?? { groups: groupAnswers(answers) }),
      ...(forbidden.length > 0 && { missing: forbidden }),
    }),
    csv: () => (single === undefined ? podsCsv(answers) : nodesCsv(single)),
  })
}
