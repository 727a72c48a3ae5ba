import { desiredUnits, type DesiredUnits } from '../plan/desired-units.ts'
import { readNodes, type AllNodesOptions } from '../reconcile-all-nodes.ts'
import { draObjects, type OfferedResource } from './dra-objects.ts'
import { formatMigration } from './format-migration.ts'

/**
 * Returns the DeviceClasses and ResourceSlices that replace the declared resources, as YAML with comments. Writes nothing.
 * A node on which a resource has no amount, because its source failed or entries contradict each other, is named in a
 * comment.
 *
 * @throws MigrateError BERTH_ADVERTISER_MIGRATE
 */
export async function migration(
  options: Pick<AllNodesOptions, 'client' | 'desired' | 'readings' | 'signal'>,
): Promise<string> {
  const { declarations, readSource } = options.desired
  const offered: OfferedResource[] = []
  const skipped: string[] = []
  for (const node of await readNodes(options)) {
    const nodeName = node.metadata.name ?? ''
    for (const [resourceName, desired] of desiredUnits(declarations, node, readSource)) {
      if (desired.kind === 'units') offered.push({ nodeName, resourceName, units: desired.units })
      else skipped.push(`${resourceName} on node ${nodeName}: ${reasonOf(desired)}`)
    }
  }
  return formatMigration(draObjects(offered), skipped)
}

function reasonOf(desired: Exclude<DesiredUnits, { readonly kind: 'units' }>): string {
  switch (desired.kind) {
    case 'pending':
      return 'it has no amount yet'
    case 'unknown':
      return desired.reason
    case 'ambiguous':
      return `${desired.paths.join(' and ')} contradict each other`
  }
}
