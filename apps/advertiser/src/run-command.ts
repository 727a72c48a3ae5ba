import type { ApiClient } from '@berth/k8s-client'
import type { ExitRequest } from '@berth/process/shutdown'
import type { Clock, Logger } from '@berth/types'
import type { Setup } from './advertiser.ts'
import type { AdvertiserMetrics } from './report/advertiser-metrics.ts'
import type { AdvertiserConfig } from './config.ts'
import type { NodeReporter } from './report/node-reporter.ts'
import { advertiseOnce, planOnce } from './reconcile-all-nodes.ts'
import { planText } from './report/format-plans.ts'
import { refuseHeld } from './write/refuse-if-in-use.ts'

/** `keep` watches until it is stopped; the others do one pass and end. */
export type Mode = 'keep' | 'once' | 'plan' | 'prune' | 'plan-prune'

/** What the command line asks for. */
export function modeOf(config: Pick<AdvertiserConfig, 'once' | 'dryRun'>, command: string | undefined): Mode {
  if (command === 'prune') return config.dryRun ? 'plan-prune' : 'prune'
  if (command === 'plan' || config.dryRun) return 'plan'
  return config.once ? 'once' : 'keep'
}

/**
 * Runs a command that ends by itself.
 *
 * @param options.force - `prune` and `plan-prune` go ahead although running pods hold what is taken back.
 * @throws AdvertiseError BERTH_ADVERTISER_INCOMPLETE, BERTH_ADVERTISER_IN_USE.
 */
export async function runCommand(
  mode: Exclude<Mode, 'keep'>,
  options: {
    readonly client: ApiClient
    readonly setup: Setup
    readonly reporter: NodeReporter
    readonly metrics: AdvertiserMetrics
    readonly log: Logger
    readonly clock: Clock
    readonly signal: AbortSignal
    readonly force: boolean
  },
): Promise<ExitRequest> {
  const { setup, log, force } = options
  const isPrune = mode === 'prune' || mode === 'plan-prune'
  const wanted = isPrune ? { ...setup.wanted, declarations: [] } : setup.wanted
  const pass = { ...options, wanted, readings: setup.readings }
  if (isPrune && !force) await refuseHeld(await planOnce(pass), options)
  if (mode === 'plan' || mode === 'plan-prune') {
    return { kind: 'exit', code: 0, text: planText(await planOnce(pass)) }
  }
  const nodes = await advertiseOnce(pass)
  log.info({ nodes }, mode === 'prune' ? 'Took back everything that Berth advertised' : 'Every node is as declared')
  return { kind: 'exit', code: 0, text: '' }
}
