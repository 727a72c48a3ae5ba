import type { CommandLine } from '@berth/process/command'
import type { CommandContext } from '../cli/command.ts'
import { withProgress } from '../cli/progress.ts'
import { findKubectlPlugins } from '../facts/kubectl-plugins.ts'
import { readFacts } from '../facts/read-facts.ts'
import { inFormat, outputFormat } from '../output/output-format.ts'
import { paintFor } from '../output/paint.ts'
import { tableWidth } from '../output/table-width.ts'
import { readOptionsOf } from '../output/read-json.ts'
import { extensionsCsv } from './extensions-csv.ts'
import { extensionsText } from './extensions-text.ts'
import { surveyCluster } from './survey-cluster.ts'
import { surveys } from './surveys.ts'

/** Runs `kubectl berth extensions`. */
export async function runExtensions(
  line: CommandLine,
  { terminal, connect, stop }: CommandContext,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const chosen = line.words.length === 0 ? surveys : surveys.filter(({ kind }) => line.words.includes(kind))
  await using session = await connect()
  const known = await withProgress(terminal, 'Reading what extends the cluster', () =>
    readFacts(
      chosen.flatMap(({ needs }) => needs),
      {
        client: session.cluster.client,
        namespace: session.namespace,
        ...readOptionsOf(session, { terminal, stop }),
        findKubectlPlugins: () => findKubectlPlugins(environment['PATH']),
      },
    ),
  )
  const results = surveyCluster(chosen, known)
  terminal.out(
    inFormat(outputFormat(line), {
      text: (isWide) => {
        const widths = { columns: terminal.columns, tableColumns: tableWidth(terminal, isWide) }
        return extensionsText(results, { ...widths, paint: paintFor(terminal), isWide })
      },
      value: () => ({ surveys: results }),
      csv: () => extensionsCsv(results),
    }),
  )
}
