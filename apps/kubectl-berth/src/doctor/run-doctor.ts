import type { CommandLine } from '@berth/process/command'
import type { CommandContext } from '../cli/command.ts'
import { withProgress } from '../cli/progress.ts'
import { CommandError } from '../errors.ts'
import { readFacts } from '../facts/read-facts.ts'
import { inFormat, outputFormat } from '../output/output-format.ts'
import { paintFor } from '../output/paint.ts'
import { readOptionsOf } from '../output/read-json.ts'
import { checks } from './checks.ts'
import { doctorCsv } from './doctor-csv.ts'
import { doctorText } from './doctor-text.ts'
import { type CheckReport, type CheckStatus, examineCluster } from './examine-cluster.ts'

/**
 * Runs `kubectl berth doctor`.
 *
 * @throws CommandError BERTH_KUBECTL_DOCTOR after the findings, if one is a problem.
 */
export async function runDoctor(line: CommandLine, { terminal, connect, stop }: CommandContext): Promise<void> {
  const chosen = line.words.length === 0 ? checks : checks.filter(({ id }) => line.words.includes(id))
  await using session = await connect()
  const { client } = session.cluster
  const options = readOptionsOf(session, { terminal, stop })
  const reports = await withProgress(terminal, 'Examining the cluster', async () => {
    const known = await readFacts(
      chosen.flatMap(({ needs }) => needs),
      { client, namespace: session.namespace, ...options, findKubectlPlugins: async () => [] },
    )
    return examineCluster(chosen, known, { client, ...options })
  })
  terminal.out(
    inFormat(outputFormat(line), {
      text: (isWide) => doctorText(reports, { columns: terminal.columns, paint: paintFor(terminal), isWide }),
      value: () => ({ checks: reports }),
      csv: () => doctorCsv(reports),
    }),
  )
  const failing: readonly CheckStatus[] = line.has('strict') ? ['problem', 'warning', 'unknown'] : ['problem']
  const failed = reports.filter(({ status }) => failing.includes(status))
  if (failed.length > 0) throw failure(failed)
}

function failure(failed: readonly CheckReport[]): CommandError {
  return new CommandError(`doctor: ${failed.map(({ id, status }) => `${id} (${status})`).join(', ')}`, {
    code: 'BERTH_KUBECTL_DOCTOR',
    hint: 'Apply the fixes in the output, and run it again.',
  })
}
