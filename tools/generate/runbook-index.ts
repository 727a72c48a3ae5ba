import type { AlertGroup } from '../observability/alerts/alert.ts'
import { code, markdownTable } from './markdown-table.ts'

/** Returns the text of docs/runbook/README.md, which lists every alert with its page. */
export function runbookIndex(groups: readonly AlertGroup[]): string {
  const rows = groups.flatMap(({ alerts }) =>
    alerts.map(({ name, severity, holdsFor, expr, summary }) => [
      `[${name}](${name}.md)`,
      severity,
      holdsFor,
      summary,
      code(expr.replaceAll('job="$job", ', '').replaceAll('{job="$job"}', '')),
    ]),
  )
  return `${[
    '# Runbook',
    'The alerts of `prometheusRule.enabled` in the [chart](../../charts/berth/README.md), written by `tools/generate.ts` from `tools/observability/alerts`. Each query also selects the `job` of the installation. Commands assume the release `berth` in the namespace `berth-system`.',
    markdownTable(['alert', 'severity', 'after', 'what it says', 'query'], rows),
  ].join('\n\n')}\n`
}
