import { resourceRefs } from '@berth/k8s-client'
import type { CommandLine } from '@berth/process/command'
import { resourceUsers } from '@berth/resources'
import { listNames } from '@berth/text/list-names'
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
    const names = resourceUsers(items, resourceName).map(({ name }) => name)
    return names.length === 0 ? [] : `${resourceName} (${listNames(names, MAX_NAMED_PODS)})`
  })
  if (parts.length === 0) return
  throw new CommandError(`cannot uninstall: running pods still use ${parts.join('; ')}`, {
    code: 'BERTH_KUBECTL_IN_USE',
    hint: 'Delete these pods, or set force to "true" in the ConfigMap whose name ends in -uninstall.',
  })
}
