import { sleep } from '@berth/clock'
import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { CommandLine } from '@berth/process/command'
import { errorText } from '@berth/text/error-text'
import type { Node, Pod } from '@berth/types'
import type { CommandContext } from '../cli/command.ts'

/** Annotation on the pods of the device plugin: the time until which their uninstall is announced. */
const ANNOTATION = 'berth.dev/uninstall-until'
/** An uninstall that was interrupted is forgotten after this time, and the devices are offered again. */
const ANNOUNCED_MS = 5 * 60_000
const DEFAULT_TIMEOUT_SECONDS = '30'
const POLL_INTERVAL_MS = 500

/**
 * Runs `kubectl berth uninstall-announce`. Annotates the running pods of the device plugin, which then publish an empty
 * list, and waits until their nodes show 0. It never fails, because without the announcement an uninstall succeeds too:
 * the nodes then show the resources as unavailable for five minutes.
 */
export async function runUninstallAnnounce(
  line: CommandLine,
  { terminal, connect, stop: signal }: CommandContext,
): Promise<void> {
  const [namespace = '', labelSelector = '', ...resourceNames] = line.words
  const timeoutMs = Number(line.text('timeout') ?? DEFAULT_TIMEOUT_SECONDS) * 1000
  const { clock } = terminal
  await using session = await connect()
  const { client } = session.cluster
  try {
    const { items } = await client.list<Pod>(resourceRefs.pods, { namespace, labelSelector, signal })
    const running = items.filter(({ status }) => status?.phase === 'Running')
    const until = new Date(clock.now() + ANNOUNCED_MS).toISOString()
    for (const { metadata } of running) {
      const patch = { metadata: { annotations: { [ANNOTATION]: until } } }
      await client.patch(resourceRefs.pods, { namespace, name: metadata.name ?? '' }, patch, { type: 'merge', signal })
    }
    const nodeNames = new Set(running.flatMap(({ spec }) => spec?.nodeName ?? []))
    const endMs = clock.monotonic() + timeoutMs
    let left = nodeNames
    while (left.size > 0 && clock.monotonic() < endMs) {
      await sleep(clock, POLL_INTERVAL_MS, signal)
      left = await nodesWithUnits(client, { nodeNames: left, resourceNames, signal })
    }
    const shown = left.size === 0 ? '' : `; still offered on ${[...left].join(', ')}`
    terminal.out(`${nodeNames.size - left.size} of ${nodeNames.size} nodes withdrew their devices${shown}\n`)
  } catch (error) {
    terminal.out(`could not announce the uninstall: ${errorText(error)}\n`)
  }
}

async function nodesWithUnits(
  client: ApiClient,
  options: {
    readonly nodeNames: ReadonlySet<string>
    readonly resourceNames: readonly string[]
    readonly signal: AbortSignal
  },
): Promise<Set<string>> {
  const { nodeNames, resourceNames, signal } = options
  const left = new Set<string>()
  for (const name of nodeNames) {
    const { status } = await client.get<Node>(resourceRefs.nodes, { name }, { signal })
    if (resourceNames.some((resource) => Number(status?.capacity?.[resource] ?? 0) > 0)) left.add(name)
  }
  return left
}
