import { bindError } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { EffectError } from '../errors.ts'
import type { PermitDecision } from '../permit/waiting-pods.ts'
import type { TaskBudget } from '../tasks/task-budget.ts'
import type { EffectRunner } from './effect-runner.ts'
import type { UnboundPod } from './unbound-pods.ts'
import { type BindersResult, type RunBindersOptions, runBinders } from './run-binders.ts'

/** The result of {@link bindAssumed}. */
export type BindingResult =
  | BindersResult
  /** The pod was deleted or bound by another scheduler while it waited, or this scheduler stops. */
  | { readonly kind: 'abandoned' }
  /** An error occurred before a binder ran, or a plugin threw. */
  | { readonly kind: 'failed'; readonly error: unknown }

/** Value of the label `outcome` of `berth_scheduler_bind_total`. */
export type BindOutcomeLabel = 'bound' | 'conflict' | 'gone' | 'unknown' | 'error'

/** Options of {@link bindAssumed}. */
export interface BindAssumedOptions extends RunBindersOptions {
  readonly onOutcome: (outcome: BindOutcomeLabel, durationMs: number) => void
  /** Limits the binds in flight. Does not include permit and preBind, which may take long. */
  readonly budget: TaskBudget
  /** The pod in the registry of pods that can be preempted without being deleted. */
  readonly unbound: UnboundPod
  /** Waits for the other members of the pod's group, before preBind. Omit for a pod that is placed on its own. */
  readonly awaitGroup?: () => Promise<PermitDecision>
  /** Returns whether the pod was deleted or bound while the reserve or preBind hooks ran. */
  readonly isLost: () => boolean
  /** Called when the pod is bound. The bind counts as in flight until the result resolves. */
  readonly onBound: () => Promise<void>
}

/**
 * Runs permit, the wait for the group, preBind and bind for an assumed pod. Never rejects. Resolves only when it is known whether the
 * pod is bound, or at shutdown.
 */
export async function bindAssumed(
  pod: Pod,
  nodeName: string,
  effects: EffectRunner,
  options: BindAssumedOptions,
): Promise<BindingResult> {
  try {
    // Nothing is awaited between this check and the pod's entry into the registry of waiting pods, where its deletion
    // ends the wait.
    if (options.isLost()) return { kind: 'abandoned' }
    const permitted = await effects.permit()
    if (permitted.kind === 'preempted') throw preemptedError(permitted.plugin)
    if (permitted.kind !== 'passed') return permitted
    // As above. Between permit and this check, the pod was not in the registry, so its deletion was not seen there.
    if (options.awaitGroup !== undefined && options.isLost()) return { kind: 'abandoned' }
    const gathered = (await options.awaitGroup?.()) ?? { kind: 'passed' }
    if (gathered.kind === 'preempted') throw preemptedError(gathered.plugin)
    if (gathered.kind !== 'passed') return gathered
    const prepared = await effects.preBind().catch((error: unknown) => {
      if (options.isLost()) return { kind: 'abandoned' } as const
      throw error
    })
    if (prepared.kind === 'abandoned') return prepared
    if (prepared.kind === 'rejected') return prepared
    const priority = pod.spec.priority ?? 0
    const release = await options.budget.acquire(options.unbound.ended, priority)
    const result = await bindInBudget(pod, nodeName, effects, options).catch((error: unknown) => {
      release()
      throw error
    })
    if (result.kind === 'bound') void options.onBound().finally(release)
    else release()
    return result
  } catch (error) {
    return { kind: 'failed', error }
  }
}

async function bindInBudget(
  pod: Pod,
  nodeName: string,
  effects: EffectRunner,
  options: BindAssumedOptions,
): Promise<BindersResult> {
  options.unbound.startBind()
  if (!options.mayWrite()) throw bindError(pod, nodeName, 'this replica is no longer the leader')
  const startMs = options.monotonic()
  try {
    const result = await runBinders(pod, nodeName, effects, options)
    options.onOutcome(result.kind === 'rejected' ? 'error' : result.kind, options.monotonic() - startMs)
    return result
  } catch (error) {
    options.onOutcome('error', options.monotonic() - startMs)
    throw error
  }
}

/** Creates kube-scheduler's error for a waiting pod that was preempted. */
function preemptedError(plugin: string): EffectError {
  return new EffectError(plugin, 'waiting on permit for pod: preempted', {
    code: 'BERTH_SCHEDULER_EFFECT',
    retryable: true,
  })
}
