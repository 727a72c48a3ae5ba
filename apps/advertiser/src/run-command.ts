import type { ApiClient } from '@berth/k8s-client'
import type { ExitRequest } from '@berth/process/shutdown'
import { errorText } from '@berth/text/error-text'
import type { Clock, Logger } from '@berth/types'
import type { AdvertiserConfig } from './config.ts'
import type { Setup } from './config/setup.ts'
import { AdvertiseError } from './errors.ts'
import { planAllNodes, reconcileAllNodes } from './reconcile-all-nodes.ts'
import type { AdvertiserMetrics } from './report/advertiser-metrics.ts'
import { formatPlans } from './report/format-plans.ts'
import type { NodeReporter } from './report/node-reporter.ts'
import { refuseIfInUse } from './write/refuse-if-in-use.ts'

const MANUAL_PRUNE = 'npx -- node apps/advertiser/dist/main.js prune --force --kubeconfig FILE'

/** `watch` runs until it is stopped. The other modes do one pass over all nodes and exit. */
export type Mode = 'watch' | 'once' | 'plan' | 'prune' | 'plan-prune'

/** Selects the mode from the command and the flags. */
export function selectMode(config: Pick<AdvertiserConfig, 'once' | 'dryRun'>, command: string | undefined): Mode {
  if (command === 'prune') return config.dryRun ? 'plan-prune' : 'prune'
  if (command === 'plan' || config.dryRun) return 'plan'
  return config.once ? 'once' : 'watch'
}

/**
 * Runs a mode that does one pass.
 *
 * @param options.retryCommand - Command that the error of a failed `prune` suggests.
 * @param options.force - `prune` and `plan-prune` proceed although running pods use what is withdrawn.
 * @throws AdvertiseError BERTH_ADVERTISER_INCOMPLETE, BERTH_ADVERTISER_IN_USE
 */
export async function runCommand(
  mode: Exclude<Mode, 'watch'>,
  options: {
    readonly client: ApiClient
    readonly setup: Setup
    readonly reporter: NodeReporter
    readonly metrics: AdvertiserMetrics
    readonly log: Logger
    readonly clock: Clock
    readonly signal: AbortSignal
    readonly force: boolean
    readonly retryCommand?: string | undefined
  },
): Promise<ExitRequest> {
  const { setup, log, force } = options
  const isPrune = mode === 'prune' || mode === 'plan-prune'
  const desired = isPrune ? { ...setup.desired, declarations: [] } : setup.desired
  const pass = { ...options, desired, readings: setup.readings }
  if (isPrune && !force) await refuseIfInUse(await planAllNodes(pass), options)
  if (mode === 'plan' || mode === 'plan-prune') {
    return { kind: 'exit', code: 0, text: formatPlans(await planAllNodes(pass)) }
  }
  const nodes = await reconcileAllNodes(pass).catch((error: unknown) => {
    throw mode === 'prune' && options.retryCommand !== undefined ? pruneError(error, options.retryCommand) : error
  })
  log.info({ nodes }, mode === 'prune' ? 'Withdrew all advertised resources' : 'All nodes match the configuration')
  return { kind: 'exit', code: 0, text: '' }
}

/** Adds the command that repeats a failed prune to its error. Used when the configuration no longer exists. */
function pruneError(cause: unknown, retryCommand: string): AdvertiseError {
  return new AdvertiseError(`cannot withdraw everything that Berth advertises: ${errorText(cause)}`, {
    code: 'BERTH_ADVERTISER_INCOMPLETE',
    retryable: true,
    cause,
    hint: `Run it again: ${retryCommand}. Or, in a checkout of Berth, with the kubeconfig of an administrator: ${MANUAL_PRUNE}`,
  })
}
