import type { CsvTable } from '../output/csv-text.ts'
import type { SurveyResult } from './survey-cluster.ts'

/** Returns one record for each extension. Several users or sentences share a field, one on each line. */
export function extensionsCsv(results: readonly SurveyResult[]): CsvTable {
  return {
    columns: ['kind', 'name', 'use', 'health', 'usedBy', 'evidence'],
    rows: results.flatMap(({ kind, extensions }) =>
      extensions.map(({ name, use, health, usedBy, evidence }) => [
        kind,
        name,
        use,
        health,
        usedBy.join('\n'),
        evidence.join('\n'),
      ]),
    ),
  }
}
