import { sleep } from '@berth/clock'
import type { CommandLine } from '@berth/process/command'
import { errorText } from '@berth/text/error-text'
import { shellCommand } from '@berth/text/shell-command'
import type { CommandContext } from '../cli/command.ts'
import { CommandError } from '../errors.ts'
import { readDaemonSetRollout, type DaemonSetRollout } from './daemon-set-rollout.ts'

const DEFAULT_TIMEOUT_SECONDS = '200'
const POLL_INTERVAL_MS = 500
/** Share of the timeout after which nodes that do not respond are skipped. A short outage is waited for. */
const OUTAGE_SHARE = 0.1

/**
 * Runs `kubectl berth uninstall-wait`.
 *
 * @throws CommandError BERTH_KUBECTL_WAIT with the last progress.
 */
export async function runUninstallWait(line: CommandLine, { terminal, connect, stop }: CommandContext): Promise<void> {
  const [namespace = '', name = ''] = line.words
  const timeoutMs = Number(line.text('timeout') ?? DEFAULT_TIMEOUT_SECONDS) * 1000
  await using session = await connect()
  const startMs = terminal.clock.monotonic()
  const elapsedMs = (): number => terminal.clock.monotonic() - startMs
  let last: DaemonSetRollout = { kind: 'waiting', text: 'not read yet' }
  while (elapsedMs() < timeoutMs) {
    last = await readDaemonSetRollout(
      session.cluster.client,
      { namespace, name },
      { skipsUnresponsiveNodes: elapsedMs() >= timeoutMs * OUTAGE_SHARE, signal: stop },
    ).catch((error: unknown): DaemonSetRollout => ({ kind: 'waiting', text: errorText(error) }))
    if (last.kind === 'done') {
      terminal.out(`${last.text}\n`)
      return
    }
    await sleep(terminal.clock, POLL_INTERVAL_MS, stop)
  }
  throw new CommandError(`DaemonSet ${namespace}/${name} is not ready after ${timeoutMs / 1000} s: ${last.text}`, {
    code: 'BERTH_KUBECTL_WAIT',
    hint: `Run: ${shellCommand('kubectl', '--namespace', namespace, 'describe', 'daemonset', name)}`,
  })
}
