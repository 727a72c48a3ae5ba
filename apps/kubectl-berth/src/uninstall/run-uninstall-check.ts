import { resourceRefs } from '@berth/k8s-client'
import type { CommandLine } from '@berth/process/command'
import { resourceUsers, type ResourceUser } from '@berth/resources'
import type { Pod } from '@berth/types'
import type { CommandContext } from '../cli/command.ts'
import { CommandError } from '../errors.ts'

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
  const parts = line.words.flatMap((resourceName) => {
    const users = resourceUsers(items, resourceName)
    return users.length === 0 ? [] : `${resourceName} (${namesOf(users)})`
  })
  if (parts.length === 0) return
  throw new CommandError(`cannot uninstall: running pods still use ${parts.join('; ')}`, {
    code: 'BERTH_KUBECTL_IN_USE',
    hint: 'Delete these pods, or set force to "true" in the ConfigMap whose name ends in -uninstall.',
  })
}

function namesOf(users: readonly ResourceUser[]): string {
  const names = users.slice(0, MAX_NAMED_PODS).map(({ name }) => name)
  return names.join(', ') + (users.length > MAX_NAMED_PODS ? ` and ${users.length - MAX_NAMED_PODS} more` : '')
}
