import type { Catalogue } from './catalogues.ts'
import { code, markdownTable } from './markdown-table.ts'

/** Returns the text of docs/metrics.md. */
export function metricsPage(catalogues: readonly Catalogue[]): string {
  const sections = catalogues
    .filter(({ metrics }) => metrics.length > 0)
    .map(({ packagePath, metrics }) => {
      const rows = metrics
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, type, labelNames = [], help }) => [
          code(name),
          type,
          labelNames.map((label) => code(label)).join(', '),
          help,
        ])
      return `## ${packagePath}\n\n${markdownTable(['metric', 'type', 'labels', 'what it says'], rows)}`
    })
  return `${[
    '# Metrics',
    'Written by `tools/generate.ts` from the definitions in the code. Each app serves its own at `/metrics` of `--health-address`, and those of its process (`process_*`, `nodejs_*`) with them.',
    ...sections,
  ].join('\n\n')}\n`
}
