import { resourceRefs } from '@berth/k8s-client'
import type { CommandLine } from '@berth/process/command'
import type { Pod } from '@berth/types'
import type { CommandContext } from '../cli/command.ts'
import { CommandError } from '../errors.ts'
import { podsInUse } from './pods-in-use.ts'

/** Maximum number of pods that the error names for one resource. */
const MAX_NAMED_PODS = 10

/**
 * Runs `kubectl berth uninstall-check`.
 *
 * @throws CommandError BERTH_KUBECTL_IN_USE with the pods that use a resource.
 */
export async function runUninstallCheck(line: CommandLine, { connect, stop }: CommandContext): Promise<void> {
  await using session = await connect()
  const { items } = await session.cluster.client.list<Pod>(resourceRefs.pods, { signal: stop })
  const users = [...podsInUse(items, line.words)]
  if (users.length === 0) return
  const parts = users.map(([resourceName, pods]) => `${resourceName} (${namedPods(pods)})`)
  throw new CommandError(`cannot uninstall: running pods still use ${parts.join('; ')}`, {
    code: 'BERTH_KUBECTL_IN_USE',
    hint: 'Delete these pods, or set force to "true" in the ConfigMap whose name ends in -uninstall.',
  })
}

function namedPods(pods: readonly string[]): string {
  const more = pods.length > MAX_NAMED_PODS ? ` and ${pods.length - MAX_NAMED_PODS} more` : ''
  return `${pods.slice(0, MAX_NAMED_PODS).join(', ')}${more}`
}
