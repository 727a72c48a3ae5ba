import { type Pod, StatusCode } from '@berth/types'
import type { EnginePlugin } from '../framework/engine-plugin.ts'
import type { Framework } from '../framework/framework.ts'
import type { ClusterTable } from '../state/cluster-table.ts'
import type { FilterFinding, NodeCause } from './explanation.ts'

/**
 * Returns a function that names the causes of each filter that rejects a row. A plugin prepares its causes once, when it
 * first rejects a row. Contributed plugins give their reasons only.
 */
export function explainCauses(
  framework: Framework,
  table: ClusterTable,
  pod: Pod,
): (row: number, findings: readonly FilterFinding[]) => readonly NodeCause[] {
  const plugins = new Map<string, EnginePlugin>(
    framework.plugins.flatMap(({ plugin }) =>
      framework.contributed.has(plugin.name) ? [] : [[plugin.name, plugin] as const],
    ),
  )
  const prepared = new Map<string, (row: number) => readonly string[]>()
  const prepare = (name: string): ((row: number) => readonly string[]) => {
    let causes = prepared.get(name)
    if (causes === undefined) prepared.set(name, (causes = plugins.get(name)?.causes?.(pod, table) ?? (() => [])))
    return causes
  }
  return (row, findings) =>
    findings
      // A filter that failed, for example on an invalid selector, explains that in its reason.
      .filter(({ code }) => code === StatusCode.Unschedulable || code === StatusCode.UnschedulableAndUnresolvable)
      .flatMap(({ plugin }) => prepare(plugin)(row).map((sentence) => ({ plugin, sentence })))
}
