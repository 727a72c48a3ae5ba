import type { CsvTable } from '../output/csv-text.ts'
import type { CheckReport } from './examine-cluster.ts'

/**
 * Returns one record for each finding, and one for each check without a finding. Several sentences or commands share a
 * field, one on each line.
 */
export function doctorCsv(reports: readonly CheckReport[]): CsvTable {
  return {
    columns: ['check', 'status', 'severity', 'sentence', 'evidence', 'fix', 'commands', 'state'],
    rows: reports.flatMap(({ id, status, findings, missing }) =>
      findings.length === 0
        ? [[id, status, undefined, missing.join('\n'), undefined, undefined, undefined, undefined]]
        : findings.map(({ severity, sentence, evidence, fix }) => [
            id,
            status,
            severity,
            sentence,
            evidence.join('\n'),
            fix.sentence,
            fix.commands.join('\n'),
            fix.state,
          ]),
    ),
  }
}
