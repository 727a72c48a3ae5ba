import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { ExitRequest } from '@berth/process/shutdown'
import { errorText } from '@berth/text/error-text'
import { listNames } from '@berth/text/list-names'
import { shellCommand } from '@berth/text/shell-command'
import { splitNamespacedName, type Clock, type ExtendedResource, type Logger, type Random } from '@berth/types'
import type { AdvertiserConfig } from './config.ts'
import type { Setup } from './config/setup.ts'
import { AdvertiseError } from './errors.ts'
import { holdLease } from './lease/hold-lease.ts'
import { listObjects } from './objects/list-objects.ts'
import { releaseObjects, takeOverObjects, type HandOverOptions } from './objects/write/hand-over-objects.ts'
import type { DesiredState } from './plan/desired-state.ts'
import type { AllPlans } from './plan/node-plan.ts'
import { refuseForeignOwner } from './refuse-foreign-owner.ts'
import { planAllNodes, reconcileAllNodes } from './reconcile-all-nodes.ts'
import type { AdvertiserMetrics } from './report/advertiser-metrics.ts'
import { formatPlans } from './report/format-plans.ts'
import type { NodeReporter } from './report/node-reporter.ts'
import { describeUse } from './write/describe-use.ts'

const manualPrune = (owner: string): string =>
  `npx -- node apps/advertiser/dist/main.js prune --force --owner ${owner} --kubeconfig FILE`

/** Exit code of `plan` when the nodes match. As with `kubectl diff`, a code above {@link PLAN_CHANGES} is an error. */
const PLAN_UNCHANGED = 0
/** Exit code of `plan` when there are changes, and each declaration can be written. */
const PLAN_CHANGES = 1
/** Exit code of `plan` when it failed, or when a declared resource cannot be written as declared. */
export const PLAN_FAILED = 2

/** Maximum number of objects that an error names. */
const MAX_NAMED_OBJECTS = 10

/** `watch` runs until it is stopped. The other modes do one pass over all nodes and exit. */
export type Mode = 'watch' | 'once' | 'plan' | 'adopt' | 'plan-adopt' | 'prune' | 'plan-prune'

/** Selects the mode from the command and the flags. */
export function selectMode(config: Pick<AdvertiserConfig, 'once' | 'dryRun'>, command: string | undefined): Mode {
  if (command === 'prune') return config.dryRun ? 'plan-prune' : 'prune'
  if (command === 'adopt') return config.dryRun ? 'plan-adopt' : 'adopt'
  if (command === 'plan' || config.dryRun) return 'plan'
  return config.once ? 'once' : 'watch'
}

/** Options of {@link runCommand}. */
export interface RunCommandOptions {
  readonly client: ApiClient
  readonly setup: Setup
  readonly reporter: NodeReporter
  readonly metrics: AdvertiserMetrics
  readonly log: Logger
  readonly clock: Clock
  readonly random: Random
  readonly signal: AbortSignal
  /** Whether objects belong to the configuration: `prune` releases them, and `adopt` takes them over. */
  readonly watchObjects?: boolean
  /** `prune` fails while objects exist. */
  readonly refuseObjects?: boolean
  /** `prune` proceeds although running pods use what is withdrawn. */
  readonly force: boolean
  /** The installation whose records `adopt` takes over. */
  readonly from?: string | undefined
  /** Command that the error of a failed `prune` suggests. */
  readonly retryCommand?: string | undefined
}

/**
 * Runs a mode that does one pass. A pass that writes holds the Lease of the installation; `adopt` holds the Lease of
 * the installation that it takes over from instead.
 *
 * @throws AdvertiseError BERTH_ADVERTISER_INCOMPLETE, BERTH_ADVERTISER_IN_USE, BERTH_ADVERTISER_FOREIGN_OWNER,
 * BERTH_ADVERTISER_LEASE_HELD
 */
export async function runCommand(mode: Exclude<Mode, 'watch'>, options: RunCommandOptions): Promise<ExitRequest> {
  const { setup, log } = options
  const { desired } = setup
  switch (mode) {
    case 'plan': {
      const plans = await planAllNodes({ ...options, desired, readings: setup.readings })
      return { kind: 'exit', code: planExitCode(plans), stream: 'stdout', text: formatPlans(plans) }
    }
    case 'plan-adopt':
      return await printPlans(options, adopting(options))
    case 'plan-prune':
      await checkPrune(options)
      return await printPlans({ ...options, ignoreUse: true }, withoutDeclarations(desired))
    case 'prune':
      return await prune(options)
    case 'adopt':
      return await adopt(options)
    case 'once': {
      const nodes = await reconcileUnderLease(options, { desired, lease: desired.owner, purpose: 'reconcile once' })
      log.info({ nodes }, 'All nodes match the configuration')
      return { kind: 'exit', code: 0, text: '' }
    }
  }
}

async function prune(options: RunCommandOptions): Promise<ExitRequest> {
  const { setup, log, force, retryCommand } = options
  const desired = withoutDeclarations(setup.desired)
  await checkPrune(options)
  const pass = { desired, lease: desired.owner, purpose: 'withdraw everything', ignoreUse: force }
  const nodes = await reconcileUnderLease(options, pass).catch((error: unknown) => {
    throw retryCommand === undefined ? error : pruneError(error, { retryCommand, owner: desired.owner })
  })
  if (options.watchObjects === true) await releaseObjects(handOverOptions(options))
  log.info({ nodes, owner: desired.owner }, 'Withdrew all advertised resources')
  return { kind: 'exit', code: 0, text: '' }
}

async function adopt(options: RunCommandOptions): Promise<ExitRequest> {
  const { setup, log, from } = options
  const desired = adopting(options)
  const nodes =
    from === undefined || (await isLeaseGone(from, options))
      ? // Each write names the version of its node, so that the running advertiser of this installation does not interfere.
        await reconcileAllNodes({ ...options, desired, readings: setup.readings })
      : await reconcileUnderLease(options, { desired, lease: from, purpose: `take over the resources of ${from}` })
  if (options.watchObjects === true && from !== undefined) await takeOverObjects(from, handOverOptions(options))
  log.info({ nodes, from, owner: desired.owner }, 'Took over resources')
  return { kind: 'exit', code: 0, text: '' }
}

function handOverOptions({ client, setup, clock, signal }: RunCommandOptions): HandOverOptions {
  return { client, owner: setup.desired.owner, nowMs: clock.now(), signal }
}

/** Returns whether an installation has no Lease, so that it cannot be running. Its namespace may be gone, too. */
async function isLeaseGone(owner: string, { client, signal }: RunCommandOptions): Promise<boolean> {
  return (await client.find(resourceRefs.leases, splitNamespacedName(owner), { signal })) === undefined
}

async function reconcileUnderLease(
  options: RunCommandOptions,
  {
    desired,
    lease,
    purpose,
    ignoreUse = false,
  }: {
    readonly desired: DesiredState
    readonly lease: string
    readonly purpose: string
    readonly ignoreUse?: boolean
  },
): Promise<number> {
  await using election = await holdLease(lease, { ...options, purpose })
  const mayWrite = (): boolean => election.stillLeader()
  return await reconcileAllNodes({ ...options, desired, readings: options.setup.readings, ignoreUse, mayWrite })
}

function withoutDeclarations(desired: DesiredState): DesiredState {
  return { ...desired, declarations: [] }
}

function adopting({ setup: { desired }, from }: RunCommandOptions): DesiredState {
  if (from === undefined) return { ...desired, adopt: { kind: 'unowned' } }
  return { ...withoutDeclarations(desired), adopt: { kind: 'records', from } }
}

function planExitCode({ plans, unmatched }: AllPlans): number {
  if (unmatched.length > 0 || plans.some(({ conflicts }) => conflicts.length > 0)) return PLAN_FAILED
  return plans.some(({ patch }) => patch !== undefined) ? PLAN_CHANGES : PLAN_UNCHANGED
}

async function printPlans(
  options: RunCommandOptions & { readonly ignoreUse?: boolean },
  desired: DesiredState,
): Promise<ExitRequest> {
  const plans = await planAllNodes({ ...options, desired, readings: options.setup.readings })
  return { kind: 'exit', code: 0, text: formatPlans(plans) }
}

/**
 * Refuses to withdraw when the records belong to another installation, or when running pods use what is withdrawn.
 *
 * @throws AdvertiseError BERTH_ADVERTISER_FOREIGN_OWNER, BERTH_ADVERTISER_IN_USE, BERTH_ADVERTISER_OBJECTS_EXIST
 */
async function checkPrune(options: RunCommandOptions): Promise<void> {
  const { client, setup, force, log, signal } = options
  const desired = withoutDeclarations(setup.desired)
  if (options.refuseObjects === true) refuseObjects((await listObjects(client, signal)) ?? [])
  const { plans } = await planAllNodes({ ...options, desired, readings: setup.readings, ignoreUse: true })
  if (plans.every(({ patch }) => patch === undefined)) {
    refuseForeignOwner(plans, { owner: desired.owner, purpose: 'withdraw advertised resources' })
  }
  const inUse = await describeUse(plans, options)
  if (inUse.length === 0) return
  if (force) {
    log.warn({ inUse }, 'Withdrawing resources that running pods still use')
    return
  }
  throw new AdvertiseError(`withdraw advertised resources: running pods still use ${inUse.join('; ')}`, {
    code: 'BERTH_ADVERTISER_IN_USE',
    retryable: true,
    hint: 'Delete these pods, or pass --force: no pod is evicted then, but a kubelet may refuse them after its next restart.',
  })
}

/** @throws AdvertiseError BERTH_ADVERTISER_OBJECTS_EXIST */
function refuseObjects(objects: readonly ExtendedResource[]): void {
  if (objects.length === 0) return
  const names = objects.map(({ metadata: { name = '' } }) => name)
  const listed = listNames(names, MAX_NAMED_OBJECTS)
  throw new AdvertiseError(`delete the definition of ExtendedResource: objects exist: ${listed}`, {
    code: 'BERTH_ADVERTISER_OBJECTS_EXIST',
    hint: `Delete them first: ${shellCommand('kubectl', 'delete', 'extendedresources', '--all')}. Or keep the definition with crds.keep=true.`,
  })
}

/** Adds the command that repeats a failed prune to its error. Used when the configuration no longer exists. */
function pruneError(
  cause: unknown,
  { retryCommand, owner }: { readonly retryCommand: string; readonly owner: string },
): AdvertiseError {
  return new AdvertiseError(`cannot withdraw everything that Berth advertises: ${errorText(cause)}`, {
    code: 'BERTH_ADVERTISER_INCOMPLETE',
    retryable: true,
    cause,
    hint: `Run it again: ${retryCommand}. Or, in a checkout of Berth, with the kubeconfig of an administrator: ${manualPrune(owner)}`,
  })
}
